// The time that all views show, and how it goes on.

/** Seconds of a run in a second. */
export const SPEEDS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100];
/** Frames a second at the speed that is chosen first. */
const USUAL_RATE = 25;

export class Clock {
  time = 0;
  start = 0;
  end = 0;
  speed = 1;
  playing = false;
  loop = false;
  /** Whether it stays at the end while a run goes on. */
  follows = false;

  /** The speed at which frames so far apart (s) come at the usual rate. */
  suit(interval: number): void {
    const wanted = interval * USUAL_RATE;
    const off = (speed: number) => Math.abs(Math.log(speed / Math.max(wanted, 1e-9)));
    this.speed = SPEEDS.reduce((best, speed) => (off(speed) < off(best) ? speed : best), 1);
  }

  faster(by: number): void {
    const k = SPEEDS.indexOf(this.speed) + by;
    this.speed = SPEEDS[Math.min(Math.max(k, 0), SPEEDS.length - 1)]!;
  }

  span(start: number, end: number): void {
    this.start = start;
    this.end = end;
    if (this.follows) this.time = end;
    this.time = Math.min(Math.max(this.time, start), end);
  }

  seek(time: number): void {
    this.time = Math.min(Math.max(time, this.start), this.end);
    if (this.time < this.end) this.follows = false;
  }

  /** Where it would be after so many seconds, and whether it ends there. */
  after(seconds: number): { time: number; ends: boolean } {
    const time = this.time + seconds * this.speed;
    if (time < this.end) return { time, ends: false };
    return this.loop ? { time: this.start, ends: false } : { time: this.end, ends: true };
  }
}
