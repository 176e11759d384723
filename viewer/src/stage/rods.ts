// Many straight pieces between two points: forces between bodies, arrows of velocities.

import {
  BufferAttribute,
  BufferGeometry,
  ConeGeometry,
  CylinderGeometry,
  DoubleSide,
  DynamicDrawUsage,
  InstancedBufferAttribute,
  InstancedBufferGeometry,
  Mesh,
  ShaderMaterial,
  Vector4,
} from "three";
import { CUT, LIGHT, type SharedUniforms } from "./shading";

const VERTEX = /* glsl */ `
  attribute vec3 start, end;
  attribute float thick, tint, lift;
  uniform vec2 tints;
  varying vec3 normalSeen, placeSeen;
  varying float part;
  void main() {
    vec3 way = end - start;
    float far = max(length(way), 1e-30);
    vec3 w = way / far;
    vec3 u = normalize(abs(w.z) < 0.9 ? cross(vec3(0.0, 0.0, 1.0), w) : cross(vec3(1.0, 0.0, 0.0), w));
    vec3 v = cross(w, u);
    vec3 place = start + w * far * position.y + thick * (position.x * u + position.z * v);
    normalSeen = mat3(viewMatrix) * (normal.x * u + normal.z * v + normal.y * w);
    part = clamp((tint - tints.x) / max(tints.y - tints.x, 1e-30), 0.0, 1.0);
    placeSeen = (viewMatrix * vec4(place, 1.0)).xyz;
    gl_Position = projectionMatrix * vec4(placeSeen, 1.0);
    // Where it is, but as if it were right before what it begins in, though it led away: behind what is before that.
    if (lift > 0.0) {
      float near = max(placeSeen.z, (viewMatrix * vec4(start, 1.0)).z) + lift;
      vec4 lifted = projectionMatrix * vec4(placeSeen.xy, near, 1.0);
      if (lifted.w > 0.0) gl_Position.z = lifted.z / lifted.w * gl_Position.w;
    }
  }
`;

const FRAGMENT = /* glsl */ `
  ${LIGHT}
  ${CUT}
  uniform sampler2D strip;
  varying vec3 normalSeen, placeSeen;
  varying float part;
  void main() {
    vec3 base = texture2D(strip, vec2(part, 0.5)).rgb;
    vec3 n = normalize(normalSeen);
    if (cuts()) {
      vec4 plane = planeSeen();
      if (dot(plane.xyz, placeSeen) > plane.w) discard;
      // What is seen from within stands for the face of the cut.
      if (!gl_FrontFacing) { n = plane.xyz; base *= INSIDE; }
    }
    // Lines are to be read: they are brighter than bodies of their colour.
    gl_FragColor = vec4(shown(mix(base, lit(base, n), 0.72)), 1.0);
  }
`;

/** From 0 to 1 along y, of radius 1. */
function rod(): BufferGeometry {
  return new CylinderGeometry(1, 1, 1, 7, 1).translate(0, 0.5, 0).toNonIndexed();
}

/** The same with a head; the shaft is thinner. */
function arrow(): BufferGeometry {
  const shaft = new CylinderGeometry(0.42, 0.42, 0.7, 6, 1).translate(0, 0.35, 0).toNonIndexed();
  const head = new ConeGeometry(1, 0.32, 8, 1).translate(0, 0.84, 0).toNonIndexed();
  const joined = new BufferGeometry();
  for (const name of ["position", "normal"]) {
    const [a, b] = [shaft.getAttribute(name), head.getAttribute(name)];
    const data = new Float32Array([...(a.array as Float32Array), ...(b.array as Float32Array)]);
    joined.setAttribute(name, new BufferAttribute(data, 3));
  }
  return joined;
}

/** What is known of each, and how many numbers that is. */
const WIDTHS = [["start", 3], ["end", 3], ["thick", 1], ["tint", 1], ["lift", 1]] as const;

export class Rods {
  readonly object: Mesh<InstancedBufferGeometry, ShaderMaterial>;
  private capacity = 0;
  private count = 0;

  constructor(kind: "rod" | "arrow", shared: SharedUniforms, strip: { value: unknown }) {
    const shape = kind === "rod" ? rod() : arrow();
    const geometry = new InstancedBufferGeometry();
    geometry.setAttribute("position", shape.getAttribute("position"));
    geometry.setAttribute("normal", shape.getAttribute("normal"));
    const uniforms = {
      strip,
      scale: shared.scale,
      tints: { value: [0, 1] },
      glass: { value: 0 },
      flat2d: shared.flat,
      pickedColour: shared.pickedColour,
      // An arrow is as long as its body is fast: it is there as a whole or not at all.
      clip: kind === "rod" ? shared.clip : { value: new Vector4(0, 0, 0, 0) },
    };
    const material = new ShaderMaterial({ vertexShader: VERTEX, fragmentShader: FRAGMENT, uniforms, side: DoubleSide });
    this.object = new Mesh(geometry, material);
    this.object.frustumCulled = false;
    this.object.visible = false;
  }

  /** Begins a new list of at most so many. */
  begin(most: number): void {
    this.count = 0;
    if (most <= this.capacity) return;
    this.capacity = most;
    const geometry = this.object.geometry;
    geometry.dispose();
    for (const [name, width] of WIDTHS) {
      const attribute = new InstancedBufferAttribute(new Float32Array(most * width), width);
      geometry.setAttribute(name, attribute.setUsage(DynamicDrawUsage));
    }
  }

  /** From a point to another; `lift` is how far before the first it is drawn at least, m, or 0 for where it is. */
  add(x: number, y: number, z: number, ex: number, ey: number, ez: number, thick: number, tint: number, lift = 0): void {
    if (this.count >= this.capacity) return;
    const data = (name: string) => this.object.geometry.getAttribute(name).array as Float32Array;
    const k = this.count++;
    data("start").set([x, y, z], 3 * k);
    data("end").set([ex, ey, ez], 3 * k);
    data("thick")[k] = thick;
    data("tint")[k] = tint;
    data("lift")[k] = lift;
  }

  end(lowest: number, highest: number): void {
    const geometry = this.object.geometry;
    geometry.instanceCount = this.count;
    this.object.visible = this.count > 0;
    this.object.material.uniforms["tints"]!.value = [lowest, highest];
    for (const [name] of WIDTHS) {
      const attribute = geometry.getAttribute(name);
      if (attribute) attribute.needsUpdate = true;
    }
  }
}
