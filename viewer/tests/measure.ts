// How fast the viewer is: a run of 10 GB is opened, and 125 000 spheres are turned. It says what it measured; nothing is asserted.
//
// Processor time is that of all of Chromium's processes, so that it tells more than the clock where others use the machine too.

import { execFileSync } from "node:child_process";
import { cpSync, linkSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { launch, open, run, serve } from "./browser";

const SPHERES = 50;
const LARGE = 10e9;
/** ms. */
const TURNING = 10_000;
/** How often each run is opened. */
const TIMES = 5;

const scene = `
[scene]
name = "block"
gravity = [0, 0, -9.81]
[time]
step = 1e-3
end = 0.02
[contacts]
law = "frictionless"
[output]
frame_interval = 1e-3
[[walls]]
box = { size = [1.02, 1.02, 1.02], open = ["+z"] }
position = [0.51, 0.51, 0.51]
[[grains]]
grid = { counts = [${SPHERES}, ${SPHERES}, ${SPHERES}], spacing = 0.0204, origin = [0.0102, 0.0102, 0.0104], jitter = 3e-4 }
radius = { uniform = [0.008, 0.0095] }
seed = 6
`;

/** Of the frames of a run, bytes. */
function sizeOf(place: string): number {
  const frames = join(place, "frames");
  return readdirSync(frames).reduce((sum, name) => sum + statSync(join(frames, name)).size, 0);
}

/** Makes a run as large as is asked for of one that is there: its frames again and again, as other names of the same files. */
function repeat(place: string): { frames: number; bytes: number } {
  const frames = join(place, "frames");
  const names = readdirSync(frames);
  const list = readFileSync(join(place, "frames.pvd"), "utf8");
  const lines = list.split("\n").filter((line) => line.includes("<DataSet"));
  const count = new Set(lines.map((line) => /timestep="([^"]*)"/.exec(line)![1])).size;
  const size = sizeOf(place);
  const times = Math.ceil(LARGE / size);
  const all = [...lines];
  for (let k = 1; k < times; k++) {
    for (const name of names) linkSync(join(frames, name), join(frames, `r${k}_${name}`));
    for (const line of lines) {
      const time = Number(/timestep="([^"]*)"/.exec(line)![1]);
      all.push(line.replace(/timestep="[^"]*"/, `timestep="${time + 0.021 * k}"`).replace("frames/", `frames/r${k}_`));
    }
  }
  const [head, tail] = [list.slice(0, list.indexOf(lines[0]!)), list.slice(list.lastIndexOf(lines.at(-1)!) + lines.at(-1)!.length)];
  writeFileSync(join(place, "frames.pvd"), head + all.join("\n") + tail);
  // As many rows as a run of ten steps a frame has.
  const series = readFileSync(join(place, "series.csv"), "utf8").trimEnd().split("\n");
  const rows = Array.from({ length: 10 * times }, () => series.slice(1).join("\n"));
  writeFileSync(join(place, "series.csv"), `${series[0]}\n${rows.join("\n")}\n`);
  return { frames: count * times, bytes: size * times };
}

/** Processor time of all programs that this one has started, the command aside, s: not of other browsers on the machine. */
function processorTime(): number {
  const programs = new Map<string, { parent: string; ticks: number }>();
  for (const id of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      const [before, after] = readFileSync(`/proc/${id}/stat`, "utf8").split(") ");
      const fields = after!.split(" ");
      const ticks = before!.includes("(granule") ? 0 : Number(fields[11]) + Number(fields[12]);
      programs.set(id, { parent: fields[1]!, ticks });
    } catch {
      // It has ended.
    }
  }
  const isOurs = (id: string): boolean => {
    const parent = programs.get(id)?.parent;
    return parent !== undefined && (parent === String(process.pid) || isOurs(parent));
  };
  let sum = 0;
  for (const [id, { ticks }] of programs) if (isOurs(id)) sum += ticks;
  return sum / Number(execFileSync("getconf", ["CLK_TCK"]));
}

const figures = (page: Page) =>
  page.evaluate(() => (window as unknown as { granule: { figures(): { drawings: number; bodies: number } } }).granule.figures());

/** Turns the view for a while: drawings a second, and what each took of processors. */
async function turn(page: Page, what: string): Promise<void> {
  const box = (await page.locator("#canvas").boundingBox())!;
  const middle = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  await page.mouse.move(middle.x, middle.y);
  await page.mouse.down();
  let angle = 0;
  const step = async () => {
    angle += 0.05;
    await page.mouse.move(middle.x + 160 * Math.sin(angle), middle.y + 40 * Math.sin(2.3 * angle));
  };
  // Until pixels are as coarse as they get.
  for (const end = Date.now() + TURNING / 2; Date.now() < end; ) await step();
  const [before, used, began] = [await figures(page), processorTime(), Date.now()];
  for (const end = began + TURNING; Date.now() < end; ) await step();
  const [after, spent] = [await figures(page), processorTime() - used];
  await page.mouse.up();
  const [count, seconds] = [after.drawings - before.drawings, (Date.now() - began) / 1000];
  const busy = `${((1000 * spent) / count).toFixed(1)} ms of processors each, ${(spent / seconds).toFixed(2)} processors busy`;
  console.log(`${what}: ${after.bodies} bodies, ${(count / seconds).toFixed(1)} pictures a second, ${busy}`);
}

/** From the start of a page to its first picture: by the page's own clock, and by that of Chromium's processors. */
interface Opening {
  /** s. */
  clock: number;
  processors: number;
}

/** Waits for a first picture in whole: reading a pixel takes until it is drawn. */
const readOne = (canvas: HTMLCanvasElement): number => {
  const context = canvas.getContext("webgl2", { antialias: false, alpha: false })!;
  context.readPixels(0, 0, 1, 1, context.RGBA, context.UNSIGNED_BYTE, new Uint8Array(4));
  return performance.now() / 1000;
};

/** The same of a page with nothing but a canvas of one colour: the browser's own part. */
async function nothing(browser: Browser): Promise<Opening> {
  const used = processorTime();
  const page = await browser.newPage({ viewport: { width: 1100, height: 720 } });
  await page.setContent("<canvas width=1100 height=720></canvas>");
  await page.evaluate(() => {
    const context = document.querySelector("canvas")!.getContext("webgl2", { antialias: false, alpha: false })!;
    context.clearColor(1, 0, 0, 1);
    context.clear(context.COLOR_BUFFER_BIT);
  });
  const clock = await page.locator("canvas").evaluate(readOne);
  const processors = processorTime() - used;
  await page.close();
  return { clock, processors };
}

/** Opens a run, and another time its last frame. */
async function opening(browser: Browser, place: string, frames: number): Promise<{ first: Opening; last: number; page: Page; close: () => Promise<void> }> {
  const served = await serve("view", place);
  const used = processorTime();
  const { page } = await open(browser, served.address);
  const clock = await page.locator("#canvas").evaluate(readOne);
  const processors = processorTime() - used;
  const began = performance.now();
  await page.click("#last");
  await page.waitForFunction((count) => document.getElementById("frame-number")!.textContent === `frame ${count} of ${count}`, frames);
  const last = (performance.now() - began) / 1000;
  const close = async () => {
    await page.close();
    await served.stop();
  };
  return { first: { clock, processors }, last, page, close };
}

const middle = (values: number[]): string => values.sort((a, b) => a - b)[Math.floor(values.length / 2)]!.toFixed(2);

function tell(what: string, openings: Opening[]): void {
  const [clock, processors] = [openings.map((each) => each.clock), openings.map((each) => each.processors)];
  console.log(`${what}: first picture after ${middle(clock)} s, ${middle(processors)} s of processors`);
}

/** Runs of different sizes in turn, so that whatever else the machine does falls on all of them. */
async function openings(browser: Browser, places: { place: string; frames: number; bytes: number }[]): Promise<void> {
  const [blank, found] = [[] as Opening[], places.map(() => [] as Opening[])];
  const lasts = places.map(() => [] as number[]);
  for (let k = 0; k < TIMES; k++) {
    blank.push(await nothing(browser));
    for (const [n, { place, frames }] of places.entries()) {
      const { first, last, close } = await opening(browser, place, frames);
      found[n]!.push(first);
      lasts[n]!.push(last);
      await close();
    }
  }
  tell("a page with an empty canvas", blank);
  for (const [n, { frames, bytes }] of places.entries()) {
    tell(`${(bytes / 1e9).toFixed(1)} GB in ${frames} frames`, found[n]!);
    console.log(`  its last frame ${middle(lasts[n]!)} s after it is asked for`);
  }
}

const folder = await mkdtemp(join(tmpdir(), "granule-measure-"));
try {
  const place = join(folder, "block");
  writeFileSync(join(folder, "block.toml"), scene);
  await run(join(folder, "block.toml"), "--out", place);
  const browser = await launch();
  const large = join(folder, "large");
  cpSync(place, large, { recursive: true });
  const small = { place, frames: 21, bytes: sizeOf(place) };
  await openings(browser, [small, { place: large, ...repeat(large) }]);
  const { page, close } = await opening(browser, place, small.frames);
  await turn(page, "turning");
  await page.click("#loop");
  await page.click("#play");
  await turn(page, "turning while it plays");
  await close();
  await browser.close();
} finally {
  await rm(folder, { recursive: true });
}
