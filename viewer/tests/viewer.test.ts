// The viewer as people use it: in Chromium, on runs that the command has made.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { frameNumber, launch, open, PATIENCE, run, type Served, serve, shownTime, text, until } from "./browser";

const scenes = join(process.cwd(), "..", "scenes");
let folder: string;
let browser: Browser;
let finished: Served;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "granule-view-"));
  await run(join(scenes, "hourglass.toml"), "--until", "0.3", "--out", join(folder, "hourglass"));
  await run(join(scenes, "domino.toml"), "--until", "0.2", "--out", join(folder, "domino"));
  browser = await launch();
  finished = await serve("view", join(folder, "hourglass"));
});

after(async () => {
  await browser?.close();
  assert.equal(await finished?.stop(), 0);
  await rm(folder, { recursive: true });
});

async function closing(page: Page, errors: string[]): Promise<void> {
  assert.deepEqual(errors, []);
  await page.close();
}

const drawing = (page: Page): Promise<Buffer> => page.locator("#canvas").screenshot();

test("a run opens, its frames play, and the drawing changes with time", async () => {
  const { page, errors } = await open(browser, finished.address);
  assert.match(await text(page, "pill"), /Completed/);
  assert.equal(await frameNumber(page), 1);
  const first = await drawing(page);
  await page.click("#play");
  await until(async () => (await frameNumber(page)) > 4, "frames play");
  await page.click("#play");
  assert.ok((await shownTime(page)) > 0);
  const later = await drawing(page);
  assert.ok(!first.equals(later), "the drawing is another one");
  await page.waitForTimeout(300);
  const resting = await shownTime(page);
  await page.waitForTimeout(300);
  assert.equal(await shownTime(page), resting);
  await page.click("#last");
  await until(async () => (await shownTime(page)) === 0.3, "the end is shown");
  await closing(page, errors);
});

test("a click picks the body that is there, with its data and contacts", async () => {
  const { page, errors } = await open(browser, finished.address);
  await page.click("#last");
  const box = (await page.locator("#canvas").boundingBox())!;
  // Somewhere along the middle there are grains.
  await until(async () => {
    for (let part = 0.2; part < 0.9; part += 0.07) {
      await page.mouse.click(box.x + box.width / 2, box.y + part * box.height);
      if (await page.locator("#body-data .title").isVisible()) return true;
    }
    return false;
  }, "a body is under one of the clicks");
  const id = Number((await page.locator("#body-data .title").textContent())!.replace("Body ", ""));
  const facts = await page.locator("#body-data .facts").textContent();
  const base = finished.address;
  const body = await (await fetch(`${base}runs/0/frames/${(await frameNumber(page)) - 1}/body/${id}`)).json();
  assert.ok(facts!.includes("sphere") && facts!.includes(body.material));
  assert.equal(await page.locator("#body-data tr").count(), body.contacts.length === 0 ? 0 : body.contacts.length + 2);
  // Its ring is where it was clicked, and goes with it to where it came from; so does its panel.
  const ring = () => page.locator("#marker").boundingBox();
  const title = () => page.locator("#body-data .title").textContent();
  let before = { x: 0, y: 0 };
  await until(async () => {
    const now = await ring();
    if (now) before = now;
    return now !== null;
  }, "the ring is drawn");
  await page.keyboard.press("Home");
  await until(async () => (await shownTime(page)) === 0, "the start is shown");
  // A body that comes from beyond the picture has no ring there.
  const moved = async () => Math.abs(((await ring())?.y ?? Infinity) - before.y) > 2;
  await until(moved, "the ring moves with the body");
  const early = await (await fetch(`${base}runs/0/frames/0/body/${id}`)).json();
  assert.equal(early.contacts.length, 0);
  await until(async () => /No contacts/.test((await page.locator("#body-data").textContent())!), "the panel is of the start");
  assert.equal(await title(), `Body ${id}`);
  // A click beside all bodies drops it, and the panel says so at once.
  await page.evaluate(() => {
    // Called after the page's own.
    const see = () => Object.assign(window, { panelThen: document.getElementById("body-data")!.textContent });
    document.getElementById("canvas")!.addEventListener("pointerup", see);
  });
  await page.mouse.click(box.x + 12, box.y + 12);
  const panel = await page.evaluate(() => (window as unknown as { panelThen: string }).panelThen);
  assert.match(panel, /Click a body/);
  await page.fill("#body-id", String(id));
  await page.press("#body-id", "Enter");
  assert.equal(await title(), `Body ${id}`);
  await page.getByRole("button", { name: "Trail" }).click();
  await page.getByRole("button", { name: "Follow" }).click();
  const centre = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  await until(async () => {
    const now = await ring();
    return now !== null && Math.hypot(now.x + now.width / 2 - centre.x, now.y + now.height / 2 - centre.y) < 4;
  }, "the view follows the body");
  await closing(page, errors);
});

test("colours, forces, arrows and the cut change what is drawn", async () => {
  const { page, errors } = await open(browser, finished.address);
  await page.click("#last");
  await page.waitForTimeout(500);
  let last = await drawing(page);
  const changes = async (what: string, act: () => Promise<unknown>) => {
    await act();
    await until(async () => {
      const now = await drawing(page);
      const differs = !now.equals(last);
      if (differs) last = now;
      return differs;
    }, what);
    await page.waitForTimeout(400);
    last = await drawing(page);
  };
  await changes("another quantity", () => page.selectOption("#quantity", "pressure"));
  assert.match(await text(page, "legend-title"), /Pressure\s*Pa/);
  await changes("another scale", () => page.selectOption("#scale", "ember"));
  await changes("another range", async () => {
    await page.fill("#range-high", "10");
    await page.press("#range-high", "Enter");
  });
  assert.equal(await text(page, "legend-high"), "10");
  await page.fill("#range-high", "nonsense");
  await page.press("#range-high", "Enter");
  assert.equal(await page.getAttribute("#range-high", "aria-invalid"), "true");
  // Chains are seen through bodies of glass, which are solid again without them.
  const solid = () => page.locator("input[name=bodies][value=solid]").isChecked();
  await changes("force chains", () => page.locator("#look").getByText("Force chains").click());
  assert.equal(await solid(), false);
  await changes("no chains", () => page.locator("#look").getByText("Force chains").click());
  assert.equal(await solid(), true);
  await changes("glass", () => page.getByText("Glass", { exact: true }).click());
  await changes("force chains on glass", () => page.locator("#look").getByText("Force chains").click());
  assert.match(await text(page, "force-note"), /\d+ forces/);
  assert.match(await text(page, "legend-forces"), /Contact force N\s*0[^0-9]*[0-9]/);
  await changes("arrows", () => page.locator("#look").getByText("Velocity arrows").click());
  await changes("a cut", () => page.locator("#look").getByText("y", { exact: true }).click());
  await changes("no walls", () => page.locator("#look").getByText("Walls").click());
  await closing(page, errors);
});

test("a cut shows what is inside of what it goes through", async () => {
  const scene = join(folder, "cut.toml");
  const head = "[scene]\nname = \"cut\"\n[time]\nstep = 1e-3\nend = 1e-3\n[contacts]\nlaw = \"frictionless\"\n[materials.a]\ndensity = 1000\n";
  const bodies = ["sphere = { radius = 1 }\nposition = [-1.2, 0, 0]", "box = { size = [2, 2, 2] }\nposition = [1.2, 0, 0]"];
  await writeFile(scene, head + bodies.map((body) => `[[bodies]]\nmaterial = "a"\n${body}\n`).join(""));
  await run(scene, "--out", join(folder, "cut"));
  const served = await serve("view", join(folder, "cut"));
  const { page, errors } = await open(browser, served.address);
  await page.selectOption("#quantity", "material");
  await page.locator("#canvas").focus();
  await page.keyboard.press("2");
  const warm = async () => (await tints(page)).warm;
  let whole = 0;
  await until(async () => (whole = await warm()) > 20_000, "both are seen from the front");
  // Less than half of both is left, and one sees into it.
  await page.locator("#look").getByText("y", { exact: true }).click();
  await page.fill("#clip-at", "0.6");
  let half = 0;
  await until(async () => (half = await warm()) < 0.97 * whole && half > 0.4 * whole, "the faces of the cut are seen");
  // Farther, the circle is small, and the square as large as it was but for its distance.
  await page.fill("#clip-at", "0.75");
  await until(async () => (await warm()) < 0.85 * half, "the circle is smaller");
  assert.ok((await warm()) > 0.25 * half);
  // A click on the face picks the body.
  await page.fill("#clip-at", "0.6");
  const box = (await page.locator("#canvas").boundingBox())!;
  await page.mouse.click(box.x + 0.35 * box.width, box.y + 0.5 * box.height);
  await until(async () => (await page.locator("#body-data .title").textContent()) === "Body 0", "the sphere is picked by its face");
  await closing(page, errors);
  await served.stop();
});

/** How many pixels of a drawing are rather red than blue, and how many rather blue. */
async function tints(page: Page): Promise<{ warm: number; cold: number }> {
  const url = `data:image/png;base64,${(await drawing(page)).toString("base64")}`;
  // Another page, which may load it.
  const other = await browser.newPage();
  const found = await other.evaluate(async (url) => {
    const bitmap = await createImageBitmap(await (await fetch(url)).blob());
    const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d")!;
    context.drawImage(bitmap, 0, 0);
    const { data } = context.getImageData(0, 0, bitmap.width, bitmap.height);
    let [warm, cold] = [0, 0];
    for (let k = 0; k < data.length; k += 4) {
      if (data[k]! > data[k + 2]! + 24) warm += 1;
      if (data[k + 2]! > data[k]! + 24) cold += 1;
    }
    return { warm, cold };
  }, url);
  await other.close();
  return found;
}

test("of many small spheres those in front are seen", async () => {
  const grid = (material: string, y: number) =>
    `[[grains]]\nmaterial = "${material}"\nradius = 0.5\ngrid = { counts = [30, 4, 30], spacing = 1.02, origin = [0, ${y}, 1] }\n`;
  const head = "[scene]\nname = \"halves\"\n[time]\nstep = 1e-3\nend = 1e-3\n[materials.a]\ndensity = 1000\n[materials.b]\ndensity = 1000\n";
  const scene = join(folder, "halves.toml");
  await writeFile(scene, head + grid("a", 0) + grid("b", 4.5));
  await run(scene, "--out", join(folder, "halves"));
  const served = await serve("view", join(folder, "halves"));
  const { page, errors } = await open(browser, served.address);
  await page.selectOption("#quantity", "material");
  await page.locator("#canvas").focus();
  for (const [key, front] of [["2", "warm"], ["5", "cold"], ["2", "warm"]] as const) {
    await page.keyboard.press(key);
    const behind = front === "warm" ? "cold" : "warm";
    let seen = { warm: 0, cold: 0 };
    await until(async () => (seen = await tints(page))[front] > 20_000, `from ${key} one sees what is there`);
    // Through gaps between them one sees a little of those behind.
    assert.ok(seen[behind] < 0.1 * seen[front], `${key}: ${JSON.stringify(seen)}`);
  }
  // A cut across y takes the front away.
  await page.locator("#look").getByText("y", { exact: true }).click();
  await until(async () => (await tints(page)).cold > 20_000, "behind the cut");
  await closing(page, errors);
  await served.stop();
});

test("charts are tied to time", async () => {
  const { page, errors } = await open(browser, finished.address);
  await page.click("#tab-charts");
  const energies = page.locator(".chart", { hasText: "Energies" });
  await until(async () => /J/.test((await energies.locator(".chart-values").textContent()) ?? ""), "values are there");
  await page.waitForTimeout(300);
  const early = await energies.locator(".chart-values").textContent();
  const picture = await energies.locator("canvas").screenshot();
  const box = (await energies.locator("canvas").boundingBox())!;
  await page.mouse.click(box.x + 0.7 * box.width, box.y + 40);
  await until(async () => Math.abs((await shownTime(page)) - 0.21) < 0.02, "a click on a chart sets the time");
  await until(async () => (await energies.locator(".chart-values").textContent()) !== early, "values follow");
  assert.ok(!picture.equals(await energies.locator("canvas").screenshot()), "the cursor moves");
  const count = await page.locator(".chart").count();
  await page.selectOption("#chart-add", "step_size");
  assert.equal(await page.locator(".chart").count(), count + 1);
  await closing(page, errors);
});

test("everything can be done with keys", async () => {
  const { page, errors } = await open(browser, finished.address);
  for (let k = 0; k < 40; k++) {
    await page.keyboard.press("Tab");
    if ((await page.evaluate(() => document.activeElement?.id)) === "canvas") break;
  }
  assert.equal(await page.evaluate(() => document.activeElement?.id), "canvas");
  const before = await drawing(page);
  await page.keyboard.press("ArrowLeft");
  await until(async () => !before.equals(await drawing(page)), "the view turns");
  await page.keyboard.press(".");
  await until(async () => (await frameNumber(page)) === 2, "the next frame is shown");
  await page.keyboard.press("End");
  await until(async () => (await shownTime(page)) === 0.3, "the end is shown");
  await page.keyboard.press("n");
  await until(async () => (await page.locator("#body-data .title").textContent().catch(() => "")) === "Body 0", "a body is picked");
  await page.keyboard.press("Escape");
  await page.keyboard.press("f");
  assert.ok(await page.isChecked("#forces"));
  await page.keyboard.press("d");
  assert.equal(await page.evaluate(() => document.documentElement.dataset["theme"]), "light");
  await page.keyboard.press("?");
  assert.ok(await page.locator("#keys").isVisible());
  await page.keyboard.press("Escape");
  await page.keyboard.press("Home");
  await page.keyboard.press(" ");
  await until(async () => (await frameNumber(page)) > 1, "the space bar plays");
  // Whatever takes the focus has a name.
  const nameless = await page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>("button, select, input, canvas[tabindex]")]
      .filter((each) => each.offsetParent !== null)
      .filter((each) => !(each.ariaLabel || each.textContent?.trim() || (each as HTMLInputElement).labels?.length || each.getAttribute("aria-describedby")))
      .map((each) => each.id),
  );
  assert.deepEqual(nameless, []);
  await closing(page, errors);
});

test("the rules for pages that everybody can use are kept", async () => {
  const rules = readFileSync(join(process.cwd(), "node_modules", "axe-core", "axe.min.js"), "utf8");
  const { page, errors } = await open(browser, finished.address);
  const broken = async (where: string) => {
    const found = await page.evaluate(async () => {
      const { axe } = window as unknown as { axe: { run(): Promise<{ violations: { id: string; nodes: { target: string[] }[] }[] }> } };
      return (await axe.run()).violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(" ")).join(", ")}`);
    });
    assert.deepEqual(found, [], where);
  };
  await page.evaluate(rules);
  for (const width of [1100, 360]) {
    await page.setViewportSize({ width, height: 720 });
    for (const colours of ["dark", "light"]) {
      for (const tab of ["look", "charts", "body", "run"]) {
        if (await page.locator(`#tab-${tab}`).isHidden()) await page.click("#panel-toggle");
        await page.click(`#tab-${tab}`);
        if (tab === "look" && width > 360 && colours === "dark") {
          await page.locator("#look").getByText("Force chains").click();
          await page.locator("#look").getByText("y", { exact: true }).click();
        }
        if (tab === "body") {
          await page.fill("#body-id", "3");
          await page.press("#body-id", "Enter");
          await page.locator("#body-data .facts").waitFor();
        }
        await broken(`${tab}, ${width} pixels, ${colours}`);
      }
      await page.click("#theme");
    }
  }
  await page.keyboard.press("?");
  await broken("keys");
  await closing(page, errors);
});

test("pictures and films are saved", async () => {
  const { page, errors } = await open(browser, finished.address);
  const picture = page.waitForEvent("download");
  await page.click("#shoot");
  const shot = readFileSync((await (await picture).path())!);
  assert.equal(shot.subarray(1, 4).toString(), "PNG");
  assert.ok(shot.length > 10_000);
  await page.click("#record");
  await until(async () => (await frameNumber(page)) > 3, "it plays while it films");
  const film = page.waitForEvent("download");
  await page.click("#record");
  const bytes = readFileSync((await (await film).path())!);
  assert.deepEqual([...bytes.subarray(0, 4)], [0x1a, 0x45, 0xdf, 0xa3]);
  assert.ok(bytes.length > 3_000);
  await closing(page, errors);
});

test("360 pixels are enough", async () => {
  const { page, errors } = await open(browser, finished.address, 360, 720);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(wide <= 360, `${wide}`);
  const outside = () =>
    page.evaluate(() =>
      [...document.querySelectorAll<HTMLElement>("button, select, input")]
        .filter((each) => each.offsetParent !== null && each.getBoundingClientRect().right > 361)
        .map((each) => each.id || each.textContent),
    );
  assert.deepEqual(await outside(), []);
  await page.click("#loop");
  assert.equal(await page.getAttribute("#loop", "aria-pressed"), "true");
  await page.click("#play");
  await until(async () => (await frameNumber(page)) > 2, "frames play");
  await page.click("#panel-toggle");
  await page.click("#tab-charts");
  assert.ok(await page.locator("#charts").isVisible());
  assert.deepEqual(await outside(), []);
  assert.ok((await page.locator("#canvas").boundingBox())!.height > 120);
  await closing(page, errors);
});

test("two runs stand side by side with one time", async () => {
  const both = await serve("view", join(folder, "hourglass"), join(folder, "domino"));
  const { page, errors } = await open(browser, both.address, 1300, 720);
  assert.equal(await page.locator("#labels span").count(), 2);
  await page.click("#last");
  await until(async () => (await shownTime(page)) === 0.3, "the end is shown");
  assert.deepEqual(await page.locator("#labels span").allTextContents(), ["hourglass", "domino, ended at 0.2 s"]);
  // The names stand on what they name, also where there is room only below each other.
  const corners = () => page.locator("#labels span").evaluateAll((labels) => labels.map((label) => label.getBoundingClientRect()).map(({ left, top }) => [left, top] as const));
  const [first, second] = await corners();
  assert.ok(second![0] > first![0] + 300 && second![1] === first![1]);
  await page.setViewportSize({ width: 360, height: 720 });
  await page.click("#panel-toggle");
  await until(async () => {
    const [above, below] = await corners();
    return below![0] === above![0] && below![1] > above![1] + 100;
  }, "names are below each other");
  await page.setViewportSize({ width: 1300, height: 720 });
  const bodies = await page.evaluate(() => (window as unknown as { granule: { figures(): { bodies: number } } }).granule.figures().bodies);
  assert.ok(bodies > 1500, `${bodies}`);
  await page.selectOption("#run-b", "");
  await until(async () => (await page.locator("#labels span").count()) === 0, "one run alone");
  await closing(page, errors);
  assert.equal(await both.stop(), 0);
});

test("a run that goes on is followed, paused and stopped from the page", async () => {
  const scene = join(folder, "long.toml");
  const hourglass = readFileSync(join(scenes, "hourglass.toml"), "utf8");
  await writeFile(scene, hourglass);
  const going = await serve("run", scene, "--view", "--out", join(folder, "long"), "--until", "60", "--quiet", "--set", "output.frame_interval=0.002");
  const { page, errors } = await open(browser, going.address);
  await until(async () => (await text(page, "pill")) === "Running", "it runs");
  const early = await frameNumber(page);
  await until(async () => (await frameNumber(page)) > early, "new frames are shown");
  await page.click("#pause-run");
  await until(async () => (await text(page, "pill")) === "Paused", "it waits");
  const frames = async () => Number((await text(page, "frame-number")).split(" of ")[1]);
  // The page knows all that there are, and there are no more.
  const written = async () => ((await (await fetch(`${going.address}runs/0/state?frames=0`)).json()) as { frames: number }).frames;
  let waiting = 0;
  await until(async () => {
    waiting = await written();
    return waiting === (await frames());
  }, "all frames are known");
  await page.waitForTimeout(1200);
  assert.equal(await frames(), waiting);
  await page.click("#pause-run");
  await until(async () => (await frames()) > waiting, "it goes on");
  await page.click("#stop-run");
  await until(async () => (await text(page, "pill")) === "Stopped early", "it stops");
  await closing(page, errors);
  const summary = JSON.parse(readFileSync(join(folder, "long", "summary.json"), "utf8"));
  assert.equal(summary.status, "interrupted");
  // What was stopped is shown until Ctrl-C, and is an interrupted run then.
  assert.equal(await going.stop(), 130);
});

test("steps without a certificate are marked, and a damaged frame is told", async () => {
  const place = join(folder, "doubtful");
  await run(join(scenes, "hourglass.toml"), "--until", "0.1", "--out", place);
  const series = join(place, "series.csv");
  const rows = readFileSync(series, "utf8").split("\n");
  const column = rows[0]!.split(",").indexOf("certified[-]");
  const cells = rows[10]!.split(",");
  cells[column] = "0";
  rows[10] = cells.join(",");
  await writeFile(series, rows.join("\n"));
  await writeFile(join(place, "frames", "bodies_000003.vtp"), "no frame");
  const served = await serve("view", place);
  const { page, errors } = await open(browser, served.address);
  await until(async () => /At one time/.test(await text(page, "said")), "the mark is told");
  await page.evaluate(() => {
    const scrub = document.getElementById("scrub") as HTMLInputElement;
    scrub.value = "3";
    scrub.dispatchEvent(new Event("input"));
  });
  await until(async () => /bodies_000003/.test(await text(page, "trouble")), "what cannot be read is told");
  // The browser's own line about the status is all that the console says.
  assert.ok(errors.length > 0 && errors.every((line) => line.includes("500")), errors.join());
  await page.close();
  // If it is the first, the others can be shown all the same.
  await writeFile(join(place, "frames", "bodies_000000.vtp"), "no frame");
  const other = await browser.newPage({ viewport: { width: 1100, height: 720 } });
  other.setDefaultTimeout(PATIENCE);
  await other.goto(served.address);
  await until(async () => /cannot be shown/.test(await text(other, "veil-title")), "that the first cannot be shown is told");
  await other.click("#last");
  await other.waitForSelector("#veil", { state: "hidden" });
  assert.ok((await frameNumber(other)) > 4);
  await other.close();
  await served.stop();
});
