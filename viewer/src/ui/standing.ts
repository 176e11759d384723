// How runs are: their state, how far they are, and what is asked of those that go on.

import type { Run } from "../data/run";
import type { StateWord } from "../net/client";
import { at, make, options, say, shown, withUnit } from "./dom";

const WORDS: Record<StateWord, string> = {
  running: "Running",
  paused: "Paused",
  completed: "Completed",
  interrupted: "Stopped early",
  failed: "Failed",
  unfinished: "Ended without a summary",
};

/** The pill, and the buttons for a run that goes on. */
export function showStanding(run: Run): void {
  const { state, live } = run.state;
  at("standing").hidden = false;
  const pill = at("pill");
  if (pill.dataset["state"] !== state) {
    if (pill.dataset["state"] !== undefined) say(`The run is now: ${WORDS[state]}`);
    pill.dataset["state"] = state;
    pill.textContent = WORDS[state];
  }
  const far = live ? `${Math.round((100 * (live.time - live.start)) / Math.max(live.end - live.start, 1e-30))} % of ${shown(live.end)} s` : "";
  at("live-far").textContent = far;
  at("pause-run").hidden = at("stop-run").hidden = !run.going;
  at("pause-run").textContent = state === "paused" ? "Go on" : "Pause run";
}

/** Asks something of a run; what it says is in its next state. */
export async function control(run: Run, word: "pause" | "resume" | "stop", trouble: (text: string) => void): Promise<void> {
  const buttons = [at<HTMLButtonElement>("pause-run"), at<HTMLButtonElement>("stop-run")];
  for (const button of buttons) button.disabled = true;
  try {
    await run.client.control(word);
  } catch (error) {
    trouble(error instanceof Error ? error.message : String(error));
  }
  for (const button of buttons) button.disabled = false;
}

/** The tab that tells of the whole run. */
export function showAbout(run: Run, folder: string): void {
  const { about, state } = run;
  const { summary, live } = state;
  const facts: [string, string][] = [
    ["State", WORDS[state.state]],
    ["Folder", folder],
    ["Frames", String(run.times.length)],
  ];
  if (live) facts.push(["Step", String(live.step)], ["Time", `${withUnit(live.time, "s")} of ${withUnit(live.end, "s")}`]);
  if (summary) {
    facts.push(
      ["Bodies", String(summary.bodies)],
      ["Steps", String(summary.steps)],
      ["Without a certificate", String(summary.failed_steps)],
      ["Simulated", withUnit(summary.simulated_time, "s")],
      ["Took", withUnit(summary.wall_seconds, "s", 3)],
      ["Scheme", summary.scheme],
      ["Law", summary.law],
      ["Solver", summary.solver],
    );
  }
  facts.push(["Materials", about.materials.join(", ")], ["Walls", String(about.walls.length)]);
  if (about.joints.length > 0) facts.push(["Joints", String(about.joints.length)]);
  const list = make("dl", { name: "facts", children: facts.flatMap(([name, value]) => [make("dt", { text: name }), make("dd", { text: value })]) });
  at("about").replaceChildren(make("h2", { name: "title", text: about.scene }), list);
}

/** The choice of runs: one, and another beside it. */
export function offerRuns(labels: string[], first: number, second: number | null): void {
  const entries = labels.map((label, k): [string, string] => [String(k), label]);
  options(at<HTMLSelectElement>("run-a"), entries, String(first));
  options(at<HTMLSelectElement>("run-b"), [["", "alone"], ...entries], second === null ? "" : String(second));
  at("second-choice").hidden = labels.length < 2;
  at("versus").hidden = second === null;
}
