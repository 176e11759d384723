// Which of many spheres are hidden behind others.
//
// In a heap of a hundred thousand spheres some ten thousand are seen. Spheres are taken from front to back and put as disks
// on a coarse grid of cells over the view: one whose cells are all covered already is hidden, another covers the cells that
// lie within its disk as a whole. So a cell that is seen through a gap is never covered, and nothing that is seen is left
// out, but for parts of a cell where spheres of very different sizes stand before each other.

/** Cells across half of a disk of the usual size. */
const CELLS = 3;
/** Heaps that depths are sorted into. */
const HEAPS = 4096;

export interface Balls {
  count: number;
  from: Float32Array;
  to: Float32Array;
  /** 0 for what is not there. */
  radius: Float32Array;
}

export interface Eye {
  /** From the world to the view's cube, column by column. */
  view: ArrayLike<number>;
  /** Half heights of the view for a metre at distance 1, or for a metre where the projection is parallel. */
  scale: number;
  between: number;
  /** The plane n·x > d beyond which nothing is drawn. */
  clip: number[];
  /** Pixels. */
  width: number;
  height: number;
}

export class Veil {
  private capacity = 0;
  private x = new Float32Array(0);
  private y = new Float32Array(0);
  private r = new Float32Array(0);
  private depth = new Float32Array(0);
  private sorted = new Uint32Array(0);
  private starts = new Uint32Array(HEAPS + 1);
  private cells = new Uint8Array(0);

  /** Puts the numbers of those that are seen into `chosen`, the nearest first; how many they are. */
  choose(balls: Balls, eye: Eye, chosen: Uint32Array): number {
    this.reserve(balls.count);
    const there = this.project(balls, eye);
    if (there === 0) return 0;
    this.sort(there);
    return this.cover(there, eye, chosen);
  }

  private reserve(count: number): void {
    if (count <= this.capacity) return;
    this.capacity = count;
    for (const name of ["x", "y", "r", "depth"] as const) this[name] = new Float32Array(count);
    this.sorted = new Uint32Array(2 * count);
  }

  /** Where spheres are on the view, in pixels; how many are within it. */
  private project({ count, from, to, radius }: Balls, eye: Eye): number {
    const m = eye.view;
    const [m0, m1, m3, m4, m5, m7] = [m[0]!, m[1]!, m[3]!, m[4]!, m[5]!, m[7]!];
    const [m8, m9, m11, m12, m13, m15] = [m[8]!, m[9]!, m[11]!, m[12]!, m[13]!, m[15]!];
    const [m2, m6, m10, m14] = [m[2]!, m[6]!, m[10]!, m[14]!];
    const [nx, ny, nz, end] = eye.clip as [number, number, number, number];
    const cuts = nx !== 0 || ny !== 0 || nz !== 0;
    const [halfWide, halfHigh] = [eye.width / 2, eye.height / 2];
    const { between } = eye;
    let there = 0;
    for (let k = 0; k < count; k++) {
      const size = radius[k]!;
      if (size <= 0) continue;
      const [i, j, l] = [3 * k, 3 * k + 1, 3 * k + 2];
      const px = from[i]! + between * (to[i]! - from[i]!);
      const py = from[j]! + between * (to[j]! - from[j]!);
      const pz = from[l]! + between * (to[l]! - from[l]!);
      if (cuts && nx * px + ny * py + nz * pz > end) continue;
      const w = m3 * px + m7 * py + m11 * pz + m15;
      if (w <= 0) continue;
      const x = ((m0 * px + m4 * py + m8 * pz + m12) / w + 1) * halfWide;
      const y = ((m1 * px + m5 * py + m9 * pz + m13) / w + 1) * halfHigh;
      const r = (size * eye.scale * halfHigh) / w;
      if (x + r < 0 || y + r < 0 || x - r > eye.width || y - r > eye.height) continue;
      this.x[there] = x;
      this.y[there] = y;
      this.r[there] = r;
      this.depth[there] = m2 * px + m6 * py + m10 * pz + m14;
      this.sorted[this.capacity + there] = k;
      there += 1;
    }
    return there;
  }

  /** The order from front to back. */
  private sort(there: number): void {
    const { depth, starts, sorted } = this;
    let [low, high] = [Infinity, -Infinity];
    for (let k = 0; k < there; k++) {
      low = Math.min(low, depth[k]!);
      high = Math.max(high, depth[k]!);
    }
    const factor = (HEAPS - 1) / Math.max(high - low, 1e-30);
    starts.fill(0);
    for (let k = 0; k < there; k++) starts[1 + Math.floor((depth[k]! - low) * factor)]! += 1;
    for (let heap = 0; heap < HEAPS; heap++) starts[heap + 1]! += starts[heap]!;
    for (let k = 0; k < there; k++) sorted[starts[Math.floor((depth[k]! - low) * factor)]!++] = k;
  }

  private cover(there: number, eye: Eye, chosen: Uint32Array): number {
    const { x, y, r, sorted } = this;
    let mean = 0;
    for (let k = 0; k < there; k++) mean += r[k]! / there;
    const cell = Math.max(mean / CELLS, 0.75);
    const [wide, high] = [Math.ceil(eye.width / cell), Math.ceil(eye.height / cell)];
    if (this.cells.length < wide * high) this.cells = new Uint8Array(wide * high);
    const { cells } = this;
    cells.fill(0);
    let drawn = 0;
    for (let n = 0; n < there; n++) {
      const k = sorted[n]!;
      const [cx, cy, cr] = [x[k]! / cell, y[k]! / cell, r[k]! / cell];
      const square = cr * cr;
      const left = Math.max(Math.floor(cx - cr), 0);
      const right = Math.min(Math.floor(cx + cr), wide - 1);
      const low = Math.max(Math.floor(cy - cr), 0);
      const top = Math.min(Math.floor(cy + cr), high - 1);
      let seen = false;
      for (let v = low; v <= top && !seen; v++) {
        // To the nearest point of the row.
        const dy = cy < v ? v - cy : cy > v + 1 ? cy - v - 1 : 0;
        const half = Math.sqrt(Math.max(square - dy * dy, 0));
        const start = Math.max(Math.floor(cx - half), left);
        const stop = Math.min(Math.floor(cx + half), right);
        for (let u = start; u <= stop; u++) {
          if (cells[v * wide + u] === 0) {
            seen = true;
            break;
          }
        }
      }
      if (!seen) continue;
      chosen[drawn++] = sorted[this.capacity + k]!;
      for (let v = low; v <= top; v++) {
        // To its farthest.
        const dy = Math.max(cy - v, v + 1 - cy);
        if (dy >= cr) continue;
        const half = Math.sqrt(square - dy * dy);
        const start = Math.max(Math.ceil(cx - half), 0);
        const stop = Math.min(Math.floor(cx + half) - 1, wide - 1);
        for (let u = start; u <= stop; u++) cells[v * wide + u] = 1;
      }
    }
    return drawn;
  }
}
