// The server's addresses and what they answer. All numbers are SI.

import { decode, type Message, type Numbers } from "./wire";

export type Vector = [number, number, number];
export type StateWord = "running" | "paused" | "completed" | "interrupted" | "failed" | "unfinished";

export interface RunEntry {
  label: string;
  folder: string;
  state: StateWord;
}

export interface Quantity {
  name: string;
  label: string;
  /** `-` for pure numbers, empty for names. */
  unit: string;
}

export interface JointEntry {
  name: string | null;
  kind: string;
  bodies: [number | null, number | null];
  places: [Vector, Vector];
  axes: [Vector, Vector];
}

export interface About {
  label: string;
  scene: string;
  dimension: 1 | 2 | 3;
  gravity: Vector;
  materials: string[];
  solids: number;
  walls: (string | null)[];
  joints: JointEntry[];
  quantities: Quantity[];
  columns: { name: string; unit: string }[];
}

export interface Live {
  paused: boolean;
  step: number;
  time: number;
  start: number;
  end: number;
}

export interface Summary {
  steps: number;
  simulated_time: number;
  wall_seconds: number;
  scheme: string;
  law: string;
  solver: string;
  bodies: number;
  failed_steps: number;
}

export interface State {
  state: StateWord;
  live: Live | null;
  summary: Summary | null;
  frames: number;
  times: number[];
  generation: number;
  problem: string | null;
}

export interface FrameHead {
  time: number;
  own: number;
  still: number;
  origin: Vector;
  bounds: [Vector, Vector];
  cell: Vector[] | null;
}

export interface QuantityHead {
  least: number | null;
  most: number | null;
  low: number | null;
  high: number | null;
}

export interface SeriesHead {
  rows: number;
  part: number;
  more: boolean;
}

export interface WallsHead {
  walls: { name: string | null; material: number; endless: boolean; triangles: [number, number]; edges: [number, number] }[];
}

export interface BodyContact {
  other: number;
  wall: string | null;
  normal_force: number;
  tangential_force: number;
  gap: number;
  bonded: boolean;
}

export interface Body {
  id: number;
  time: number;
  material: string | null;
  shape: number;
  prescribed: boolean;
  radius: number;
  mass: number;
  position: Vector;
  velocity: Vector;
  angular_velocity: Vector;
  contacts: BodyContact[];
}

/** What the server said instead of an answer. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

async function ask(path: string, options?: RequestInit): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(path, options);
  } catch {
    throw new Refusal(0, "The viewer does not answer: the program that serves this page has ended.");
  }
  if (response.ok) return response;
  let why = `status ${response.status}`;
  try {
    why = ((await response.json()) as { error: string }).error;
  } catch {
    // Its status is all that is known.
  }
  throw new Refusal(response.status, why);
}

async function json<T>(path: string): Promise<T> {
  return (await ask(path)).json() as Promise<T>;
}

async function message<Head>(path: string): Promise<Message<Head>> {
  return decode<Head>(await (await ask(path)).arrayBuffer());
}

export const listRuns = () => json<{ version: string; runs: RunEntry[] }>("runs");

/** One run of the server. */
export class RunClient {
  constructor(readonly number: number) {}

  private path(rest: string): string {
    return `runs/${this.number}${rest}`;
  }

  about = () => json<About>(this.path(""));
  state = (known: number) => json<State>(this.path(`/state?frames=${known}`));
  series = (columns: number[]) => message<SeriesHead>(this.path(`/series?columns=${columns.join(",")}`));
  walls = (frame: number) => message<WallsHead>(this.path(`/walls/${frame}`));
  solid = (solid: number, frame: number) => message<unknown>(this.path(`/solids/${solid}/${frame}`));
  frame = (frame: number, still: number | null) =>
    message<FrameHead>(this.path(`/frames/${frame}${still === null ? "" : `?still=${still}`}`));
  contacts = (frame: number) => message<unknown>(this.path(`/frames/${frame}/contacts`));
  quantity = (frame: number, name: string) =>
    message<QuantityHead>(this.path(`/frames/${frame}/quantity/${name}`));
  body = (frame: number, id: number) => json<Body>(this.path(`/frames/${frame}/body/${id}`));
  trail = (id: number, from: number, to: number) =>
    json<{ from: number; places: (Vector | null)[] }>(this.path(`/trail/${id}?from=${from}&to=${to}`));

  async control(word: "pause" | "resume" | "stop"): Promise<void> {
    await ask(this.path("/control"), { method: "POST", body: word });
  }
}

export type { Message, Numbers };
