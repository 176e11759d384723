// Many spheres where a program draws instead of a graphics card: put into a picture one by one, which the card that is none
// then only has to light.
//
// Such a program takes a microsecond for each point before its first pixel, however small it is. Here a sphere is a handful
// of pixels with a depth each, and most are not even looked at: spheres are in blocks of neighbours, blocks are drawn from
// front to back, and one that lies behind what is drawn already is left out as a whole. What is known of that stands in tiles of the
// picture, each with its farthest depth, so that nothing that is seen is left out.

import {
  BufferAttribute,
  BufferGeometry,
  type Camera,
  DataTexture,
  FloatType,
  Matrix4,
  Mesh,
  NearestFilter,
  RedFormat,
  RGBAFormat,
  ShaderMaterial,
  Vector3,
} from "three";
import { INSIDE, type SharedUniforms } from "./shading";

/** Spheres of a block. */
const BLOCK = 64;
/** Pixels along a side of a tile. */
const TILE = 8;
/** Frames until spheres are sorted again. */
const SORTED = 12;
/** How often it is looked anew which tiles are covered. */
const LOOKS = 16;
/** Bits of an axis in the order of blocks. */
const BITS = 10;

const VERTEX = /* glsl */ `
  varying vec2 place;
  void main() {
    place = 0.5 + 0.5 * position.xy;
    gl_Position = vec4(position.xy, 0.0, 1.0);
  }
`;

const FRAGMENT = /* glsl */ `
  ${INSIDE}
  uniform sampler2D scale, picture, depths;
  uniform vec3 pickedColour;
  varying vec2 place;
  void main() {
    vec4 seen = texture2D(picture, place);
    if (seen.a == 0.0) discard;
    vec2 d = (seen.gb * 255.0 - 128.0) / 127.0;
    vec3 n = vec3(d, sqrt(max(1.0 - dot(d, d), 0.0)));
    // The light of points.
    vec3 base = mix(texture2D(scale, vec2(seen.r, 0.5)).rgb, pickedColour, seen.a < 0.75 ? 0.75 : 0.0);
    if (seen.a > 0.75 && seen.a < 0.9) base *= INSIDE;
    float key = max(dot(n, vec3(-0.41, 0.57, 0.71)), 0.0);
    float rim = 1.0 - n.z;
    vec3 c = base * (0.24 + 0.07 * n.y + 0.78 * key) * (1.0 - 0.42 * rim * rim * rim);
    gl_FragColor = vec4(sqrt(clamp(c, 0.0, 1.0)), 1.0);
    gl_FragDepth = texture2D(depths, place).r;
  }
`;

/** Spheres as they are given: those of radius 0 are not there. */
export interface Balls {
  count: number;
  from: Float32Array;
  to: Float32Array;
  radius: Float32Array;
}

export class Splats {
  readonly object: Mesh<BufferGeometry, ShaderMaterial>;

  /** The numbers of the spheres, block by block. */
  private order = new Uint32Array(0);
  private count = 0;
  /** How many frames of the same spheres were taken since the first. */
  private age = 0;
  /** Of each sphere, in that order: place, way to the next frame, radius. */
  private balls = new Float32Array(0);
  /** Of each block: the middle of its box, the way of that, and the radius of a ball around all of it on its way. */
  private blocks = new Float32Array(0);
  private width = 0;
  private height = 0;
  private pixels = new Uint32Array(0);
  private depth = new Float32Array(0);
  /** The farthest depth of each tile, and which have changed. */
  private far = new Float32Array(0);
  private stale = new Uint8Array(0);

  constructor(private readonly shared: SharedUniforms) {
    const geometry = new BufferGeometry();
    // One triangle that holds the whole view.
    geometry.setAttribute("position", new BufferAttribute(new Float32Array([-1, -1, 0, 3, -1, 0, -1, 3, 0]), 3));
    const uniforms = { scale: shared.scale, pickedColour: shared.pickedColour, picture: { value: null }, depths: { value: null } };
    this.object = new Mesh(geometry, new ShaderMaterial({ vertexShader: VERTEX, fragmentShader: FRAGMENT, uniforms }));
    this.object.frustumCulled = false;
  }

  /** Takes spheres and puts them into blocks; `same` says that only their places are others than before. */
  show({ count, from, to, radius }: Balls, same: boolean): void {
    const { jump } = this.shared;
    // Neighbours part slowly: their blocks are good for a while, and cost less than sorting.
    this.age = same ? this.age + 1 : 0;
    if (this.age % SORTED === 0) this.order = sorted(mortonKeys(from, count), radius, count);
    this.count = this.order.length;
    const blocks = Math.ceil(this.count / BLOCK);
    if (this.balls.length < 7 * this.count) this.balls = new Float32Array(7 * this.count);
    if (this.blocks.length < 7 * blocks) this.blocks = new Float32Array(7 * blocks);
    const { balls, order } = this;
    const far = jump.value * jump.value;
    for (let n = 0, at = 0; n < this.count; n++, at += 7) {
      const k = 3 * order[n]!;
      let [x, y, z] = [to[k]! - from[k]!, to[k + 1]! - from[k + 1]!, to[k + 2]! - from[k + 2]!];
      // It has come through the face of a periodic cell.
      if (x * x + y * y + z * z > far) x = y = z = 0;
      balls[at] = from[k]!;
      balls[at + 1] = from[k + 1]!;
      balls[at + 2] = from[k + 2]!;
      balls[at + 3] = x;
      balls[at + 4] = y;
      balls[at + 5] = z;
      balls[at + 6] = radius[order[n]!]!;
    }
    for (let block = 0; block < blocks; block++) this.bound(block);
  }

  private bound(block: number): void {
    const { balls } = this;
    const [start, end] = [7 * BLOCK * block, 7 * Math.min(BLOCK * (block + 1), this.count)];
    let square = 0;
    let most = 0;
    for (let axis = 0; axis < 3; axis++) {
      let [low, high, lowWay, highWay] = [Infinity, -Infinity, Infinity, -Infinity];
      for (let at = start; at < end; at += 7) {
        const [x, way] = [balls[at + axis]!, balls[at + axis + 3]!];
        if (x < low) low = x;
        if (x > high) high = x;
        if (way < lowWay) lowWay = way;
        if (way > highWay) highWay = way;
        if (balls[at + 6]! > most) most = balls[at + 6]!;
      }
      this.blocks[7 * block + axis] = (low + high) / 2;
      this.blocks[7 * block + 3 + axis] = (lowWay + highWay) / 2;
      square += ((high - low + highWay - lowWay) / 2) ** 2;
    }
    this.blocks[7 * block + 6] = Math.sqrt(square) + most;
  }

  /** Draws them as a camera sees them into so many pixels; `values` are of all bodies, by their numbers. */
  draw(camera: Camera, wide: number, high: number, values: Float32Array): void {
    this.resize(Math.max(1, Math.round(wide)), Math.max(1, Math.round(high)));
    this.pixels.fill(0);
    this.depth.fill(1);
    this.far.fill(1);
    this.stale.fill(0);
    const view = new Matrix4().multiplyMatrices(camera.projectionMatrix, camera.matrixWorldInverse).elements;
    const projection = camera.projectionMatrix.elements;
    const blocks = this.before(view, projection);
    const each = Math.max(1, Math.ceil(blocks.length / LOOKS));
    const inView = this.ballsOf(camera, view, values);
    blocks.forEach(({ block, near, box }, n) => {
      if (n % each === 0) this.look();
      if (!this.hides(near, box)) inView(block);
    });
    for (const name of ["picture", "depths"]) this.object.material.uniforms[name]!.value.needsUpdate = true;
  }

  /** Blocks that may be seen, from front to back, with their nearest depth and the box of pixels that they may cover. */
  private before(m: number[], projection: number[]): { block: number; near: number; box: Box }[] {
    const found: { block: number; near: number; box: Box }[] = [];
    const between = this.shared.between.value;
    const [halfWide, halfHigh] = [this.width / 2, this.height / 2];
    const [across, up, deeper, farther] = [projection[0]!, projection[5]!, projection[10]!, projection[11]!];
    const everywhere = { left: 0, right: this.width - 1, low: 0, top: this.height - 1 };
    for (let block = 0; block * BLOCK < this.count; block++) {
      const at = 7 * block;
      const [x, y, z] = [0, 1, 2].map((axis) => this.blocks[at + axis]! + between * this.blocks[at + 3 + axis]!) as [number, number, number];
      const r = this.blocks[at + 6]!;
      const depth = m[2]! * x + m[6]! * y + m[10]! * z + m[14]!;
      const w = m[3]! * x + m[7]! * y + m[11]! * z + m[15]!;
      // Its nearest point, in the direction of the view.
      const [nearDepth, nearW] = [depth + deeper * r, w + farther * r];
      if (nearW <= 1e-6) {
        // Around the eye, or behind it.
        if (w - farther * r > 0) found.push({ block, near: 0, box: everywhere });
        continue;
      }
      const px = (m[0]! * x + m[4]! * y + m[8]! * z + m[12]!);
      const py = (m[1]! * x + m[5]! * y + m[9]! * z + m[13]!);
      // Wide enough wherever in the block a point is.
      const spanned = (p: number, scale: number, half: number): [number, number] => {
        const ends = [(p - r * scale) / nearW, (p - r * scale) / (w - farther * r), (p + r * scale) / nearW, (p + r * scale) / (w - farther * r)];
        return [Math.floor((Math.min(...ends) + 1) * half), Math.ceil((Math.max(...ends) + 1) * half)];
      };
      const [left, right] = spanned(px, across, halfWide);
      const [low, top] = spanned(py, up, halfHigh);
      if (right < 0 || top < 0 || left >= this.width || low >= this.height) continue;
      const box = { left: Math.max(left, 0), right: Math.min(right, this.width - 1), low: Math.max(low, 0), top: Math.min(top, this.height - 1) };
      found.push({ block, near: 0.5 + (0.5 * nearDepth) / nearW, box });
    }
    return found.sort((a, b) => a.near - b.near);
  }

  /** Draws the spheres of a block. */
  private ballsOf(camera: Camera, m: number[], values: Float32Array): (block: number) => void {
    const { balls, order, shared, width, height, pixels, depth, stale, far } = this;
    const tiles = Math.ceil(width / TILE);
    const between = shared.between.value;
    const [m0, m1, m2, m3] = [m[0]!, m[1]!, m[2]!, m[3]!];
    const [m4, m5, m6, m7] = [m[4]!, m[5]!, m[6]!, m[7]!];
    const [m8, m9, m10, m11] = [m[8]!, m[9]!, m[10]!, m[11]!];
    const [m12, m13, m14, m15] = [m[12]!, m[13]!, m[14]!, m[15]!];
    const projection = camera.projectionMatrix.elements;
    const [up, deeper, farther] = [projection[5]!, projection[10]!, projection[11]!];
    const [halfWide, halfHigh] = [width / 2, height / 2];
    const { x: nx, y: ny, z: nz, w: end } = shared.clip.value;
    const cuts = nx !== 0 || ny !== 0 || nz !== 0;
    // The plane's normal as the viewer has it.
    const facing = new Vector3(nx, ny, nz).transformDirection(camera.matrixWorldInverse);
    const [fx, fy, fz] = [facing.x, facing.y, facing.z];
    const face = (((fx * 127 + 128) | 0) << 8) | (((fy * 127 + 128) | 0) << 16);
    const [least, most] = shared.range.value as [number, number];
    const [names, picked] = [shared.names.value, shared.picked.value];
    const factor = 255 / Math.max(most - least, 1e-30);
    return (block) => {
      const last = Math.min(BLOCK * (block + 1), this.count);
      for (let n = BLOCK * block, at = 7 * n; n < last; n++, at += 7) {
        const px = balls[at]! + between * balls[at + 3]!;
        const py = balls[at + 1]! + between * balls[at + 4]!;
        const pz = balls[at + 2]! + between * balls[at + 5]!;
        const size = balls[at + 6]!;
        // How far the plane is beyond its middle, in radii.
        const beyond = cuts ? (end - nx * px - ny * py - nz * pz) / size : 1;
        if (beyond <= -1) continue;
        const w = m3 * px + m7 * py + m11 * pz + m15;
        const nearW = w + farther * size;
        if (nearW <= 0) continue;
        const z = m2 * px + m6 * py + m10 * pz + m14;
        // Depths of its middle and of its nearest point.
        const middle = 0.5 + (0.5 * z) / w;
        const nearest = 0.5 + (0.5 * (z + deeper * size)) / nearW;
        if (nearest < 0) continue;
        const cx = ((m0 * px + m4 * py + m8 * pz + m12) / w + 1) * halfWide;
        const cy = ((m1 * px + m5 * py + m9 * pz + m13) / w + 1) * halfHigh;
        // What is smaller than a pixel is one, where it is.
        const r = Math.max((size * up * halfHigh) / w, 0.71);
        const low = Math.max(Math.ceil(cy - r - 0.5), 0);
        const top = Math.min(Math.floor(cy + r - 0.5), height - 1);
        const [left, right] = [Math.max(Math.floor(cx - r), 0), Math.min(Math.floor(cx + r), width - 1)];
        if (low > top || left > right) continue;
        let hidden = true;
        for (let v = (low / TILE) | 0; v <= ((top / TILE) | 0) && hidden; v++) {
          for (let u = (left / TILE) | 0; u <= ((right / TILE) | 0); u++) {
            if (nearest < far[v * tiles + u]!) {
              hidden = false;
              break;
            }
          }
        }
        if (hidden) continue;
        const body = order[n]!;
        const value = values[body]!;
        const part = names > 0 ? (((value % names) + 0.5) / names) * 255 : (value - least) * factor;
        // A byte each: the part of the scale, the normal to the right and up, and what it is.
        const scaled = Math.min(Math.max(part, 0), 255);
        const paint = scaled | (body === picked ? 0x80000000 : 0xff000000);
        const inside = scaled | (body === picked ? 0x80000000 : 0xd0000000) | face;
        const [inverse, rise] = [1 / r, nearest - middle];
        for (let row = low; row <= top; row++) {
          const v = (row + 0.5 - cy) * inverse;
          const square = 1 - v * v;
          if (square <= 0) continue;
          const half = Math.sqrt(square) * r;
          const stop = Math.min(Math.floor(cx + half - 0.5), width - 1);
          const shaded = paint | (((v * 127 + 128) | 0) << 16);
          for (let column = Math.max(Math.ceil(cx - half - 0.5), 0), place = row * width + column; column <= stop; column++, place++) {
            const u = (column + 0.5 - cx) * inverse;
            let front = Math.sqrt(Math.max(square - u * u, 0));
            let seen = shaded | (((u * 127 + 128) | 0) << 8);
            if (beyond < 1) {
              const room = beyond - fx * u - fy * v;
              if (fz * front > room) {
                if (fz <= 0 || room < -fz * front) continue;
                front = room / fz;
                seen = inside;
              }
            }
            const own = middle + rise * front;
            if (own >= depth[place]!) continue;
            depth[place] = own;
            pixels[place] = seen;
          }
        }
        for (let v = (low / TILE) | 0; v <= ((top / TILE) | 0); v++) {
          stale.fill(1, v * tiles + ((left / TILE) | 0), v * tiles + ((right / TILE) | 0) + 1);
        }
      }
    };
  }

  /** Whether all of a box of pixels is nearer than a depth already. */
  private hides(near: number, { left, right, low, top }: Box): boolean {
    const tiles = Math.ceil(this.width / TILE);
    for (let v = (low / TILE) | 0; v <= ((top / TILE) | 0); v++) {
      for (let u = (left / TILE) | 0; u <= ((right / TILE) | 0); u++) {
        if (near < this.far[v * tiles + u]!) return false;
      }
    }
    return true;
  }

  /** Finds the farthest depths of the tiles that have changed. */
  private look(): void {
    const { width, height, depth, far, stale } = this;
    const tiles = Math.ceil(width / TILE);
    for (let tile = 0; tile < stale.length; tile++) {
      if (stale[tile] === 0) continue;
      stale[tile] = 0;
      const [x, y] = [(tile % tiles) * TILE, ((tile / tiles) | 0) * TILE];
      const [right, top] = [Math.min(x + TILE, width), Math.min(y + TILE, height)];
      let most = 0;
      for (let row = y; row < top && most < 1; row++) {
        for (let place = row * width + x; place < row * width + right; place++) {
          if (depth[place]! > most) most = depth[place]!;
        }
      }
      far[tile] = most;
    }
  }

  private resize(width: number, height: number): void {
    if (width === this.width && height === this.height) return;
    [this.width, this.height] = [width, height];
    const bytes = new Uint8Array(4 * width * height);
    this.pixels = new Uint32Array(bytes.buffer);
    this.depth = new Float32Array(width * height);
    const tiles = Math.ceil(width / TILE) * Math.ceil(height / TILE);
    this.far = new Float32Array(tiles);
    this.stale = new Uint8Array(tiles);
    const { picture, depths } = this.object.material.uniforms as Record<string, { value: DataTexture | null }>;
    picture!.value?.dispose();
    depths!.value?.dispose();
    picture!.value = new DataTexture(bytes, width, height, RGBAFormat);
    depths!.value = new DataTexture(this.depth, width, height, RedFormat, FloatType);
    for (const { value } of [picture!, depths!]) value!.minFilter = value!.magFilter = NearestFilter;
  }
}

/** Pixels, with both ends. */
interface Box {
  left: number;
  right: number;
  low: number;
  top: number;
}

/** Numbers whose order keeps neighbours in space together. */
function mortonKeys(places: Float32Array, count: number): Uint32Array {
  const keys = new Uint32Array(count);
  for (let axis = 0; axis < 3; axis++) {
    let [low, high] = [Infinity, -Infinity];
    for (let k = axis; k < 3 * count; k += 3) {
      if (places[k]! < low) low = places[k]!;
      if (places[k]! > high) high = places[k]!;
    }
    const factor = ((1 << BITS) - 1) / Math.max(high - low, 1e-30);
    for (let k = 0, at = axis; k < count; k++, at += 3) {
      let bits = ((places[at]! - low) * factor) | 0;
      // Two zeros between each two bits.
      bits = (bits | (bits << 16)) & 0x30000ff;
      bits = (bits | (bits << 8)) & 0x300f00f;
      bits = (bits | (bits << 4)) & 0x30c30c3;
      bits = (bits | (bits << 2)) & 0x9249249;
      keys[k]! |= bits << axis;
    }
  }
  return keys;
}

/** The numbers of those that are there, by their keys. */
function sorted(keys: Uint32Array, radius: Float32Array, count: number): Uint32Array<ArrayBuffer> {
  let there = 0;
  let now = new Uint32Array(count);
  for (let k = 0; k < count; k++) if (radius[k]! > 0) now[there++] = k;
  now = now.subarray(0, there);
  let then = new Uint32Array(there);
  const starts = new Uint32Array(1 << BITS);
  for (let shift = 0; shift < 3 * BITS; shift += BITS) {
    const digit = (k: number) => (keys[k]! >>> shift) & ((1 << BITS) - 1);
    starts.fill(0);
    for (let n = 0; n < there; n++) starts[digit(now[n]!)]! += 1;
    for (let d = 0, sum = 0; d < starts.length; d++) [starts[d], sum] = [sum, sum + starts[d]!];
    for (let n = 0; n < there; n++) then[starts[digit(now[n]!)]!++] = now[n]!;
    [now, then] = [then, now];
  }
  return now;
}
