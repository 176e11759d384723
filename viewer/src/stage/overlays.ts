// What is drawn of a frame besides bodies and walls: forces, velocities, ways, joints, the periodic cell.

import {
  BoxGeometry,
  BufferAttribute,
  BufferGeometry,
  Color,
  CylinderGeometry,
  Group,
  Line,
  LineBasicMaterial,
  LineSegments,
  Mesh,
  MeshBasicMaterial,
  type Object3D,
  Quaternion,
  SphereGeometry,
  Vector3,
  type Vector4,
} from "three";
import type { Contacts, Frame, Run } from "../data/run";
import type { JointEntry, Vector } from "../net/client";
import { Rods } from "./rods";

/** Forces and arrows that are drawn at once; of more, the largest or a part. */
const MOST_FORCES = 40_000;
const MOST_ARROWS = 12_000;

/** The tubes that show the forces of contacts: their mean, how many they are, and what the end of their scale stands for, N. */
export function showForces(
  rods: Rods,
  frame: Frame,
  contacts: Contacts,
  options: { least: number; thick: number; reference: number | null },
): { mean: number; shown: number; most: number } {
  const count = contacts.a.length;
  const size = new Float32Array(count);
  let mean = 0;
  for (let k = 0; k < count; k++) {
    size[k] = Math.hypot(contacts.force[3 * k]!, contacts.force[3 * k + 1]!, contacts.force[3 * k + 2]!);
    mean += size[k]! / count;
  }
  let least = options.least * mean;
  let chosen = 0;
  for (let k = 0; k < count; k++) if (size[k]! >= least) chosen += 1;
  if (chosen > MOST_FORCES) {
    least = Float32Array.from(size).sort()[count - MOST_FORCES]!;
    chosen = MOST_FORCES;
  }
  rods.begin(chosen);
  const { place, radius } = frame.still;
  const reference = options.reference ?? mean;
  const centre = (at: number, axis: number) => frame.position[3 * at + axis]!;
  for (let k = 0; k < count; k++) {
    if (size[k]! < least || size[k] === 0) continue;
    const [x, y, z] = [contacts.point[3 * k]!, contacts.point[3 * k + 1]!, contacts.point[3 * k + 2]!];
    const [a, b] = [place.get(contacts.a[k]!), place.get(contacts.b[k]!)];
    // A centre that is far from the point is that of a body on the other side of a periodic cell.
    const near = (at: number | undefined) =>
      at !== undefined && Math.hypot(centre(at, 0) - x, centre(at, 1) - y, centre(at, 2) - z) < 2.5 * radius[at]!;
    const end = (at: number | undefined): [number, number, number] =>
      near(at) ? [centre(at!, 0), centre(at!, 1), centre(at!, 2)] : [x, y, z];
    const [from, to] = [end(a), end(b)];
    const smaller = Math.min(...[a, b].map((at) => (at === undefined ? Infinity : radius[at]!)));
    const part = Math.min(Math.sqrt(size[k]! / Math.max(4 * reference, 1e-300)), 1.6);
    rods.add(...from, ...to, 0.34 * options.thick * smaller * part, size[k]!);
  }
  rods.end(0, 4 * reference);
  return { mean, shown: chosen, most: 4 * reference };
}

/** Velocities as arrows; the fastest are as long as a part of the scene. */
export function showArrows(rods: Rods, frame: Frame, clip: Vector4, length: number, fastest: number): void {
  const step = Math.max(1, Math.ceil(frame.own / MOST_ARROWS));
  rods.begin(Math.ceil(frame.own / step));
  for (let k = 0; k < frame.own; k += step) {
    const [x, y, z] = [frame.position[3 * k]!, frame.position[3 * k + 1]!, frame.position[3 * k + 2]!];
    if (clip.x * x + clip.y * y + clip.z * z > clip.w || frame.still.shape[k] === -2) continue;
    const [u, v, w] = [frame.velocity[3 * k]!, frame.velocity[3 * k + 1]!, frame.velocity[3 * k + 2]!];
    const speed = Math.hypot(u, v, w);
    if (!(speed > 1e-3 * fastest)) continue;
    const scale = length / fastest;
    const thick = Math.min(0.09 * scale * speed, 0.3 * frame.still.radius[k]!);
    rods.add(x, y, z, x + scale * u, y + scale * v, z + scale * w, thick, speed, 1.1 * frame.still.radius[k]!);
  }
  rods.end(0, fastest);
}

/** The ways of picked bodies, fetched piece by piece. */
export class Trails {
  readonly object = new Group();
  private trails = new Map<number, { line: Line; places: (Vector | null)[]; busy: boolean }>();

  constructor(
    private readonly run: Run,
    private readonly onPiece: () => void,
  ) {}

  has(id: number): boolean {
    return this.trails.has(id);
  }

  toggle(id: number, colour: string): boolean {
    const found = this.trails.get(id);
    if (found) {
      this.object.remove(found.line);
      this.trails.delete(id);
      return false;
    }
    const line = new Line(new BufferGeometry(), new LineBasicMaterial({ color: new Color(colour), depthTest: false }));
    line.frustumCulled = false;
    line.renderOrder = 20;
    this.object.add(line);
    this.trails.set(id, { line, places: [], busy: false });
    return true;
  }

  clear(): void {
    this.trails.clear();
    this.object.clear();
  }

  /** Fetches on where something is missing, and draws up to a frame. */
  update(frame: Frame): void {
    for (const [id, trail] of this.trails) {
      if (!trail.busy && trail.places.length < this.run.times.length) {
        trail.busy = true;
        const from = trail.places.length;
        this.run.client.trail(id, from, from + 16).then(
          ({ places }) => {
            trail.places.push(...places);
            trail.busy = places.length === 0;
            this.onPiece();
          },
          () => {
            trail.busy = false;
          },
        );
      }
      const far = 0.4 * Math.hypot(...frame.bounds[1].map((high, axis) => high - frame.bounds[0][axis]!));
      const points: number[] = [];
      for (const place of trail.places.slice(0, frame.number + 1)) {
        if (!place) continue;
        const own = place.map((x, axis) => x - frame.origin[axis]!);
        const before = points.slice(-3);
        // Through the face of a periodic cell.
        const jumps = frame.cell && before.length > 0 && Math.hypot(...own.map((x, k) => x - before[k]!)) > far;
        if (jumps) points.length = 0;
        points.push(...own);
      }
      trail.line.geometry.dispose();
      trail.line.geometry = new BufferGeometry();
      trail.line.geometry.setAttribute("position", new BufferAttribute(new Float32Array(points), 3));
    }
  }
}

/** Signs for joints: balls for what turns freely, pins along the axis of hinges, rails for what slides, lines for links. */
export class Joints {
  readonly object = new Group();
  private signs: { joint: JointEntry; sign: Object3D; line: Line | null }[] = [];

  private material = new MeshBasicMaterial({ depthTest: false, transparent: true, opacity: 0.9 });
  private lines = new LineBasicMaterial({ depthTest: false });

  constructor(joints: JointEntry[]) {
    const { material, lines } = this;
    for (const joint of joints) {
      const sign = new Mesh(shapeOf(joint.kind), material);
      sign.renderOrder = 15;
      this.object.add(sign);
      const spans = joint.kind === "distance" || joint.kind === "link";
      const line = spans ? new Line(new BufferGeometry(), lines) : null;
      if (line) {
        line.frustumCulled = false;
        line.renderOrder = 15;
        this.object.add(line);
      }
      this.signs.push({ joint, sign, line });
    }
  }

  show(frame: Frame, size: number, colour: string): void {
    for (const material of [this.material, this.lines]) material.color = new Color(colour);
    const turn = new Quaternion();
    for (const { joint, sign, line } of this.signs) {
      const end = (k: 0 | 1): { place: Vector3; axis: Vector3 } | null => {
        const place = new Vector3(...joint.places[k]);
        const axis = new Vector3(...joint.axes[k]);
        const body = joint.bodies[k];
        if (body === null) return { place: place.sub(new Vector3(...frame.origin)), axis };
        const at = frame.still.place.get(body);
        if (at === undefined) return null;
        turn.fromArray([...frame.orientation.subarray(4 * at, 4 * at + 4)].map((x) => x / 32767)).normalize();
        const centre = new Vector3().fromArray(frame.position, 3 * at);
        return { place: place.applyQuaternion(turn).add(centre), axis: axis.applyQuaternion(turn) };
      };
      const [a, b] = [end(0), end(1)];
      const at = b ?? a;
      sign.visible = at !== null;
      if (!at) continue;
      sign.position.copy(at.place);
      sign.quaternion.setFromUnitVectors(new Vector3(0, 1, 0), at.axis.normalize());
      sign.scale.setScalar(size);
      if (line && a && b) {
        line.geometry.dispose();
        line.geometry = new BufferGeometry().setFromPoints([a.place, b.place]);
      }
    }
  }
}

function shapeOf(kind: string): BufferGeometry {
  switch (kind) {
    case "hinge":
    case "cylindrical":
    case "gear":
      return new CylinderGeometry(0.45, 0.45, 2.2, 16);
    case "slider":
    case "point-on-line":
      return new BoxGeometry(0.6, 2.6, 0.6);
    case "fixed":
      return new BoxGeometry(1, 1, 1);
    default:
      return new SphereGeometry(0.7, 16, 12);
  }
}

/** The edges of a periodic cell. */
export class CellEdges {
  readonly object: LineSegments<BufferGeometry, LineBasicMaterial>;

  constructor() {
    this.object = new LineSegments(new BufferGeometry(), new LineBasicMaterial({ transparent: true, opacity: 0.7 }));
    this.object.frustumCulled = false;
  }

  show(frame: Frame, colour: string): void {
    this.object.visible = frame.cell !== null;
    if (!frame.cell) return;
    const points: number[] = [];
    for (let corner = 0; corner < 8; corner++) {
      for (let axis = 0; axis < 3; axis++) {
        const other = corner | (1 << axis);
        if (other !== corner) points.push(...frame.cell[corner]!, ...frame.cell[other]!);
      }
    }
    this.object.geometry.dispose();
    this.object.geometry = new BufferGeometry();
    this.object.geometry.setAttribute("position", new BufferAttribute(new Float32Array(points), 3));
    this.object.material.color = new Color(colour);
  }
}
