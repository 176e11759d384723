// Bodies that are no spheres: one mesh for each shape, drawn as often as there are bodies of it.

import {
  BufferAttribute,
  DoubleSide,
  DynamicDrawUsage,
  FrontSide,
  Group,
  InstancedBufferAttribute,
  InstancedBufferGeometry,
  Mesh,
  ShaderMaterial,
} from "three";
import type { Frame, Run, Still } from "../data/run";
import { BODY_VERTEX, CUT, LIGHT, type SharedUniforms } from "./shading";

const VERTEX = /* glsl */ `
  ${BODY_VERTEX}
  attribute vec3 from, to;
  attribute vec4 turnFrom, turnTo;
  attribute float value, number;
  varying vec3 normalSeen, placeSeen;
  varying float part, isPicked;
  vec3 turned(vec3 v, vec4 q) { return v + 2.0 * cross(q.xyz, cross(q.xyz, v) + q.w * v); }
  void main() {
    vec3 place = placeBetween(from, to);
    vec4 end = dot(turnFrom, turnTo) < 0.0 ? -turnTo : turnTo;
    vec4 q = normalize(mix(turnFrom, end, between));
    normalSeen = mat3(viewMatrix) * turned(normal, q);
    part = partOfScale(value);
    isPicked = abs(number - picked) < 0.5 ? 1.0 : 0.0;
    placeSeen = (viewMatrix * vec4(place + turned(position, q), 1.0)).xyz;
    gl_Position = projectionMatrix * vec4(placeSeen, 1.0);
  }
`;

const FRAGMENT = /* glsl */ `
  ${LIGHT}
  ${CUT}
  varying vec3 normalSeen, placeSeen;
  varying float part, isPicked;
  void main() {
    vec3 base = texture2D(scale, vec2(part, 0.5)).rgb;
    vec3 n = flat2d > 0.5 ? vec3(0.0, 0.0, 1.0) : normalize(normalSeen);
    if (cuts()) {
      vec4 plane = planeSeen();
      if (dot(plane.xyz, placeSeen) > plane.w) discard;
      // Where one looks into a body there is the face of the cut; it is before nothing that a body could hide.
      if (flat2d < 0.5 && !gl_FrontFacing) {
        gl_FragColor = bodyColour(base * INSIDE, plane.xyz, isPicked);
        return;
      }
    }
    if (flat2d > 0.5) {
      vec3 colour = mix(base, pickedColour, 0.75 * isPicked);
      gl_FragColor = vec4(shown(colour * 0.94), glass > 0.5 && isPicked < 0.5 ? 0.25 : 1.0);
      return;
    }
    gl_FragColor = bodyColour(base, gl_FrontFacing ? n : -n, isPicked);
  }
`;

/** The triangles of a solid, which picking uses as well. */
export interface SolidMesh {
  points: Float32Array;
  triangles: Uint32Array;
}

interface Shape {
  mesh: Mesh<InstancedBufferGeometry, ShaderMaterial>;
  capacity: number;
  /** Places among the bodies. */
  places: Uint32Array;
}

export class Solids {
  readonly object = new Group();
  readonly meshes = new Map<number, SolidMesh>();
  private shapes = new Map<number, Shape>();
  private asked = new Set<number>();
  private counted: Still | null = null;
  private byShape = new Map<number, Uint32Array>();
  private last: { frame: Frame; next: Frame | null; values: Float32Array | null } | null = null;
  private material: ShaderMaterial;

  /** `onShape` is called when a shape has come. */
  constructor(
    private readonly run: Run,
    shared: SharedUniforms,
    private readonly onShape: () => void,
  ) {
    const { flat, ...rest } = shared;
    this.material = new ShaderMaterial({
      vertexShader: VERTEX,
      fragmentShader: FRAGMENT,
      uniforms: { ...rest, flat2d: flat },
    });
  }

  show(frame: Frame, next: Frame | null, values: Float32Array | null): void {
    this.last = { frame, next, values };
    if (this.counted !== frame.still) this.count(frame.still);
    for (const [number, places] of this.byShape) {
      const shape = this.shapes.get(number);
      if (!shape) {
        this.fetch(number, frame.number);
        continue;
      }
      this.fill(shape, places, frame, next ?? frame, values);
    }
    for (const [number, shape] of this.shapes) shape.mesh.visible = this.byShape.has(number);
  }

  /** Glass or not, and whether one may see their insides. */
  appear(glass: boolean, cut: boolean): void {
    const { material } = this;
    const side = cut || this.run.about.dimension < 3 ? DoubleSide : FrontSide;
    if (material.transparent === glass && material.side === side) return;
    material.transparent = glass;
    material.depthWrite = !glass;
    material.side = side;
    material.needsUpdate = true;
  }

  private count(still: Still): void {
    this.counted = still;
    const found = new Map<number, number[]>();
    still.shape.forEach((shape, k) => {
      if (shape < 0) return;
      const list = found.get(shape);
      if (list) list.push(k);
      else found.set(shape, [k]);
    });
    this.byShape = new Map([...found].map(([shape, list]) => [shape, Uint32Array.from(list)]));
  }

  private fetch(number: number, frame: number): void {
    if (this.asked.has(number)) return;
    this.asked.add(number);
    this.run.client.solid(number, frame).then(
      ({ arrays }) => {
        const points = arrays.get("points") as Float32Array;
        const triangles = arrays.get("triangles") as Uint32Array;
        this.meshes.set(number, { points, triangles });
        const geometry = new InstancedBufferGeometry();
        geometry.setAttribute("position", new BufferAttribute(points, 3));
        geometry.setAttribute("normal", new BufferAttribute(arrays.get("normals") as Float32Array, 3));
        geometry.setIndex(new BufferAttribute(triangles, 1));
        const mesh = new Mesh(geometry, this.material);
        mesh.frustumCulled = false;
        this.object.add(mesh);
        this.shapes.set(number, { mesh, capacity: 0, places: new Uint32Array(0) });
        if (this.last) this.show(this.last.frame, this.last.next, this.last.values);
        this.onShape();
      },
      () => setTimeout(() => this.asked.delete(number), 1500),
    );
  }

  private fill(shape: Shape, places: Uint32Array, frame: Frame, next: Frame, values: Float32Array | null): void {
    const geometry = shape.mesh.geometry;
    if (places.length > shape.capacity) {
      shape.capacity = shape.capacity === 0 ? places.length : Math.ceil(places.length * 1.25);
      geometry.dispose();
      for (const name of ["from", "to"]) add(geometry, name, new Float32Array(3 * shape.capacity), 3);
      for (const name of ["turnFrom", "turnTo"]) add(geometry, name, new Int16Array(4 * shape.capacity), 4);
      for (const name of ["value", "number"]) add(geometry, name, new Float32Array(shape.capacity), 1);
    }
    shape.places = places;
    geometry.instanceCount = places.length;
    const data = (name: string) => geometry.getAttribute(name).array as Float32Array | Int16Array;
    const [from, to, turnFrom, turnTo] = [data("from"), data("to"), data("turnFrom"), data("turnTo")];
    const [value, number] = [data("value"), data("number")];
    places.forEach((place, k) => {
      for (let axis = 0; axis < 3; axis++) {
        from[3 * k + axis] = frame.position[3 * place + axis]!;
        to[3 * k + axis] = next.position[3 * place + axis]!;
      }
      for (let part = 0; part < 4; part++) {
        turnFrom[4 * k + part] = frame.orientation[4 * place + part]!;
        turnTo[4 * k + part] = next.orientation[4 * place + part]!;
      }
      if (values) value[k] = values[place]!;
      number[k] = place;
    });
    for (const name of Object.keys(geometry.attributes)) {
      if (name !== "position" && name !== "normal") geometry.getAttribute(name).needsUpdate = true;
    }
  }
}

function add(geometry: InstancedBufferGeometry, name: string, data: Float32Array | Int16Array, width: number): void {
  const attribute = new InstancedBufferAttribute(data, width, data instanceof Int16Array);
  geometry.setAttribute(name, attribute.setUsage(DynamicDrawUsage));
}
