// The canvas: where the viewer stands, when to draw, and how finely.

import {
  Box3,
  MOUSE,
  OrthographicCamera,
  PerspectiveCamera,
  Raycaster,
  TOUCH,
  Vector2,
  Vector3,
  WebGLRenderer,
} from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { Backdrop } from "./backdrop";
import type { RunView } from "./view";

export type Side = "oblique" | "front" | "back" | "left" | "right" | "top" | "bottom";

/** From where each preset looks, and what is up there. */
const SIDES: Record<Side, [[number, number, number], [number, number, number]]> = {
  oblique: [[0.62, -1, 0.52], [0, 0, 1]],
  front: [[0, -1, 0], [0, 0, 1]],
  back: [[0, 1, 0], [0, 0, 1]],
  left: [[-1, 0, 0], [0, 0, 1]],
  right: [[1, 0, 0], [0, 0, 1]],
  top: [[0, 0, 1], [0, 1, 0]],
  bottom: [[0, 0, -1], [0, 1, 0]],
};
const ANGLE = 35;
/** What is in view, over what must be. */
const MARGIN = 1.1;
/** Frames a second below which pixels are made coarser, and what is wanted. */
const SLOW = 24;
/** Of more bodies than this a program takes long for a fine picture, also where nothing moves. */
const MANY_IF_SLOW = 20_000;
/** Views whose boxes are within one so many times as large are seen by one camera. */
const ALIKE = 1.7;
/** Without motion for so long, ms, pixels become fine again. */
const STILL = 220;

/** Draws all views side by side. */
export class Stage {
  readonly renderer: WebGLRenderer;
  readonly controls: OrbitControls;
  readonly backdrop = new Backdrop();
  camera: PerspectiveCamera | OrthographicCamera;
  views: RunView[] = [];
  /** Whether a program draws instead of a graphics card. */
  readonly software: boolean;
  /** Called after each drawing. */
  onDrawn: () => void = () => {};
  /** Frames a second, while something moves. */
  rate = 0;
  drawings = 0;
  /** Whether somebody has moved the view by hand. */
  handled = false;

  private flat = false;
  private stale = true;
  private moved = 0;
  private coarseness = 1;
  private rests = false;
  private width = 1;
  private height = 1;
  private lastTick = 0;
  private span = 0;
  private radius = 1;
  private centre = new Vector3();
  /** Middles of views that are not alike, and their sizes over that of the first. */
  private frames = new Map<RunView, { centre: Vector3; scale: number }>();

  constructor(readonly canvas: HTMLCanvasElement) {
    const context = canvas.getContext("webgl2", {
      antialias: false,
      alpha: false,
      powerPreference: "high-performance",
    });
    if (!context) throw new Error("This browser has no WebGL 2, which the viewer draws with.");
    const info = context.getExtension("WEBGL_debug_renderer_info");
    const name = String(context.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : context.RENDERER));
    this.software = /swiftshader|llvmpipe|software|basic render/i.test(name);
    this.renderer = new WebGLRenderer({ canvas, context });
    // Asking how a program was translated waits for it; all of them are translated at once if nobody asks.
    this.renderer.debug.checkShaderErrors = false;
    this.renderer.localClippingEnabled = true;
    this.renderer.autoClear = false;
    this.camera = this.newCamera();
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = true;
    this.controls.dampingFactor = 0.16;
    this.controls.zoomToCursor = true;
    this.moves();
    this.controls.addEventListener("start", () => (this.handled = true));
    this.controls.addEventListener("change", () => this.touch());
    canvas.addEventListener("webglcontextlost", (event) => event.preventDefault());
    canvas.addEventListener("webglcontextrestored", () => this.touch());
  }

  /** In a plane there is nothing to turn: what would turn moves. */
  private moves(): void {
    this.controls.enableRotate = !this.flat;
    this.controls.mouseButtons.LEFT = this.flat ? MOUSE.PAN : MOUSE.ROTATE;
    this.controls.touches.ONE = this.flat ? TOUCH.PAN : TOUCH.ROTATE;
  }

  /** Whether everything lies in a plane, which is then seen from above without perspective. */
  flatten(flat: boolean): void {
    if (flat === this.flat) return;
    this.flat = flat;
    this.camera = this.newCamera();
    this.controls.object = this.camera;
    this.moves();
  }

  private newCamera(): PerspectiveCamera | OrthographicCamera {
    const camera = this.flat ? new OrthographicCamera(-1, 1, 1, -1, 0.01, 100) : new PerspectiveCamera(ANGLE, 1, 0.01, 100);
    camera.up.set(0, this.flat ? 1 : 0, this.flat ? 0 : 1);
    return camera;
  }

  /** Something that is drawn has changed; it moves if pixels may be coarse for it. */
  touch(moves = true): void {
    this.stale = true;
    if (moves) this.moved = performance.now();
  }

  resize(): void {
    const { clientWidth, clientHeight } = this.canvas;
    if (clientWidth === 0 || clientHeight === 0) return;
    this.width = clientWidth;
    this.height = clientHeight;
    this.pixels();
    this.project();
    this.touch(false);
  }

  private pixels(): void {
    // What stands still is drawn finer than the screen, which makes its edges smooth, if that does not take long.
    const many = this.views.some(({ frame }) => frame !== null && frame.count > MANY_IF_SLOW);
    const slow = this.software && (many || (this.rate > 0 && this.rate < SLOW));
    const still = slow ? 1 : 1.6;
    const ratio = Math.min(window.devicePixelRatio, 2) * (this.rests ? still : this.coarseness);
    this.renderer.setPixelRatio(Math.min(ratio, 3));
    this.renderer.setSize(this.width, this.height, false);
  }

  /** The place of a view on the page, pixels from the upper left. */
  place(k: number): { left: number; top: number; width: number } {
    const { x, y, width, height } = this.box(k);
    return { left: x, top: this.height - y - height, width };
  }

  /** The place of a view: beside each other, or below each other where that is narrow. */
  private box(k: number): { x: number; y: number; width: number; height: number } {
    const count = Math.max(this.views.length, 1);
    if (this.width >= this.height * 0.9 || count === 1) {
      const width = this.width / count;
      return { x: k * width, y: 0, width, height: this.height };
    }
    const height = this.height / count;
    return { x: 0, y: (count - 1 - k) * height, width: this.width, height };
  }

  private project(): void {
    const { width, height } = this.box(0);
    const distance = this.camera.position.distanceTo(this.controls.target);
    if (this.camera instanceof PerspectiveCamera) {
      this.camera.aspect = width / height;
      this.camera.near = Math.max(distance - 6 * this.radius, 2e-3 * distance, 1e-3 * this.radius);
      this.camera.far = distance + 12 * this.radius;
    } else {
      const half = this.halfHeight();
      this.camera.top = half;
      this.camera.bottom = -half;
      this.camera.left = (-half * width) / height;
      this.camera.right = (half * width) / height;
      this.camera.near = -10 * this.radius;
      this.camera.far = 20 * this.radius;
    }
    this.camera.updateProjectionMatrix();
  }

  /** How a view is seen: around its own middle, as much nearer as it is smaller, if views are not alike. */
  private own(view: RunView): { centre: Vector3; scale: number } {
    return this.frames.get(view) ?? { centre: this.centre, scale: 1 };
  }

  /** Puts the camera where a view is seen from while something is done. */
  private as<T>(view: RunView, act: () => T): T {
    const { camera } = this;
    const { centre, scale } = this.own(view);
    const before = { place: camera.position.clone(), near: camera.near, far: camera.far, zoom: camera.zoom };
    camera.position.sub(this.centre).multiplyScalar(scale).add(centre);
    if (camera instanceof PerspectiveCamera) {
      camera.near *= scale;
      camera.far *= scale;
    } else {
      camera.zoom /= scale;
    }
    camera.updateProjectionMatrix();
    camera.updateMatrixWorld();
    const result = act();
    camera.position.copy(before.place);
    [camera.near, camera.far, camera.zoom] = [before.near, before.far, before.zoom];
    camera.updateProjectionMatrix();
    camera.updateMatrixWorld();
    return result;
  }

  /** The box that all views have in common; those that differ much are seen each in its own, beside the first. */
  private common(): Box3 {
    const boxes = this.views.map(({ bounds }) => bounds ?? new Box3());
    const all = boxes.reduce((sum, box) => sum.union(box), new Box3());
    this.frames.clear();
    const radius = (box: Box3) => box.getSize(new Vector3()).length() / 2;
    if (all.isEmpty() || boxes.some((box) => box.isEmpty() || radius(all) > ALIKE * radius(box))) {
      const first = boxes[0] ?? new Box3();
      boxes.forEach((box, k) => {
        if (box.isEmpty()) return;
        this.frames.set(this.views[k]!, { centre: box.getCenter(new Vector3()), scale: radius(box) / Math.max(radius(first), 1e-30) });
      });
      return first;
    }
    return all;
  }

  /** Looks at everything from a side. */
  look(side: Side): void {
    const box = this.common();
    if (box.isEmpty()) return;
    const size = box.getSize(new Vector3());
    this.centre = box.getCenter(new Vector3());
    this.radius = Math.max(size.length() / 2, 1e-9);
    const [from, up] = this.flat ? SIDES.top : SIDES[side];
    this.camera.up.set(...up);
    const direction = new Vector3(...from).normalize();
    let distance = 4 * this.radius;
    const { width, height } = this.box(0);
    if (this.camera instanceof PerspectiveCamera) {
      distance = this.distance(size, direction, width / height);
    } else {
      const tall = Math.max(size.y, (size.x * height) / width, 1e-9);
      this.camera.zoom = (2 * this.halfHeight()) / (MARGIN * tall);
    }
    this.controls.target.copy(this.centre);
    this.camera.position.copy(this.centre).addScaledVector(direction, distance);
    this.project();
    this.controls.update();
    this.touch();
  }

  /** From where a box (m) around the target is seen in whole. */
  private distance(size: Vector3, direction: Vector3, aspect: number): number {
    const right = new Vector3().crossVectors(this.camera.up, direction).normalize();
    const up = new Vector3().crossVectors(direction, right);
    const tall = Math.tan((ANGLE * Math.PI) / 360) / MARGIN;
    let distance = 0;
    for (let corner = 0; corner < 8; corner++) {
      const side = (axis: number) => (corner >> axis) & 1 ? 0.5 : -0.5;
      const place = new Vector3(side(0) * size.x, side(1) * size.y, side(2) * size.z);
      const off = Math.max(Math.abs(place.dot(up)) / tall, Math.abs(place.dot(right)) / (tall * aspect));
      distance = Math.max(distance, off + place.dot(direction));
    }
    return Math.max(distance, 1e-9);
  }

  /** Of what a parallel projection shows before it is zoomed, m. */
  private halfHeight(): number {
    const { width, height } = this.box(0);
    return this.radius * Math.max(1, height / width);
  }

  /** Moves viewer and target together, m. */
  private shift(by: Vector3): void {
    this.handled = true;
    this.camera.position.add(by);
    this.controls.target.add(by);
    this.touch();
  }

  /** Turns around the target, as the keys do; radians. */
  orbit(around: number, up: number): void {
    if (this.flat) return;
    this.handled = true;
    const offset = this.camera.position.clone().sub(this.controls.target);
    const axis = this.camera.up.clone().normalize();
    offset.applyAxisAngle(axis, around);
    const side = new Vector3().crossVectors(axis, offset).normalize();
    const tilted = offset.clone().applyAxisAngle(side, -up);
    const angle = tilted.angleTo(axis);
    if (angle > 0.03 && angle < Math.PI - 0.03) offset.copy(tilted);
    this.camera.position.copy(this.controls.target).add(offset);
    this.controls.update();
    this.touch();
  }

  /** What is seen from top to bottom around the target, m. */
  private tall(): number {
    const { camera } = this;
    return camera instanceof PerspectiveCamera
      ? 2 * Math.tan((ANGLE * Math.PI) / 360) * camera.position.distanceTo(this.controls.target)
      : (camera.top - camera.bottom) / camera.zoom;
  }

  /** Moves along the screen, in parts of its height. */
  pan(right: number, up: number): void {
    const height = this.tall();
    const e = this.camera.matrixWorld.elements;
    const by = new Vector3(e[0], e[1], e[2]).multiplyScalar(right * height);
    this.shift(by.addScaledVector(new Vector3(e[4], e[5], e[6]), up * height));
  }

  zoom(factor: number): void {
    this.handled = true;
    if (this.camera instanceof PerspectiveCamera) {
      const offset = this.camera.position.clone().sub(this.controls.target);
      this.camera.position.copy(this.controls.target).addScaledVector(offset, 1 / factor);
    } else {
      this.camera.zoom *= factor;
    }
    this.controls.update();
    this.touch();
  }

  /** The body at a point of the canvas (pixels of the page), with the view that it is in. */
  pick(x: number, y: number): { view: RunView; id: number } | null {
    for (const [k, view] of this.views.entries()) {
      const box = this.box(k);
      const top = this.height - box.y - box.height;
      if (x < box.x || x > box.x + box.width || y < top || y > top + box.height) continue;
      const caster = new Raycaster();
      const at = new Vector2((2 * (x - box.x)) / box.width - 1, 1 - (2 * (y - top)) / box.height);
      this.as(view, () => caster.setFromCamera(at, this.camera));
      const found = view.pick(caster.ray);
      return found && { view, id: found.id };
    }
    return null;
  }

  /** Where a ball of a view is on the canvas, and its radius there, pixels of the page. */
  screen(view: RunView, place: Vector3, radius: number): { x: number; y: number; radius: number } {
    const box = this.box(this.views.indexOf(view));
    return this.as(view, () => {
      const { camera } = this;
      const seen = place.clone().project(camera);
      const side = new Vector3().setFromMatrixColumn(camera.matrixWorld, 1).multiplyScalar(radius);
      const edge = place.clone().add(side).project(camera);
      const top = this.height - box.y - box.height;
      const across = (Math.abs(edge.y - seen.y) / 2) * box.height;
      return { x: box.x + ((seen.x + 1) / 2) * box.width, y: top + ((1 - seen.y) / 2) * box.height, radius: across };
    });
  }

  /** Moves so that a place of a view is in its middle. */
  aim(view: RunView, place: Vector3): void {
    const { centre, scale } = this.own(view);
    this.shift(place.clone().sub(centre).divideScalar(scale).add(this.centre).sub(this.controls.target));
  }

  /** Moves with something that has moved in a view, m. */
  along(view: RunView, by: Vector3): void {
    this.shift(by.clone().divideScalar(this.own(view).scale));
  }

  /** Once for each picture of the browser. `moving` says whether the run plays. */
  tick(now: number, moving: boolean): void {
    this.controls.update();
    if (moving) this.touch();
    const resting = now - this.moved > STILL;
    if (resting !== this.rests) {
      this.rests = resting;
      if (resting) this.coarseness = 1;
      this.pixels();
      this.stale = true;
    }
    if (!this.stale) {
      this.lastTick = 0;
      return;
    }
    this.stale = false;
    this.draw();
    if (this.lastTick > 0 && !resting) {
      const own = now - this.lastTick;
      this.span = this.span === 0 ? own : 0.85 * this.span + 0.15 * own;
      this.rate = 1000 / this.span;
      this.adapt();
    }
    this.lastTick = now;
  }

  private adapt(): void {
    if (this.rate < SLOW && this.coarseness > 0.5) {
      this.coarseness = Math.max(0.5, this.coarseness * 0.85);
    } else if (this.rate > 2 * SLOW && this.coarseness < 1) {
      this.coarseness = Math.min(1, this.coarseness * 1.1);
    } else {
      return;
    }
    // It takes a while to see what that changes.
    this.span = 0;
    this.pixels();
  }

  draw(): void {
    const { renderer, camera } = this;
    this.project();
    camera.updateMatrixWorld();
    renderer.setScissorTest(false);
    renderer.setViewport(0, 0, this.width, this.height);
    renderer.clear();
    this.backdrop.draw(renderer, camera);
    renderer.setScissorTest(true);
    this.views.forEach((view, k) => {
      const { x, y, width, height } = this.box(k);
      renderer.setViewport(x, y, width, height);
      renderer.setScissor(x, y, width, height);
      renderer.clearDepth();
      const ratio = renderer.getPixelRatio();
      const tall = this.own(view).scale * this.tall();
      const size = { width: width * ratio, height: height * ratio };
      this.as(view, () => {
        view.prepare({ camera, ...size, pixels: size.height / tall, slow: this.software });
        renderer.render(view.scene, camera);
      });
    });
    this.drawings += 1;
    this.onDrawn();
  }

  /** Draws once as finely as asked for, whatever it takes. */
  drawFinely(ratio: number): void {
    this.renderer.setPixelRatio(ratio);
    this.renderer.setSize(this.width, this.height, false);
    this.draw();
  }

  /** Back to what the screen wants. */
  drawUsually(): void {
    this.pixels();
    this.draw();
  }
}
