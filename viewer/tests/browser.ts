// What the tests share: Debian's Chromium, the command, and a page that has no errors.

import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { type Browser, chromium, type Page } from "playwright-core";

export const granule = process.env["GRANULE"] ?? "../target/release/granule";
const places = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
export const chromiumPath = places.find((place) => existsSync(place));
/** Generous: machines that test are slow and busy. */
export const PATIENCE = 120_000;

export function launch(): Promise<Browser> {
  const quiet = ["--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
  const draws = ["--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"];
  return chromium.launch({ executablePath: chromiumPath!, args: ["--no-sandbox", ...draws, ...quiet] });
}

export interface Served {
  child: ChildProcess;
  address: string;
  /** The exit code, once it has ended. */
  ended: Promise<number | null>;
  stop(): Promise<number | null>;
}

/** The command with a page, and the address that it prints. */
export async function serve(...words: string[]): Promise<Served> {
  const child = spawn(granule, words, { stdio: ["ignore", "pipe", "pipe"] });
  const ended = new Promise<number | null>((done) => child.on("exit", done));
  let told = "";
  child.stderr!.on("data", (data) => (told += String(data)));
  const address = await new Promise<string>((done, failed) => {
    child.stdout!.once("data", (data) => done(String(data).trim()));
    child.once("exit", (code) => failed(new Error(`the command ended with ${code}: ${told}`)));
  });
  const stop = () => {
    child.kill("SIGINT");
    return ended;
  };
  return { child, address, ended, stop };
}

export function run(...words: string[]): Promise<void> {
  const child = spawn(granule, ["run", ...words, "--quiet"], { stdio: ["ignore", "inherit", "inherit"] });
  return new Promise((done, failed) => child.on("exit", (code) => (code === 0 ? done() : failed(new Error(`run: ${code}`)))));
}

/** A page that has opened its run; whatever its console complains of is in `errors`. */
export async function open(browser: Browser, address: string, width = 1100, height = 720): Promise<{ page: Page; errors: string[] }> {
  const page = await browser.newPage({ viewport: { width, height }, colorScheme: "dark" });
  page.setDefaultTimeout(PATIENCE);
  const errors: string[] = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) errors.push(message.text());
  });
  page.on("pageerror", (error) => errors.push(String(error)));
  const host = new URL(address).host;
  page.on("request", (request) => {
    const url = new URL(request.url());
    if (!["blob:", "data:"].includes(url.protocol) && url.host !== host) errors.push(`asks ${url.host}`);
  });
  await page.goto(address);
  await page.waitForSelector("#veil", { state: "hidden" });
  return { page, errors };
}

export const text = async (page: Page, id: string): Promise<string> => (await page.locator(`#${id}`).textContent()) ?? "";

/** Waits until something holds. */
export async function until(what: () => Promise<boolean>, why: string): Promise<void> {
  const end = Date.now() + PATIENCE;
  while (!(await what())) {
    assert.ok(Date.now() < end, `in vain: ${why}`);
    await new Promise((done) => setTimeout(done, 60));
  }
}

/** The time that the page shows, s. */
export const shownTime = async (page: Page): Promise<number> => Number.parseFloat(await text(page, "now"));
export const frameNumber = async (page: Page): Promise<number> =>
  Number.parseInt((await text(page, "frame-number")).replace("frame ", ""), 10);
