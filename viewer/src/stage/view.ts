// One run as it is drawn: its bodies and all else, at the time of the clock.

import { Box3, Group, PerspectiveCamera, Plane, Scene, Vector3, Vector4 } from "three";
import type { Frame, Run } from "../data/run";
import type { Vector } from "../net/client";
import type { Look } from "../ui/look";
import { forceTexture, nameCount, nameTexture, plainTexture, scaleTexture } from "./colours";
import { CellEdges, Joints, showArrows, showForces, Trails } from "./overlays";
import { pick, type Ray } from "./picking";
import { Rods } from "./rods";
import { sharedUniforms } from "./shading";
import { Solids } from "./solids";
import { type Seen, Spheres } from "./spheres";
import { Walls } from "./walls";

export interface Palette {
  ground: "dark" | "light";
  wall: string;
  accent: string;
  joint: string;
  arrow: string;
}

export class RunView {
  readonly scene = new Scene();
  readonly shared = sharedUniforms();
  readonly trails: Trails;
  /** The frame that is shown, and the next if bodies are moved on towards it. */
  frame: Frame | null = null;
  next: Frame | null = null;
  /** The id of the body that is picked. */
  picked: number | null = null;
  /** The ends of the values that were seen so far. */
  seen: [number, number] | null = null;
  /** Forces of the frame: their mean, how many are drawn, and what the end of their scale stands for, N. */
  forces: { mean: number; shown: number; most: number } | null = null;
  size = 1;

  private spheres: Spheres;
  private solids: Solids;
  private walls: Walls;
  private forceRods: Rods;
  private arrowRods: Rods;
  private joints: Joints;
  private cell = new CellEdges();
  private bodies = new Group();
  private strip = { value: forceTexture("dark") };
  private ink = { value: plainTexture("#ffffff") };
  /** The corners of the box around the last frame's bodies, if it has come. */
  private reach: [Vector, Vector] | null = null;
  private drawn = "";
  private coloured = "";
  private overlaid = "";
  /** What the longest arrows stand for, m/s. */
  fastest = 0;
  /** What the length of arrows is a part of, m. */
  private extent = 1;
  private reference: number | null = null;
  private shapes = 0;

  constructor(
    readonly run: Run,
    private palette: Palette,
    private readonly dirty: () => void,
  ) {
    const stale = () => {
      this.drawn = "";
      this.shapes += 1;
      dirty();
    };
    this.repaint(palette);
    this.shared.flat.value = run.about.dimension < 3 ? 1 : 0;
    this.spheres = new Spheres(this.shared);
    this.solids = new Solids(run, this.shared, stale);
    this.walls = new Walls(run, stale);
    this.trails = new Trails(run, () => {
      this.overlaid = "";
      dirty();
    });
    this.forceRods = new Rods("rod", this.shared, this.strip);
    this.arrowRods = new Rods("arrow", this.shared, this.ink);
    this.joints = new Joints(run.about.joints);
    this.bodies.add(this.spheres.object, this.solids.object);
    this.scene.add(this.bodies, this.walls.object, this.forceRods.object, this.arrowRods.object);
    this.scene.add(this.trails.object, this.joints.object, this.cell.object);
  }

  /** Fetches what a time needs besides its frame, while that is under way. */
  begin(time: number): void {
    this.walls.fetch(this.run.numberAt(time));
  }

  /** Takes the last frame's bodies into view as well, once it has come; whether that is done now. */
  reachOut(): boolean {
    const last = this.run.frame(this.run.last);
    if (this.reach || !last) return false;
    this.reach = last.bounds;
    return true;
  }

  get reaches(): boolean {
    return this.reach !== null;
  }

  /** Around all that is to be in view; nothing until that is known. */
  get bounds(): Box3 | null {
    const walls = this.walls.bounds;
    if (!this.frame || !walls) return null;
    const bodies = new Box3(new Vector3(...this.frame.bounds[0]), new Vector3(...this.frame.bounds[1]));
    if (this.reach) bodies.union(new Box3(new Vector3(...this.reach[0]), new Vector3(...this.reach[1])));
    const all = bodies.clone().union(walls);
    const length = (box: Box3) => box.getSize(new Vector3()).length();
    // Walls that are far larger than what happens between them need not be seen in whole.
    return length(all) < 5 * length(bodies) ? all : bodies;
  }

  repaint(palette: Palette): void {
    this.palette = palette;
    this.strip.value = forceTexture(palette.ground);
    this.ink.value = plainTexture(palette.arrow);
    this.drawn = "";
    this.overlaid = "";
  }

  /** Another run is in the folder. */
  reset(): void {
    this.walls.reset();
    this.trails.clear();
    this.frame = this.next = null;
    this.reach = null;
    this.picked = null;
    this.seen = null;
    this.drawn = this.coloured = this.overlaid = "";
  }

  /** Whether all that the look needs of a frame is here. */
  ready(number: number, look: Look): boolean {
    if (!this.run.frame(number)) return false;
    if (!this.run.values(number, look.quantity)) return false;
    return !look.forces || this.run.contacts(number) !== undefined;
  }

  /** Shows a time, as far as frames are here; whether they are. */
  show(time: number, look: Look): boolean {
    const { run } = this;
    if (run.times.length === 0) return false;
    const number = run.numberAt(time);
    const ready = this.ready(number, look);
    if (ready) this.take(number, time, look);
    return ready;
  }

  private take(number: number, time: number, look: Look): void {
    const { run, shared } = this;
    const frame = run.frame(number)!;
    const after = number < run.last ? run.frame(number + 1) : undefined;
    // Forces belong to the frame: bodies stay where the frame has them.
    const moves = look.smooth && !look.forces && !look.arrows;
    const next = moves && after?.still === frame.still ? after : null;
    this.frame = frame;
    this.next = next;
    const span = next ? next.time - frame.time : 0;
    const between = span > 0 ? Math.min(Math.max((time - frame.time) / span, 0), 1) : 0;
    shared.between.value = between;
    const [low, high] = frame.bounds;
    this.size = Math.hypot(high[0] - low[0], high[1] - low[1], high[2] - low[2]);
    shared.jump.value = frame.cell ? 0.3 * this.size : 1e30;
    shared.glass.value = look.bodies === "glass" ? 1 : 0;
    shared.band.value = look.turns || run.about.dimension < 3 ? 1 : 0;
    this.bodies.visible = look.bodies !== "hidden";
    const clip = this.clip(look, frame);
    shared.clip.value.copy(clip);
    shared.picked.value = this.picked === null ? -1 : (frame.still.place.get(this.picked) ?? -1);

    const drawn = `${frame.still.hash}/${number}/${next?.number ?? ""}/${this.shapes}`;
    const values = run.values(number, look.quantity)!;
    const coloured = `${drawn}/${look.quantity}`;
    if (drawn !== this.drawn) this.spheres.show(frame, next);
    if (coloured !== this.coloured || drawn !== this.drawn) {
      this.spheres.colour(values.values);
      this.solids.show(frame, next, values.values);
      if (values.low !== null && values.high !== null) {
        const before = this.coloured.endsWith(`/${look.quantity}`) ? this.seen : null;
        this.seen = before
          ? [Math.min(before[0], values.low), Math.max(before[1], values.high)]
          : [values.low, values.high];
      }
    }
    this.solids.appear(look.bodies === "glass", look.clip !== "none");
    this.drawn = drawn;
    this.coloured = coloured;

    this.walls.object.visible = look.walls;
    this.walls.paint(this.palette.wall, [new Plane(new Vector3(-clip.x, -clip.y, -clip.z), clip.w)].filter(() => look.clip !== "none"));
    this.walls.show(frame, next, between);
    this.overlay(frame, look, clip);
  }

  private overlay(frame: Frame, look: Look, clip: Vector4): void {
    const { run } = this;
    const key = JSON.stringify([frame.number, frame.still.hash, look.forces, look.forceLeast, look.forceThick, look.arrows, look.joints, look.arrowLength, clip.toArray(), run.times.length]);
    if (key === this.overlaid) return;
    this.overlaid = key;
    const contacts = look.forces ? run.contacts(frame.number) : undefined;
    this.forceRods.object.visible = false;
    this.forces = null;
    if (contacts) {
      const options = { least: look.forceLeast, thick: look.forceThick, reference: this.reference };
      this.forces = showForces(this.forceRods, frame, contacts, options);
      // Thickness means the same force in all frames: the largest mean so far.
      if (this.forces.mean > (this.reference ?? 0)) this.reference = this.forces.mean;
    }
    this.arrowRods.object.visible = false;
    if (look.arrows) {
      const speeds = new Float32Array(frame.own);
      for (let k = 0; k < frame.own; k++) {
        speeds[k] = Math.hypot(frame.velocity[3 * k]!, frame.velocity[3 * k + 1]!, frame.velocity[3 * k + 2]!);
      }
      speeds.sort();
      this.fastest = Math.max(this.fastest, speeds[Math.floor(0.995 * (frame.own - 1))] ?? 0);
      if (this.fastest > 0) showArrows(this.arrowRods, frame, clip, 0.12 * look.arrowLength * this.extent, this.fastest);
    }
    this.joints.object.visible = look.joints;
    this.joints.show(frame, 0.012 * this.size, this.palette.joint);
    this.cell.show(frame, this.palette.wall);
    this.trails.update(frame);
  }

  /** The plane beyond which nothing is drawn. */
  private clip(look: Look, frame: Frame): Vector4 {
    const axis = { none: -1, x: 0, y: 1, z: 2 }[look.clip];
    if (axis < 0) return new Vector4(0, 0, 0, 0);
    const [low, high] = [frame.bounds[0][axis]!, frame.bounds[1][axis]!];
    const end = low + look.clipAt * (high - low);
    // What is nearer to who looks from the usual side goes: he is right of, before and above the bodies.
    const sign = look.clipFlip === (look.clip === "y") ? 1 : -1;
    const normal = [0, 0, 0];
    normal[axis] = sign;
    return new Vector4(normal[0], normal[1], normal[2], sign * end);
  }

  colours(look: Look, range: [number, number]): void {
    const names = look.quantity === "id" || look.quantity === "material";
    const materials = look.quantity === "material";
    this.shared.scale.value = names ? nameTexture(materials) : scaleTexture(look.scale);
    this.shared.names.value = names ? nameCount(materials) : 0;
    this.shared.range.value = range;
  }

  /** Just before it is drawn. */
  prepare(seen: Seen): void {
    this.shared.parallel.value = seen.camera instanceof PerspectiveCamera ? 0 : 1;
    this.shared.height.value = seen.height;
    this.spheres.prepare(seen);
  }

  pick(ray: Ray): { id: number; distance: number } | null {
    const { frame } = this;
    if (!frame) return null;
    const found = pick(ray, this.moved(frame), this.solids.meshes, this.shared.clip.value);
    return found && { id: frame.still.id[found.place]!, distance: found.distance };
  }

  /** The frame with places as they are drawn. */
  private moved(frame: Frame): Frame {
    const { next } = this;
    const between = this.shared.between.value;
    if (!next || between === 0) return frame;
    const position = frame.position.map((from, k) => from + between * (next.position[k]! - from));
    return { ...frame, position };
  }

  /** The radius of a ball around a body, m. */
  radiusOf(id: number): number {
    const still = this.frame?.still;
    return still?.radius[still.place.get(id) ?? -1] ?? 0;
  }

  /** Where a body is drawn. */
  placeOf(id: number): Vector3 | null {
    const at = this.frame?.still.place.get(id);
    if (at === undefined || !this.frame) return null;
    const from = new Vector3().fromArray(this.frame.position, 3 * at);
    if (!this.next) return from;
    return from.lerp(new Vector3().fromArray(this.next.position, 3 * at), this.shared.between.value);
  }

  /** What forces and arrows are measured by: the largest mean force, N, the largest speed, m/s, and the size of the scene, m. */
  get measures(): [number, number, number] {
    return [this.reference ?? 0, this.fastest, this.size];
  }

  /** Takes those of all views, so that what is beside each other is drawn alike. */
  agree([force, speed, size]: [number, number, number]): void {
    if (force === (this.reference ?? 0) && speed === this.fastest && size === this.extent) return;
    [this.reference, this.fastest, this.extent] = [force > 0 ? force : null, speed, size];
    this.invalidate();
  }

  invalidate(): void {
    this.overlaid = "";
    this.dirty();
  }
}
