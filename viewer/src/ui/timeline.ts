// The bar of time: where the clock is, which frames there are, and which steps were not certified.

import type { Clock } from "./clock";
import { SPEEDS } from "./clock";
import { at, options, say, shown } from "./dom";

/** What the bar asks for. */
export interface TimeActions {
  play(): void;
  /** To the frame so many before or behind. */
  step(by: number): void;
  seek(time: number): void;
  /** To the frame with this number. */
  frame(number: number): void;
}

export class Timeline {
  private scrub = at<HTMLInputElement>("scrub");
  private marks = at<HTMLCanvasElement>("marks");
  private painted = "";
  private held = false;

  constructor(
    private readonly clock: Clock,
    actions: TimeActions,
  ) {
    at("play").addEventListener("click", () => actions.play());
    at("back").addEventListener("click", () => actions.step(-1));
    at("ahead").addEventListener("click", () => actions.step(1));
    at("first").addEventListener("click", () => actions.seek(clock.start));
    at("last").addEventListener("click", () => actions.seek(clock.end));
    this.scrub.addEventListener("input", () => actions.frame(Number(this.scrub.value)));
    this.scrub.addEventListener("pointerdown", () => (this.held = true));
    this.scrub.addEventListener("pointerup", () => (this.held = false));
    const speed = at<HTMLSelectElement>("speed");
    options(speed, SPEEDS.map((value) => [String(value), `${shown(value).replace("·", " · ")}×`]), "1");
    speed.addEventListener("change", () => (clock.speed = Number(speed.value)));
    at("loop").addEventListener("click", () => this.loop());
    at("follow-live").addEventListener("click", () => {
      clock.follows = !clock.follows;
      if (clock.follows) actions.seek(clock.end);
    });
  }

  loop(): void {
    this.clock.loop = !this.clock.loop;
    at("loop").setAttribute("aria-pressed", String(this.clock.loop));
    say(this.clock.loop ? "Loops" : "Stops at the end");
  }

  /** Shows the state of the clock. */
  show(times: number[], number: number, uncertified: number[], going: boolean): void {
    const { clock } = this;
    const last = Math.max(0, times.length - 1);
    this.scrub.max = String(last);
    if (!this.held && this.scrub.value !== String(number)) this.scrub.value = String(number);
    const interval = times.length > 1 ? (times[last]! - times[0]!) / last : 1;
    const digits = Math.min(6, Math.max(0, Math.ceil(1 - Math.log10(Math.max(interval, 1e-9)))));
    const text = times.length === 0 ? "–" : `${clock.time.toFixed(digits)} s`;
    const now = at("now");
    if (now.textContent !== text) now.textContent = text;
    const frame = times.length === 0 ? "" : `frame ${number + 1} of ${times.length}`;
    const place = at("frame-number");
    if (place.textContent !== frame) {
      place.textContent = frame;
      this.scrub.setAttribute("aria-valuetext", `${text}, ${frame}`);
    }
    const play = at("play");
    const sign = clock.playing ? "M5 3.5h3.6v13H5zM11.4 3.5H15v13h-3.6z" : "M6 3.5v13l10.5-6.5z";
    if (at("play-sign").getAttribute("d") !== sign) {
      at("play-sign").setAttribute("d", sign);
      play.setAttribute("aria-label", clock.playing ? "Pause" : "Play");
      play.title = clock.playing ? "Pause (Space)" : "Play (Space)";
    }
    const speed = at<HTMLSelectElement>("speed");
    if (speed.value !== String(clock.speed)) speed.value = String(clock.speed);
    const live = at("follow-live");
    live.hidden = !going;
    live.setAttribute("aria-pressed", String(clock.follows));
    this.paint(times, uncertified);
  }

  /** The track, what of it is past, and a tick where a step was not certified. */
  private paint(times: number[], uncertified: number[]): void {
    const { clock, marks } = this;
    const [width, height] = [marks.clientWidth, marks.clientHeight];
    const theme = document.documentElement.dataset["theme"];
    const key = [width, height, clock.time, clock.start, clock.end, times.length, uncertified.length, theme].join();
    if (key === this.painted || width === 0) return;
    this.painted = key;
    const ratio = window.devicePixelRatio;
    marks.width = width * ratio;
    marks.height = height * ratio;
    const context = marks.getContext("2d")!;
    context.scale(ratio, ratio);
    const style = getComputedStyle(document.documentElement);
    const colour = (name: string) => style.getPropertyValue(name).trim();
    // The thumb of a slider stays within its ends.
    const [from, to] = [8, width - 8];
    const x = (time: number) => from + ((time - clock.start) / Math.max(clock.end - clock.start, 1e-30)) * (to - from);
    const middle = height / 2;
    context.fillStyle = colour("--line");
    context.beginPath();
    context.roundRect(from - 2, middle - 2, to - from + 4, 4, 2);
    context.fill();
    context.fillStyle = colour("--accent");
    context.beginPath();
    context.roundRect(from - 2, middle - 2, Math.max(x(clock.time) - from + 2, 0), 4, 2);
    context.fill();
    if (times.length > 1 && (to - from) / times.length > 5) {
      context.fillStyle = colour("--faint");
      for (const time of times) context.fillRect(x(time) - 0.5, middle + 7, 1, 3);
    }
    context.fillStyle = colour("--bad");
    for (const time of uncertified) context.fillRect(x(time) - 1, middle - 13, 2, 8);
  }
}
