// Pictures and films of what is shown, with its legend and time.

import { at, say } from "./dom";
import type { Stage } from "../stage/stage";

/** Bits a second of a film. */
const RATE = 12e6;
/** The first of these that the browser writes. */
const KINDS = ["video/webm;codecs=vp9", "video/webm;codecs=vp8", "video/webm"];

/** What stands beside the bodies in a picture. */
export interface Caption {
  time: string;
  /** From the lowest up; `colours` are from left to right. */
  scales: { title: string; colours: string[]; low: string; high: string }[];
}

export class Recorder {
  private film: { recorder: MediaRecorder; canvas: HTMLCanvasElement } | null = null;

  constructor(
    private readonly stage: Stage,
    private readonly caption: () => Caption,
    private readonly name: () => string,
  ) {
    stage.onDrawn = () => this.frame();
  }

  get films(): boolean {
    return this.film !== null;
  }

  /** Saves what is shown, twice as fine as the screen. */
  shoot(): void {
    const canvas = document.createElement("canvas");
    this.stage.drawFinely(2 * Math.min(window.devicePixelRatio, 2));
    this.compose(canvas);
    this.stage.drawUsually();
    canvas.toBlob((blob) => {
      if (blob) save(blob, `${this.name()}.png`);
    }, "image/png");
    say("Picture saved");
  }

  /** Begins or ends a film; whether one is being made now. */
  toggle(): boolean {
    if (this.film) {
      this.film.recorder.stop();
      this.film = null;
      say("Film saved");
      return false;
    }
    const type = typeof MediaRecorder === "undefined" ? undefined : KINDS.find((kind) => MediaRecorder.isTypeSupported(kind));
    if (!type) {
      say("This browser cannot record films");
      return false;
    }
    const canvas = document.createElement("canvas");
    this.compose(canvas);
    const recorder = new MediaRecorder(canvas.captureStream(30), { mimeType: type, videoBitsPerSecond: RATE });
    const parts: Blob[] = [];
    recorder.addEventListener("dataavailable", ({ data }) => {
      if (data.size > 0) parts.push(data);
    });
    const name = `${this.name()}.webm`;
    recorder.addEventListener("stop", () => save(new Blob(parts, { type: "video/webm" }), name));
    recorder.start(500);
    this.film = { recorder, canvas };
    say("Records a film");
    return true;
  }

  private frame(): void {
    if (this.film) this.compose(this.film.canvas, true);
  }

  /** The drawing with the time and the legend. A film keeps the size that it began with. */
  private compose(canvas: HTMLCanvasElement, keeps = false): void {
    const source = this.stage.canvas;
    if (!keeps || canvas.width === 0) {
      canvas.width = source.width - (source.width % 2);
      canvas.height = source.height - (source.height % 2);
    }
    const context = canvas.getContext("2d")!;
    const { width, height } = canvas;
    const style = getComputedStyle(document.documentElement);
    const colour = (name: string) => style.getPropertyValue(name).trim();
    context.drawImage(source, 0, 0, width, height);
    const unit = width / Math.max(at("canvas").clientWidth, 1);
    context.setTransform(unit, 0, 0, unit, 0, 0);
    const caption = this.caption();
    context.font = "550 15px 'Inter Variable', system-ui, sans-serif";
    context.fillStyle = colour("--ink");
    context.fillText(caption.time, 16, 28);
    context.font = "13px 'Inter Variable', system-ui, sans-serif";
    caption.scales.forEach(({ title, colours, low, high }, k) => {
      const [left, top] = [16, height / unit - 44 - 62 * k];
      context.fillStyle = colour("--ink");
      context.fillText(title, left, top - 8);
      const strip = context.createLinearGradient(left, 0, left + 220, 0);
      colours.forEach((each, n) => strip.addColorStop(n / (colours.length - 1), each));
      context.fillStyle = strip;
      context.fillRect(left, top, 220, 8);
      context.fillStyle = colour("--soft");
      context.fillText(low, left, top + 24);
      context.textAlign = "right";
      context.fillText(high, left + 220, top + 24);
      context.textAlign = "left";
    });
    context.setTransform(1, 0, 0, 1, 0, 0);
  }
}

function save(blob: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
