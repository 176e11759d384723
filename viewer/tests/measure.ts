// How fast the viewer is: a run of 10 GB is opened, and 125 000 spheres are turned. It says what it measured; nothing is asserted.
//
// Processor time is that of all of Chromium's processes, so that it tells more than the clock where others use the machine too.

import { execFileSync } from "node:child_process";
import { linkSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { launch, open, run, serve } from "./browser";

const SPHERES = 50;
const LARGE = 10e9;
/** ms. */
const TURNING = 10_000;

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

/** Makes a run as large as is asked for of one that is there: its frames again and again, as other names of the same files. */
function repeat(place: string): { frames: number; bytes: number } {
  const frames = join(place, "frames");
  const names = readdirSync(frames);
  const list = readFileSync(join(place, "frames.pvd"), "utf8");
  const lines = list.split("\n").filter((line) => line.includes("<DataSet"));
  const count = new Set(lines.map((line) => /timestep="([^"]*)"/.exec(line)![1])).size;
  const size = names.reduce((sum, name) => sum + statSync(join(frames, name)).size, 0);
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

/** Processor time of all programs that Chromium started, s. */
function processorTime(folder: string): number {
  let sum = 0;
  for (const id of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      if (!readFileSync(`/proc/${id}/cmdline`, "utf8").includes(folder)) continue;
      const fields = readFileSync(`/proc/${id}/stat`, "utf8").split(") ")[1]!.split(" ");
      sum += Number(fields[11]) + Number(fields[12]);
    } catch {
      // It has ended.
    }
  }
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
  const [before, used, began] = [await figures(page), processorTime(program), Date.now()];
  for (const end = began + TURNING; Date.now() < end; ) await step();
  const [after, spent] = [await figures(page), processorTime(program) - used];
  await page.mouse.up();
  const [count, seconds] = [after.drawings - before.drawings, (Date.now() - began) / 1000];
  const busy = `${((1000 * spent) / count).toFixed(1)} ms of processors each, ${(spent / seconds).toFixed(2)} processors busy`;
  console.log(`${what}: ${after.bodies} bodies, ${(count / seconds).toFixed(1)} pictures a second, ${busy}`);
}

/** Opens a run and goes to its last frame. */
async function opening(browser: Browser, what: string, place: string, frames: number): Promise<{ page: Page; close: () => Promise<void> }> {
  const times = [performance.now()];
  const served = await serve("view", place);
  times.push(performance.now());
  const { page } = await open(browser, served.address);
  times.push(performance.now());
  await page.click("#last");
  await page.waitForFunction((count) => document.getElementById("frame-number")!.textContent === `frame ${count} of ${count}`, frames);
  times.push(performance.now());
  const [listens, shown, last] = times.slice(1).map((time, k) => `${(time - times[k]!).toFixed(0)} ms`);
  const own = await page.evaluate(() => {
    const entries = performance.getEntriesByType("resource") as PerformanceResourceTiming[];
    return entries.map(({ requestStart, responseEnd }) => responseEnd - requestStart);
  });
  const answers = `${own.length} answers in ${own.reduce((sum, each) => sum + each, 0).toFixed(0)} ms`;
  console.log(`${what}: listens after ${listens}, shown ${shown} later, its last frame ${last} later; ${answers}`);
  const close = async () => {
    await page.close();
    await served.stop();
  };
  return { page, close };
}

/** In the command line of every program of this Chromium. */
const program = "/chromium/";
const folder = await mkdtemp(join(tmpdir(), "granule-measure-"));
try {
  const place = join(folder, "block");
  writeFileSync(join(folder, "block.toml"), scene);
  await run(join(folder, "block.toml"), "--out", place);
  const browser = await launch();
  const small = await opening(browser, "the run as it was made", place, 21);
  await turn(small.page, "turning");
  await small.page.click("#loop");
  await small.page.click("#play");
  await turn(small.page, "turning while it plays");
  await small.close();
  const { frames, bytes } = repeat(place);
  const large = await opening(browser, `${(bytes / 1e9).toFixed(1)} GB in ${frames} frames`, place, frames);
  await large.close();
  await browser.close();
} finally {
  await rm(folder, { recursive: true });
}
