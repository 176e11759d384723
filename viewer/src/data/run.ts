// A run as the page knows it: what stays, how far it is, and the frames that were fetched.

import {
  type About,
  type FrameHead,
  type QuantityHead,
  RunClient,
  Refusal,
  type State,
  type Vector,
} from "../net/client";
import { Store } from "./store";

/** What does not change from frame to frame as long as no body comes or goes. */
export interface Still {
  hash: number;
  id: Uint32Array;
  radius: Float32Array;
  material: Uint16Array;
  shape: Int32Array;
  /** The place of a body by its id; images of a periodic cell have none. */
  place: Map<number, number>;
}

export interface Frame {
  number: number;
  time: number;
  /** Bodies that are no images. */
  own: number;
  count: number;
  origin: Vector;
  bounds: [Vector, Vector];
  cell: Vector[] | null;
  /** From the origin, m. */
  position: Float32Array;
  velocity: Float32Array;
  /** x, y, z, w as parts of 32767. */
  orientation: Int16Array;
  /** Place and orientation of each wall. */
  walls: Float32Array;
  still: Still;
}

export interface Contacts {
  point: Float32Array;
  force: Float32Array;
  a: Int32Array;
  b: Int32Array;
  bonded: Uint16Array;
}

export interface Values extends QuantityHead {
  values: Float32Array;
}

type Item = Frame | Contacts | Values;

const ROOM = 320 << 20;
/** Requests for frames at once; the rest wait, the last wanted first. */
const AT_ONCE = 3;

export class Run {
  readonly client: RunClient;
  about!: About;
  state!: State;
  times: number[] = [];
  /** Called when something has come, or has failed. */
  onNews: () => void = () => {};
  onProblem: (problem: string | null) => void = () => {};

  private store = new Store<Item>(ROOM);
  private flying = new Set<string>();
  /** When what has failed may be asked for again, ms. */
  private failed = new Map<string, number>();
  private wanted: { key: string; fetch: () => Promise<void> }[] = [];
  private stills: Still[] = [];

  constructor(readonly number: number) {
    this.client = new RunClient(number);
  }

  async open(): Promise<void> {
    [this.about, this.state] = await Promise.all([this.client.about(), this.client.state(0)]);
    this.times = this.state.times;
  }

  get going(): boolean {
    return this.state.state === "running" || this.state.state === "paused";
  }

  get last(): number {
    return Math.max(0, this.times.length - 1);
  }

  /** Asks how the run is; whether there are frames that were not there. */
  async poll(): Promise<{ grown: boolean; anew: boolean; ended: boolean }> {
    const before = this.going;
    const state = await this.client.state(this.times.length);
    const anew = state.generation !== this.state.generation || state.frames < this.times.length;
    if (anew) {
      this.store.clear();
      this.stills = [];
      this.failed.clear();
      this.about = await this.client.about();
      this.state = await this.client.state(0);
      this.times = this.state.times;
      return { grown: true, anew, ended: false };
    }
    this.state = state;
    if (state.times.length > 0) this.times = this.times.concat(state.times);
    return { grown: state.times.length > 0, anew, ended: before && !this.going };
  }

  /** The frame at or before a time, s. */
  numberAt(time: number): number {
    let [low, high] = [0, this.last];
    // Times are sums of steps: one that is reached but for rounding is reached.
    const slack = 1e-9 * Math.max(Math.abs(time), Math.abs(this.times[this.last] ?? 0));
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.times[middle]! <= time + slack) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  frame(number: number): Frame | undefined {
    return this.store.get(`f${number}`) as Frame | undefined;
  }

  /** Whether a frame could not be read when it was asked for last. */
  lacks(number: number): boolean {
    return this.failed.has(`f${number}`);
  }

  contacts(number: number): Contacts | undefined {
    return this.store.get(`c${number}`) as Contacts | undefined;
  }

  values(number: number, quantity: string): Values | undefined {
    return this.store.get(`q${quantity}/${number}`) as Values | undefined;
  }

  /** Says what is wanted now, the most urgent first; what was wanted before and is not under way is forgotten. */
  want(frames: number[], quantity: string | null, contacts: boolean): void {
    this.wanted = [];
    for (const number of frames) {
      this.add(`f${number}`, () => this.fetchFrame(number));
      if (quantity !== null) this.add(`q${quantity}/${number}`, () => this.fetchValues(number, quantity));
      if (contacts) this.add(`c${number}`, () => this.fetchContacts(number));
    }
    this.fly();
  }

  private add(key: string, fetch: () => Promise<void>): void {
    const failed = this.failed.get(key) ?? 0;
    if (this.store.has(key) || this.flying.has(key) || performance.now() < failed) return;
    this.wanted.push({ key, fetch });
  }

  private fly(): void {
    while (this.flying.size < AT_ONCE) {
      const next = this.wanted.shift();
      if (!next) return;
      this.flying.add(next.key);
      next
        .fetch()
        .then(
          () => {
            this.failed.delete(next.key);
            this.onProblem(null);
          },
          (error: unknown) => {
            // It may be there a little later.
            this.failed.set(next.key, performance.now() + 1500);
            this.onProblem(error instanceof Refusal ? error.message : String(error));
          },
        )
        .finally(() => {
          this.flying.delete(next.key);
          this.onNews();
          this.fly();
        });
    }
  }

  private async fetchFrame(number: number): Promise<void> {
    const known = this.stills[this.stills.length - 1] ?? null;
    const { head, arrays, bytes } = await this.client.frame(number, known?.hash ?? null);
    const still = this.still(head, arrays, known);
    const position = arrays.get("position") as Float32Array;
    const frame: Frame = {
      number,
      time: head.time,
      own: head.own,
      count: position.length / 3,
      origin: head.origin,
      bounds: head.bounds,
      cell: head.cell,
      position,
      velocity: arrays.get("velocity") as Float32Array,
      orientation: arrays.get("orientation") as Int16Array,
      walls: arrays.get("walls") as Float32Array,
      still,
    };
    this.store.put(`f${number}`, frame, bytes);
  }

  private still(head: FrameHead, arrays: Map<string, unknown>, known: Still | null): Still {
    if (known?.hash === head.still) return known;
    const earlier = this.stills.find((still) => still.hash === head.still);
    if (earlier) return earlier;
    const id = arrays.get("id") as Uint32Array;
    const place = new Map<number, number>();
    for (let k = 0; k < head.own; k++) place.set(id[k]!, k);
    const still: Still = {
      hash: head.still,
      id,
      place,
      radius: arrays.get("radius") as Float32Array,
      material: arrays.get("material") as Uint16Array,
      shape: arrays.get("shape") as Int32Array,
    };
    this.stills.push(still);
    // Frames that are kept hold theirs themselves.
    if (this.stills.length > 4) this.stills.shift();
    return still;
  }

  private async fetchContacts(number: number): Promise<void> {
    const { arrays, bytes } = await this.client.contacts(number);
    const contacts: Contacts = {
      point: arrays.get("point") as Float32Array,
      force: arrays.get("force") as Float32Array,
      a: arrays.get("a") as Int32Array,
      b: arrays.get("b") as Int32Array,
      bonded: arrays.get("bonded") as Uint16Array,
    };
    this.store.put(`c${number}`, contacts, bytes);
  }

  private async fetchValues(number: number, quantity: string): Promise<void> {
    const { head, arrays, bytes } = await this.client.quantity(number, quantity);
    const values: Values = { ...head, values: arrays.get("values") as Float32Array };
    this.store.put(`q${quantity}/${number}`, values, bytes);
  }
}
