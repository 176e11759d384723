// Spheres without triangles: squares that face the viewer, whose pixels find the sphere by themselves.
//
// Three ways to draw them. Near the viewer each sphere is a square that holds its outline, and each pixel finds its depth on
// the sphere, so that spheres meet in the right curves. Where spheres are a few pixels wide that costs more than it
// shows: then each is a point. Where there is no graphics card these are not given to what stands for it, but put into a
// picture here (`splats.ts`).

import {
  BufferAttribute,
  BufferGeometry,
  type Camera,
  DoubleSide,
  DynamicDrawUsage,
  InstancedBufferAttribute,
  InstancedBufferGeometry,
  Matrix4,
  Mesh,
  type Object3D,
  Points,
  ShaderMaterial,
  Group,
} from "three";
import type { Frame, Still } from "../data/run";
import { BODY_VERTEX, CUT, LIGHT, type SharedUniforms } from "./shading";
import { Splats } from "./splats";

/** Spheres of fewer pixels across than this are points; where a program draws instead of a graphics card, of more. */
const FEW_PIXELS = 14;
const FEW_IF_SLOW = 36;
/** Below so many spheres that saves nothing. */
const MANY = 4000;

const NEAR_VERTEX = /* glsl */ `
  ${BODY_VERTEX}
  uniform float parallel, flat2d;
  attribute vec3 from, to;
  attribute float radius, value, number;
  attribute vec4 turn;
  varying vec3 centre, ray;
  varying vec4 turned;
  varying float r, part, isPicked;
  void main() {
    vec3 place = placeBetween(from, to);
    if (isCut(place, radius) || radius <= 0.0) { gl_Position = vec4(2.0, 2.0, 2.0, 1.0); return; }
    centre = (viewMatrix * vec4(place, 1.0)).xyz;
    r = radius;
    part = partOfScale(value);
    turned = turn;
    isPicked = abs(number - picked) < 0.5 ? 1.0 : 0.0;
    vec3 corner;
    if (parallel > 0.5) {
      corner = centre + vec3(position.xy * r, flat2d > 0.5 ? 0.0 : r);
      ray = corner;
    } else {
      // A square across the line of sight that the cone around the sphere fits into.
      float d = length(centre);
      vec3 w = centre / d;
      vec3 u = normalize(abs(w.y) < 0.9 ? cross(vec3(0.0, 1.0, 0.0), w) : cross(vec3(1.0, 0.0, 0.0), w));
      vec3 v = cross(w, u);
      float s = r * d / sqrt(max(d * d - r * r, 1e-4 * d * d));
      corner = centre + s * (position.x * u + position.y * v);
      ray = corner;
    }
    gl_Position = projectionMatrix * vec4(corner, 1.0);
  }
`;

const NEAR_FRAGMENT = /* glsl */ `
  ${LIGHT}
  ${CUT}
  uniform float parallel, band;
  uniform mat4 projectionMatrix;
  uniform mat3 toWorld;
  varying vec3 centre, ray;
  varying vec4 turned;
  varying float r, part, isPicked;
  // Turns back into the frame of the body.
  vec3 turnedBack(vec3 v, vec4 q) { return v + 2.0 * cross(cross(v, q.xyz) + q.w * v, q.xyz); }
  void main() {
    vec3 base = texture2D(scale, vec2(part, 0.5)).rgb;
    vec4 plane = cuts() ? planeSeen() : vec4(0.0);
    if (flat2d > 0.5) {
      if (dot(plane.xyz, ray) > plane.w) discard;
      vec2 d = (ray.xy - centre.xy) / r;
      float far = dot(d, d);
      if (far > 1.0) discard;
      vec3 colour = mix(base, pickedColour, 0.75 * isPicked);
      // A darker rim, and a line that turns with the disk.
      vec3 own = turnedBack(vec3(d, 0.0), normalize(turned));
      float line = band > 0.5 && own.x > 0.0 && abs(own.y) < 0.05 ? 1.0 : 0.0;
      float dark = max(smoothstep(0.74, 0.86, far) * 0.35, 0.35 * line);
      gl_FragColor = vec4(shown(colour * (1.0 - dark)), glass > 0.5 && isPicked < 0.5 ? 0.25 : 1.0);
      gl_FragDepth = gl_FragCoord.z;
      return;
    }
    vec3 start = parallel > 0.5 ? ray : vec3(0.0);
    vec3 way = parallel > 0.5 ? vec3(0.0, 0.0, -1.0) : normalize(ray);
    vec3 c = centre - start;
    float along = dot(c, way);
    vec3 off = c - along * way;
    float inside = r * r - dot(off, off);
    if (inside < 0.0) discard;
    float root = sqrt(inside), first = along - root;
    // What is left of the ray goes to the plane, or begins there.
    float speed = dot(plane.xyz, way), room = plane.w - dot(plane.xyz, start);
    if (speed >= 0.0 && first * speed > room) discard;
    bool isInside = speed < 0.0 && first * speed > room;
    if (isInside) first = room / speed;
    if (first > along + root) discard;
    vec3 hit = start + first * way;
    vec3 n = isInside ? plane.xyz : (hit - centre) / r;
    if (isInside) base *= INSIDE;
    else if (band > 0.5) {
      vec3 own = turnedBack(toWorld * n, normalize(turned));
      base *= abs(own.z) < 0.16 || (own.x > 0.93) ? 0.62 : 1.0;
    }
    // The normal as the viewer sees it there, so that the rim is where the sphere turns away.
    vec3 towards = parallel > 0.5 ? n : normalize(n - (dot(n, way) + abs(dot(n, way))) * way);
    gl_FragColor = bodyColour(base, towards, isPicked);
    vec4 clipped = projectionMatrix * vec4(hit, 1.0);
    gl_FragDepth = 0.5 + 0.5 * clipped.z / clipped.w;
  }
`;

const FAR_VERTEX = /* glsl */ `
  ${BODY_VERTEX}
  uniform float parallel, height;
  attribute vec3 from, to;
  attribute float radius, value, number;
  varying vec3 colour, centre;
  varying float isPicked, r;
  uniform sampler2D scale;
  void main() {
    vec3 place = placeBetween(from, to);
    if (isCut(place, radius) || radius <= 0.0) { gl_Position = vec4(2.0, 2.0, 2.0, 1.0); gl_PointSize = 0.0; return; }
    vec4 seen = viewMatrix * vec4(place, 1.0);
    centre = seen.xyz;
    r = radius;
    // The nearest point of the sphere, so that neighbours overlap as they should.
    gl_Position = projectionMatrix * seen;
    float across = radius * projectionMatrix[1][1] * height / gl_Position.w;
    gl_PointSize = max(across, 1.0);
    colour = texture2D(scale, vec2(partOfScale(value), 0.5)).rgb;
    isPicked = abs(number - picked) < 0.5 ? 1.0 : 0.0;
  }
`;

const FAR_FRAGMENT = /* glsl */ `
  ${LIGHT}
  ${CUT}
  varying vec3 colour, centre;
  varying float isPicked, r;
  void main() {
    vec2 d = gl_PointCoord * 2.0 - 1.0;
    float far = dot(d, d);
    if (far > 1.0) discard;
    vec3 n = vec3(d.x, -d.y, sqrt(1.0 - far));
    vec3 base = mix(colour, pickedColour, 0.75 * isPicked);
    if (cuts()) {
      // As if all rays were parallel, which for so few pixels they are.
      vec4 plane = planeSeen();
      float room = (plane.w - dot(plane.xyz, centre)) / r - dot(plane.xy, n.xy);
      if (plane.z * n.z > room) {
        if (plane.z <= 0.0 || room < -plane.z * n.z) discard;
        n = plane.xyz;
        base *= INSIDE;
      }
    }
    // Cheaper light than that of large spheres, of the same look.
    float key = max(dot(n, vec3(-0.41, 0.57, 0.71)), 0.0);
    float rim = 1.0 - n.z;
    vec3 c = base * (0.24 + 0.07 * n.y + 0.78 * key) * (1.0 - 0.42 * rim * rim * rim);
    gl_FragColor = vec4(sqrt(clamp(c, 0.0, 1.0)), glass > 0.5 && isPicked < 0.5 ? 0.08 : 1.0);
  }
`;

/** Who looks, and on what. */
export interface Seen {
  camera: Camera;
  /** Of what is drawn, pixels. */
  width: number;
  height: number;
  /** What a metre in the middle of the scene takes. */
  pixels: number;
  /** Whether a program draws. */
  slow: boolean;
}

function material(shared: SharedUniforms, vertexShader: string, fragmentShader: string): ShaderMaterial {
  const { flat, ...rest } = shared;
  return new ShaderMaterial({
    vertexShader,
    fragmentShader,
    uniforms: { ...rest, flat2d: flat, toWorld: { value: null } },
    side: DoubleSide,
  });
}

export class Spheres {
  readonly object = new Group();
  private near: Mesh<InstancedBufferGeometry, ShaderMaterial>;
  private far: Points<BufferGeometry, ShaderMaterial>;
  private capacity = 0;
  private count = 0;
  /** Metres. */
  private meanRadius = 0;
  private splats: Splats;
  /** Whether the blocks of `splats` are of other bodies. */
  private moved = true;
  private still: Still | null = null;
  /** Whose blocks those of `splats` are. */
  private blocksOf: Still | null = null;

  constructor(private readonly shared: SharedUniforms) {
    const geometry = new InstancedBufferGeometry();
    const square = new Float32Array([-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0]);
    geometry.setAttribute("position", new BufferAttribute(square, 3));
    geometry.setIndex([0, 1, 2, 0, 2, 3]);
    this.near = new Mesh(geometry, material(shared, NEAR_VERTEX, NEAR_FRAGMENT));
    this.far = new Points(new BufferGeometry(), material(shared, FAR_VERTEX, FAR_FRAGMENT));
    this.splats = new Splats(shared);
    for (const object of [this.near, this.far, this.splats.object] as Object3D[]) {
      object.frustumCulled = false;
      this.object.add(object);
    }
  }

  /** Takes the bodies of a frame and, if they are the same, of the next. */
  show(frame: Frame, next: Frame | null): void {
    const { still, count } = frame;
    this.reserve(count);
    this.still = still;
    let spheres = 0;
    let sum = 0;
    const [from, to, radius, turn] = [this.data("from"), this.data("to"), this.data("radius"), this.turns()];
    const target = next ?? frame;
    for (let k = 0; k < count; k++) {
      const isSphere = still.shape[k] === -1;
      radius[k] = isSphere ? still.radius[k]! : 0;
      if (isSphere) {
        spheres += 1;
        sum += still.radius[k]!;
      }
    }
    from.set(frame.position);
    to.set(target.position);
    turn.set(frame.orientation);
    this.count = spheres > 0 ? count : 0;
    this.meanRadius = spheres > 0 ? sum / spheres : 0;
    this.near.geometry.instanceCount = this.count;
    this.far.geometry.setDrawRange(0, this.count);
    this.moved = true;
    this.changed("from", "to", "radius", "turn");
  }

  /** A number for the colour of each body. */
  colour(values: Float32Array): void {
    const own = this.data("value");
    own.set(values.subarray(0, own.length));
    this.changed("value");
  }

  /** Chooses how to draw for a view. */
  prepare(seen: Seen): void {
    const glass = this.shared.glass.value > 0.5;
    const flat = this.shared.flat.value > 0.5;
    const few = seen.slow ? FEW_IF_SLOW : FEW_PIXELS;
    const far = !flat && this.count >= MANY && 2 * this.meanRadius * seen.pixels < few && !glass;
    this.near.visible = !far && this.count > 0;
    this.far.visible = far && !seen.slow;
    this.splats.object.visible = far && seen.slow;
    this.near.material.uniforms["toWorld"]!.value = toWorld(seen.camera.matrixWorldInverse);
    for (const { material } of [this.near, this.far]) {
      if (material.transparent !== glass) {
        material.transparent = glass;
        material.depthWrite = !glass;
        material.needsUpdate = true;
      }
    }
    if (this.splats.object.visible) this.splat(seen);
  }

  private splat(seen: Seen): void {
    if (this.moved) {
      const [from, to, radius] = [this.data("from"), this.data("to"), this.data("radius")];
      this.splats.show({ count: this.count, from, to, radius }, this.still === this.blocksOf);
      this.blocksOf = this.still;
      this.moved = false;
    }
    this.splats.draw(seen.camera, seen.width, seen.height, this.data("value"));
  }

  private reserve(count: number): void {
    if (count <= this.capacity) return;
    // Bodies that come in do not each take a new buffer.
    this.capacity = this.capacity === 0 ? count : Math.ceil(count * 1.25);
    const sizes: [string, number][] = [["from", 3], ["to", 3], ["radius", 1], ["value", 1], ["number", 1]];
    this.near.geometry.dispose();
    this.far.geometry.dispose();
    for (const [name, width] of sizes) {
      const data = new Float32Array(this.capacity * width);
      if (name === "number") data.forEach((_, k) => (data[k] = k));
      const near = new InstancedBufferAttribute(data, width);
      const far = new BufferAttribute(data, width);
      near.setUsage(DynamicDrawUsage);
      far.setUsage(DynamicDrawUsage);
      this.near.geometry.setAttribute(name, near);
      this.far.geometry.setAttribute(name, far);
    }
    const turn = new InstancedBufferAttribute(new Int16Array(this.capacity * 4), 4, true);
    this.near.geometry.setAttribute("turn", turn.setUsage(DynamicDrawUsage));
    // Three draws points by their number of places.
    this.far.geometry.setAttribute("position", this.far.geometry.getAttribute("from"));
  }

  private data(name: string): Float32Array {
    return this.near.geometry.getAttribute(name).array as Float32Array;
  }

  private turns(): Int16Array {
    return this.near.geometry.getAttribute("turn").array as Int16Array;
  }

  private changed(...names: string[]): void {
    for (const name of names) {
      this.near.geometry.getAttribute(name).needsUpdate = true;
      const far = this.far.geometry.getAttribute(name);
      if (far) far.needsUpdate = true;
    }
  }
}

/** The turn from what the viewer sees to the world, column by column. */
function toWorld(view: Matrix4): number[] {
  const e = view.elements;
  return [e[0]!, e[4]!, e[8]!, e[1]!, e[5]!, e[9]!, e[2]!, e[6]!, e[10]!];
}
