// Walls: translucent faces with drawn edges. They are fetched once, and moved by their poses in each frame.

import {
  Box3,
  BufferAttribute,
  BufferGeometry,
  Color,
  DoubleSide,
  Group,
  LineBasicMaterial,
  LineSegments,
  Mesh,
  MeshBasicMaterial,
  Plane,
  Quaternion,
} from "three";
import type { Frame, Run } from "../data/run";

export class Walls {
  readonly object = new Group();
  private walls: Group[] = [];
  /** Around those that have ends, in the first frame that is shown with them; nothing until then. */
  bounds: Box3 | null = null;
  private asked = false;
  /** Of each wall that has come, whether it has no ends. */
  private endless: boolean[] | null = null;
  private faces = new MeshBasicMaterial({ transparent: true, opacity: 0.13, depthWrite: false, side: DoubleSide, forceSinglePass: true });
  private lines = new LineBasicMaterial({ transparent: true, opacity: 0.55 });

  constructor(
    private readonly run: Run,
    private readonly onWalls: () => void,
  ) {}

  show(frame: Frame, next: Frame | null, between: number): void {
    this.fetch(frame.number);
    this.place(frame, next, between);
    if (this.endless && !this.bounds) this.bounds = this.around(this.endless);
  }

  private place(frame: Frame, next: Frame | null, between: number): void {
    const [a, b] = [frame.walls, (next ?? frame).walls];
    const [from, to] = [new Quaternion(), new Quaternion()];
    this.walls.forEach((group, k) => {
      const along = (axis: number) => {
        const start = a[7 * k + axis]!;
        return start + between * (b[7 * k + axis]! - start);
      };
      if (a.length < 7 * k + 7) return;
      group.position.set(along(0), along(1), along(2));
      from.fromArray(a, 7 * k + 3);
      to.fromArray(b, 7 * k + 3);
      group.quaternion.slerpQuaternions(from, to, between);
    });
  }

  /** Forgets them: another run is in the folder. */
  reset(): void {
    this.asked = false;
    this.bounds = null;
    this.endless = null;
    this.walls = [];
    this.object.clear();
  }

  paint(colour: string, clip: Plane[]): void {
    for (const material of [this.faces, this.lines]) {
      material.color = new Color(colour);
      material.clippingPlanes = clip;
    }
  }

  private around(endless: boolean[]): Box3 {
    const box = new Box3();
    this.walls.forEach((group, k) => {
      if (endless[k]) return;
      group.updateMatrixWorld();
      for (const each of group.children) {
        // The edges hold all that counts; faces share one list of points.
        if (each instanceof LineSegments) box.expandByObject(each);
      }
    });
    return box;
  }

  /** Fetches them as they are in a frame, unless that is under way. */
  fetch(number: number): void {
    if (this.asked) return;
    this.asked = true;
    this.run.client.walls(number).then(
      ({ head, arrays }) => {
        const points = new BufferAttribute(arrays.get("points") as Float32Array, 3);
        const triangles = arrays.get("triangles") as Uint32Array;
        const edges = arrays.get("edges") as Float32Array;
        for (const wall of head.walls) {
          const group = new Group();
          const [firstFace, lastFace] = wall.triangles;
          const [firstEdge, lastEdge] = wall.edges;
          if (lastFace > firstFace) {
            const faces = new BufferGeometry();
            faces.setAttribute("position", points);
            faces.setIndex(new BufferAttribute(triangles.subarray(3 * firstFace, 3 * lastFace), 1));
            const mesh = new Mesh(faces, this.faces);
            mesh.frustumCulled = false;
            mesh.renderOrder = 5;
            group.add(mesh);
          }
          if (lastEdge > firstEdge) {
            const lines = new BufferGeometry();
            lines.setAttribute("position", new BufferAttribute(edges.subarray(6 * firstEdge, 6 * lastEdge), 3));
            const segments = new LineSegments(lines, this.lines);
            segments.frustumCulled = false;
            group.add(segments);
          }
          this.object.add(group);
          this.walls.push(group);
        }
        this.endless = head.walls.map(({ endless }) => endless);
        this.onWalls();
      },
      () => {
        // They may be there a little later.
        setTimeout(() => (this.asked = false), 1500);
      },
    );
  }
}

