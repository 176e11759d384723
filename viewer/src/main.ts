// The page: opens runs, ties the clock, the views and the panel together, and draws.

import "./style.css";
import { Run } from "./data/run";
import { listRuns, Refusal, type RunEntry } from "./net/client";
import { forceColours, forceGradient, gradient, materialColour, scaleColours } from "./stage/colours";
import { type Side, Stage } from "./stage/stage";
import { type Palette, RunView } from "./stage/view";
import { Charts } from "./ui/charts";
import { Clock } from "./ui/clock";
import { at, make, say, shown, withUnit } from "./ui/dom";
import { Inspector } from "./ui/inspector";
import { listen } from "./ui/keys";
import { usualLook } from "./ui/look";
import { LookPanel, Panel } from "./ui/panel";
import { type Caption, Recorder } from "./ui/recorder";
import { control, offerRuns, showAbout, showStanding } from "./ui/standing";
import { Timeline } from "./ui/timeline";

/** How often a run that goes on is asked how it is, ms; and one that has ended. */
const PERIOD = { going: 350, ended: 4000 };
/** Frames that are fetched ahead. */
const AHEAD = 8;

const look = usualLook();
const clock = new Clock();

function theme(): "dark" | "light" {
  return document.documentElement.dataset["theme"] === "light" ? "light" : "dark";
}

function palette(): Palette {
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string) => style.getPropertyValue(name).trim();
  return { ground: theme(), wall: colour("--wall"), accent: colour("--accent"), joint: colour("--joint"), arrow: colour("--arrow") };
}

/** The colours behind all, above and below. */
function backdrop(): [string, string] {
  const style = getComputedStyle(document.documentElement);
  return [style.getPropertyValue("--stage-top").trim(), style.getPropertyValue("--stage-low").trim()];
}

function veil(title: string, text: string, spins: boolean): void {
  at("veil").hidden = false;
  at("veil-title").textContent = title;
  at("veil-text").textContent = text;
  at("veil-spin").hidden = !spins;
}

const saved = localStorage.getItem("granule-theme");
const light = saved ? saved === "light" : matchMedia("(prefers-color-scheme: light)").matches;
document.documentElement.dataset["theme"] = light ? "light" : "dark";

class Page {
  private entries: RunEntry[] = [];
  private views: RunView[] = [];
  private stage: Stage | null = null;
  private charts: Charts | null = null;
  private panel = new Panel();
  private lookPanel = new LookPanel(look, () => this.changed(), () => this.ends(true));
  private timeline: Timeline;
  private inspector: Inspector;
  private recorder: Recorder | null = null;
  private focus: RunView | null = null;
  private follows = false;
  private followed: { x: number; y: number; z: number } | null = null;
  private lastTick = 0;
  private waits = 0;
  private polled = 0;
  private polling = false;
  private fitted = false;
  private generation = 0;
  private legendFor = "";

  constructor() {
    this.timeline = new Timeline(clock, {
      play: () => this.play(),
      step: (by) => this.step(by),
      seek: (time) => this.seek(time),
      frame: (number) => this.seek(this.times()[number] ?? 0),
    });
    this.inspector = new Inspector({
      pick: (view, id) => this.pick(view, id),
      drop: () => this.pick(null, null),
      trail: () => this.trail(),
      follow: () => this.follow(),
    });
    this.panel.onTab = () => this.stage?.touch(false);
    this.bind();
  }

  async open(): Promise<void> {
    // A browser takes a while to begin drawing; the list comes meanwhile.
    const [{ runs }] = await Promise.all([listRuns(), this.begin()]);
    this.entries = runs;
    if (runs.length === 0) {
      veil("There is no run", "Make one with granule run, then open its folder with granule view.", false);
      return;
    }
    // Two runs that were named stand side by side; of many, one is chosen.
    await this.choose(0, runs.length === 2 ? 1 : null);
  }

  private async choose(first: number, second: number | null): Promise<void> {
    const generation = ++this.generation;
    const numbers = second === null || second === first ? [first] : [first, second];
    offerRuns(this.entries.map(({ label }) => label), first, numbers[1] ?? null);
    veil("Opening the run", this.entries[first]!.label, true);
    const runs = numbers.map((number) => new Run(number));
    try {
      for (const run of runs) {
        // A run that has just begun has written nothing yet.
        while (!(await this.tryOpen(run))) {
          veil("Waiting for the run to begin", "It has not written its first frame yet.", true);
          await new Promise((done) => setTimeout(done, 400));
          if (generation !== this.generation) return;
        }
      }
    } catch (error) {
      veil("This run cannot be opened", error instanceof Error ? error.message : String(error), false);
      return;
    }
    if (generation !== this.generation) return;
    this.show(runs);
  }

  private async tryOpen(run: Run): Promise<boolean> {
    try {
      await run.open();
      return run.times.length > 0;
    } catch (error) {
      if (error instanceof Refusal && error.message.includes("no frame yet")) return false;
      throw error;
    }
  }

  private show(runs: Run[]): void {
    const flat = runs.every((run) => run.about.dimension < 3);
    const stage = this.stage!;
    stage.flatten(flat);
    document.querySelector<HTMLElement>(".views")!.hidden = flat;
    this.views = runs.map((run) => {
      run.onNews = () => this.stage?.touch(false);
      run.onProblem = (problem) => this.trouble(problem);
      return new RunView(run, palette(), () => this.stage?.touch(false));
    });
    stage.views = this.views;
    this.focus = null;
    this.follows = false;
    this.fitted = false;
    stage.handled = false;
    const main = runs[0]!;
    this.lookPanel.offer(main.about);
    if (this.charts) this.charts.take(main);
    else this.charts = this.makeCharts(main);
    const [first, last] = [main.times[0]!, main.times[main.last]!];
    clock.playing = false;
    clock.follows = main.going;
    clock.time = main.going ? last : first;
    this.span();
    clock.suit((last - first) / Math.max(main.last, 1));
    document.title = `${main.about.scene} – Granule`;
    at("canvas").setAttribute("aria-label", `The bodies of ${runs.map((run) => run.about.label).join(" and ")}`);
    at("labels").replaceChildren(
      ...(runs.length < 2 ? [] : runs).map((run) => make("span", { text: run.about.label })),
    );
    stage.resize();
    this.changed();
    this.told();
    this.want();
    for (const view of this.views) view.begin(clock.time);
  }

  private async begin(): Promise<void> {
    const canvas = at<HTMLCanvasElement>("canvas");
    const stage = new Stage(canvas);
    this.stage = stage;
    stage.backdrop.paint(...backdrop());
    new ResizeObserver(() => stage.resize()).observe(at("stage"));
    this.recorder = new Recorder(stage, () => this.caption(), () => `${this.views[0]?.run.about.label ?? "run"}-${clock.time.toFixed(4)}s`);
    let down: { x: number; y: number } | null = null;
    canvas.addEventListener("pointerdown", (event) => (down = { x: event.offsetX, y: event.offsetY }));
    canvas.addEventListener("pointerup", (event) => {
      const still = down && Math.hypot(event.offsetX - down.x, event.offsetY - down.y) < 4;
      down = null;
      if (!still || event.button !== 0) return;
      const found = stage.pick(event.offsetX, event.offsetY);
      this.pick(found?.view ?? null, found?.id ?? null);
    });
    requestAnimationFrame((now) => this.tick(now));
  }

  private makeCharts(run: Run): Charts {
    const charts = new Charts(run);
    charts.onSeek = (time) => this.seek(time);
    charts.onMarks = () => {
      const count = charts.uncertified.length;
      if (count > 0) say(count === 1 ? "At one time a step was not certified" : `At ${count} times steps were not certified`);
      this.stage?.touch(false);
    };
    return charts;
  }

  private times(): number[] {
    return this.views[0]?.run.times ?? [];
  }

  private span(): void {
    const all = this.views.map(({ run }) => run.times).filter((times) => times.length > 0);
    if (all.length === 0) return;
    clock.span(Math.min(...all.map((times) => times[0]!)), Math.max(...all.map((times) => times[times.length - 1]!)));
  }

  private play(): void {
    if (!clock.playing && clock.time >= clock.end && !clock.follows) clock.time = clock.start;
    clock.playing = !clock.playing;
    if (clock.playing) clock.follows = false;
    say(clock.playing ? "Plays" : `Stands at ${shown(clock.time)} seconds`);
    this.stage?.touch(false);
  }

  private step(by: number): void {
    const run = this.views[0]?.run;
    if (!run) return;
    clock.playing = false;
    const number = Math.min(Math.max(run.numberAt(clock.time) + by, 0), run.last);
    this.seek(run.times[number] ?? 0);
  }

  private seek(time: number): void {
    clock.seek(time);
    this.stage?.touch();
  }

  private pick(view: RunView | null, id: number | null): void {
    for (const each of this.views) each.picked = each === view ? id : null;
    this.focus = id === null ? null : view;
    if (id === null) this.follows = false;
    this.followed = null;
    if (view && id !== null) {
      at<HTMLInputElement>("body-id").value = String(id);
      if (!matchMedia("(max-width: 760px)").matches || !document.body.classList.contains("panel-closed")) this.panel.open("body");
      say(`Body ${id} is picked`);
    }
    // At once, so that the panel is never of a body that is no longer picked.
    this.inspector.update(this.focus, this.follows);
    this.stage?.touch(false);
  }

  private trail(): void {
    if (!this.focus || this.focus.picked === null) return;
    const on = this.focus.trails.toggle(this.focus.picked, palette().accent);
    say(on ? "Its way is drawn" : "Its way is no longer drawn");
    this.focus.invalidate();
  }

  private follow(): void {
    if (!this.focus) return;
    this.follows = !this.follows;
    this.followed = null;
    say(this.follows ? "The view follows the body" : "The view stays");
    this.stage?.touch(false);
  }

  private changed(): void {
    this.stage?.touch(false);
  }

  /** The ends of the values: of this frame, or of all that were seen. */
  private ends(frame: boolean): [number, number] | null {
    let [low, high] = [Infinity, -Infinity];
    for (const view of this.views) {
      const values = view.frame && view.run.values(view.frame.number, look.quantity);
      const own = frame ? values && ([values.least, values.most] as const) : view.seen;
      if (!own || own[0] === null || own[1] === null) continue;
      [low, high] = [Math.min(low, own[0]), Math.max(high, own[1])];
    }
    if (low > high) return null;
    // From zero, if that is near.
    if (low > 0 && low < 0.05 * high) low = 0;
    if (low < high) return [low, high];
    // All have one value.
    return low === 0 ? [0, 1] : [low - 0.5 * Math.abs(low), high + 0.5 * Math.abs(high)];
  }

  private trouble(text: string | null): void {
    at("trouble").hidden = text === null;
    if (text !== null) at("trouble").textContent = text;
  }

  private tick(now: number): void {
    requestAnimationFrame((next) => this.tick(next));
    const { stage, views } = this;
    if (!stage || views.length === 0) return;
    const passed = (now - this.lastTick) / 1000;
    const seconds = Math.min(passed, 0.1);
    this.lastTick = now;
    const advanced = clock.playing && this.advance(seconds);
    this.want();
    const shownAll = views.map((view) => view.show(clock.time, look)).every(Boolean);
    this.waits = shownAll ? 0 : this.waits + passed;
    at("waiting").hidden = this.waits < 0.35 || !at("veil").hidden;
    if (!this.fitted && shownAll && views.every(({ bounds }) => bounds !== null)) {
      this.fitted = true;
      stage.look("oblique");
      at("veil").hidden = true;
    }
    // Other times may be shown all the same: the bar of time is below.
    const lacking = views.some(({ run }) => run.lacks(run.numberAt(clock.time)));
    if (!this.fitted && lacking && !at("veil-spin").hidden) veil("This frame cannot be shown", "Choose another time below.", false);
    // What ends elsewhere than it began is seen in whole, unless somebody has chosen a view by then.
    if (this.fitted && views.filter((view) => view.reachOut()).length > 0 && !stage.handled) stage.look("oblique");
    this.keepUp(stage);
    const range = look.range ?? this.ends(false) ?? [0, 1];
    const [forces, speeds, sizes] = [0, 1, 2].map((k) => Math.max(...views.map(({ measures }) => measures[k]!)));
    for (const view of views) {
      view.colours(look, range);
      view.agree([forces!, speeds!, sizes!]);
    }
    this.legend(range);
    // Nothing is drawn before all is there: that would only be drawn again.
    if (this.fitted) stage.tick(now, advanced);
    this.mark(stage);
    this.ended(stage);
    const run = views[0]!.run;
    this.timeline.show(run.times, run.numberAt(clock.time), this.charts?.uncertified ?? [], run.going);
    this.charts?.tick(now, clock.time);
    this.inspector.update(this.focus, this.follows);
    void this.poll(now);
  }

  /** Lets time go on if what comes then is here. */
  private advance(seconds: number): boolean {
    const { time, ends } = clock.after(seconds);
    const ready = this.views.every((view) => view.ready(view.run.numberAt(time), look));
    if (!ready) return false;
    clock.time = time;
    if (ends) {
      clock.playing = false;
      clock.follows = this.views.some(({ run }) => run.going);
    }
    return true;
  }

  private want(): void {
    for (const { run } of this.views) {
      const number = run.numberAt(clock.time);
      // The frame itself, the one that bodies move towards, and while it plays those that come then.
      const behind = clock.playing ? Math.max(1, Math.round((clock.speed / 25) / Math.max(((run.times[run.last] ?? 0) - (run.times[0] ?? 0)) / Math.max(run.last, 1), 1e-9))) : 1;
      const frames = [number];
      for (let k = 1; k <= (clock.playing ? AHEAD : 1); k++) frames.push(number + (k === 1 ? 1 : k * behind));
      const view = this.views.find((each) => each.run === run);
      if (this.fitted && !run.going && !view?.reaches) frames.push(run.last);
      if (!clock.playing) frames.push(number - 1);
      else if (clock.loop && number + AHEAD > run.last) frames.push(0);
      run.want([...new Set(frames)].filter((k) => k >= 0 && k <= run.last), look.quantity, look.forces);
    }
  }

  /** Moves the viewer with the body that is followed. */
  private keepUp(stage: Stage): void {
    if (!this.follows || !this.focus || this.focus.picked === null) return;
    const place = this.focus.placeOf(this.focus.picked);
    if (!place) return;
    if (this.followed) {
      const by = place.clone().sub(this.followed as typeof place);
      if (by.lengthSq() > 0) stage.along(this.focus, by);
    } else {
      stage.aim(this.focus, place);
    }
    this.followed = place;
  }

  /** A ring around the picked body, which may be hidden by others. */
  private mark(stage: Stage): void {
    const marker = at("marker");
    const { focus } = this;
    const place = focus && focus.picked !== null ? focus.placeOf(focus.picked) : null;
    marker.hidden = place === null;
    if (!place || !focus) return;
    const { x, y, radius } = stage.screen(focus, place, focus.radiusOf(focus.picked!));
    // Small bodies get a ring that can be seen, and large ones one that is near them.
    const size = Math.min(Math.max(2 * radius + 6, 26), 400);
    marker.style.width = marker.style.height = `${size}px`;
    marker.style.transform = `translate(${x - size / 2}px, ${y - size / 2}px)`;
  }

  /** Says beside the name of one of two runs that it has ended earlier. */
  private ended(stage: Stage): void {
    // Not below the buttons for the sides.
    const down = at("stage").clientWidth < 1000 ? 52 : 14;
    ([...at("labels").children] as HTMLElement[]).forEach((label, k) => {
      const { left, top, width } = stage.place(k);
      label.style.cssText = `left: ${left}px; top: ${top === 0 ? down : top + 4}px; max-width: ${width}px`;
      const { run } = this.views[k]!;
      const end = run.times[run.last] ?? 0;
      const text = clock.time > end + 1e-9 * clock.end && !run.going ? `${run.about.label}, ended at ${shown(end)} s` : run.about.label;
      if (label.textContent !== text) label.textContent = text;
    });
  }

  private quantity() {
    return this.views[0]?.run.about.quantities.find(({ name }) => name === look.quantity);
  }

  private legend(range: [number, number]): void {
    const about = this.views[0]!.run.about;
    const forces = this.views.map(({ forces }) => forces).find((each) => each !== null);
    const note = forces ? `${forces.shown} forces; their mean is ${withUnit(forces.mean, "N", 3)}` : "";
    if (at("force-note").textContent !== note) at("force-note").textContent = note;
    const fastest = Math.max(...this.views.map((view) => view.fastest));
    const arrows = fastest > 0 ? `The longest stand for ${withUnit(fastest, "m/s", 3)}` : "Nothing moves";
    if (at("arrow-note").textContent !== arrows) at("arrow-note").textContent = arrows;
    const most = this.mostForce();
    const key = [look.quantity, look.scale, ...range, about.label, most, theme()].join();
    if (key === this.legendFor) return;
    this.legendFor = key;
    const quantity = this.quantity();
    if (!quantity) return;
    at("legend-colours").hidden = look.quantity === "id";
    at("legend-forces").hidden = most === null;
    at("legend").hidden = look.quantity === "id" && most === null;
    at("force-strip").style.background = forceGradient(theme());
    at("force-middle").textContent = shown((most ?? 0) / 2, 3);
    at("force-high").textContent = shown(most, 3);
    const unit = quantity.unit === "-" ? "" : quantity.unit;
    at("legend-title").replaceChildren(quantity.label, ...(unit ? [make("small", { text: unit })] : []));
    const strip = at("legend-strip");
    const names = look.quantity === "material";
    strip.classList.toggle("legend-names", names);
    strip.replaceChildren();
    strip.style.background = names ? "none" : gradient(look.scale);
    if (names) {
      for (const [k, material] of about.materials.entries()) {
        const dot = make("i");
        dot.style.background = materialColour(k);
        strip.append(make("span", { children: [dot, material] }));
      }
    }
    const ends = names ? ["", "", ""] : [range[0], (range[0] + range[1]) / 2, range[1]].map((value) => shown(value, 3));
    ["legend-low", "legend-middle", "legend-high"].forEach((id, k) => (at(id).textContent = ends[k]!));
    this.lookPanel.range(range);
  }

  /** What the end of the scale of forces stands for, N, if forces are shown. */
  private mostForce(): number | null {
    const ends = this.views.flatMap(({ forces }) => (forces && forces.most > 0 ? [forces.most] : []));
    return ends.length > 0 ? Math.max(...ends) : null;
  }

  private caption(): Caption {
    const quantity = this.quantity();
    const range = look.range ?? this.ends(false) ?? [0, 1];
    const names = look.quantity === "id" || look.quantity === "material";
    const title = quantity ? `${quantity.label}${quantity.unit && quantity.unit !== "-" ? `, ${quantity.unit}` : ""}` : "";
    const most = this.mostForce();
    const colours = { title, colours: scaleColours(look.scale), low: shown(range[0], 3), high: shown(range[1], 3) };
    const forces = { title: "Contact force, N", colours: forceColours(theme()), low: "0", high: shown(most, 3) };
    return {
      time: at("now").textContent ?? "",
      scales: [...(most === null ? [] : [forces]), ...(names ? [] : [colours])],
    };
  }

  /** Asks runs how they are. */
  private async poll(now: number): Promise<void> {
    const going = this.views.some(({ run }) => run.going);
    if (this.polling || now - this.polled < (going ? PERIOD.going : PERIOD.ended)) return;
    this.polling = true;
    this.polled = now;
    try {
      for (const view of this.views) {
        const { grown, anew, ended } = await view.run.poll();
        if (anew) {
          view.reset();
          this.pick(null, null);
          this.fitted = false;
          this.charts?.take(this.views[0]!.run);
        }
        if (grown || ended) this.charts?.again();
        if (grown) this.stage?.touch(false);
        if (view.run.going && this.polled === now && !view.run.about.columns.length) view.run.about = await view.run.client.about();
      }
      this.span();
      this.trouble(this.views.map(({ run }) => run.state.problem).find((problem) => problem !== null) ?? null);
      this.told();
    } catch (error) {
      this.trouble(error instanceof Error ? error.message : String(error));
    } finally {
      this.polling = false;
    }
  }

  private told(): void {
    const run = this.views[0]?.run;
    if (!run) return;
    showStanding(run);
    showAbout(run, this.entries[run.number]?.folder ?? "");
  }

  private theme(): void {
    const next = theme() === "light" ? "dark" : "light";
    document.documentElement.dataset["theme"] = next;
    localStorage.setItem("granule-theme", next);
    for (const view of this.views) view.repaint(palette());
    this.stage?.backdrop.paint(...backdrop());
    this.charts?.redraw();
    this.stage?.touch(false);
  }

  private record(): void {
    const on = this.recorder?.toggle() ?? false;
    at("record").setAttribute("aria-pressed", String(on));
    at("record").setAttribute("aria-label", on ? "End the film" : "Record a film");
    if (on && !clock.playing) this.play();
  }

  private help(): void {
    at<HTMLDialogElement>("keys").showModal();
    // Read from the top, not from the button at its end.
    at("keys-title").focus();
  }

  private look(side: Side): void {
    if (!this.stage) return;
    this.stage.handled = true;
    this.stage.look(side);
  }

  private bind(): void {
    const click = (id: string, act: () => void) => at(id).addEventListener("click", act);
    click("shoot", () => this.recorder?.shoot());
    click("record", () => this.record());
    click("theme", () => this.theme());
    click("help", () => this.help());
    const ask = (word: "pause" | "resume" | "stop") => {
      const run = this.views[0]?.run;
      if (run) void control(run, word, (text) => this.trouble(text)).then(() => (this.polled = 0));
    };
    click("pause-run", () => ask(this.views[0]?.run.state.state === "paused" ? "resume" : "pause"));
    click("stop-run", () => ask("stop"));
    const [a, b] = [at<HTMLSelectElement>("run-a"), at<HTMLSelectElement>("run-b")];
    for (const select of [a, b]) {
      select.addEventListener("change", () => void this.choose(Number(a.value), b.value === "" ? null : Number(b.value)));
    }
    at("body-form").addEventListener("submit", (event) => {
      event.preventDefault();
      const id = Number(at<HTMLInputElement>("body-id").value);
      const view = this.focus ?? this.views[0];
      const there = view?.frame?.still.place.has(id) ?? false;
      at("body-id").setAttribute("aria-invalid", String(!there));
      if (view && there) this.pick(view, id);
      else say(`There is no body ${id}`);
    });
    for (const button of document.querySelectorAll<HTMLButtonElement>("[data-side]")) {
      button.addEventListener("click", () => this.look(button.dataset["side"] as Side));
    }
    this.keys();
  }

  private keys(): void {
    const side = (key: string, name: Side, note: string) => ({ keys: [key], label: key, note, act: () => this.look(name) });
    const turn = (event: KeyboardEvent) => {
      const [right, up] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key] as [number, number];
      if (event.shiftKey || this.views.every(({ run }) => run.about.dimension < 3)) this.stage?.pan(0.06 * right, 0.06 * up);
      else this.stage?.orbit(0.12 * right, 0.12 * up);
    };
    const middle = () => {
      const canvas = at("canvas");
      const found = this.stage?.pick(canvas.clientWidth / (2 * this.views.length), canvas.clientHeight / 2);
      this.pick(found?.view ?? null, found?.id ?? null);
    };
    const next = (by: number) => {
      const view = this.focus ?? this.views[0];
      const still = view?.frame?.still;
      if (!view || !still) return;
      const place = view.picked === null ? -by : (still.place.get(view.picked) ?? 0);
      this.pick(view, still.id[(place + by + view.frame!.own) % view.frame!.own]!);
    };
    const flip = (name: "forces" | "arrows" | "walls") => () => this.lookPanel.set({ [name]: !look[name] });
    listen([
      { keys: [" ", "k"], label: "Space", note: "play and pause", act: () => this.play() },
      { keys: ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"], label: "← → ↑ ↓", note: "in the view: turn it; with Shift move it", act: turn, onView: true },
      { keys: ["ArrowLeft", ","], label: "← ,", note: "a frame back; with Shift ten", act: (event) => this.step(event.shiftKey ? -10 : -1) },
      { keys: ["ArrowRight", "."], label: "→ .", note: "a frame on; with Shift ten", act: (event) => this.step(event.shiftKey ? 10 : 1) },
      { keys: ["Home"], label: "Home", note: "to the start", act: () => this.seek(clock.start) },
      { keys: ["End"], label: "End", note: "to the end; of a run that goes on, follow it", act: () => {
        clock.follows = this.views.some(({ run }) => run.going);
        this.seek(clock.end);
      } },
      { keys: ["["], label: "[", note: "slower", act: () => clock.faster(-1) },
      { keys: ["]"], label: "]", note: "faster", act: () => clock.faster(1) },
      { keys: ["l", "L"], label: "L", note: "loop", act: () => this.timeline.loop() },
      { keys: ["+", "="], label: "+", note: "nearer", act: () => this.stage?.zoom(1.2) },
      { keys: ["-"], label: "−", note: "farther", act: () => this.stage?.zoom(1 / 1.2) },
      side("1", "oblique", "from oblique, all in view"),
      side("2", "front", "from the front"),
      side("3", "right", "from the right"),
      side("4", "top", "from above"),
      side("5", "back", "from behind"),
      side("6", "left", "from the left"),
      side("7", "bottom", "from below"),
      { keys: ["Enter"], label: "Enter", note: "in the view: pick the body in the middle", act: middle, onView: true },
      { keys: ["n", "N"], label: "N", note: "pick the next body; with Shift the one before", act: (event) => next(event.shiftKey ? -1 : 1) },
      { keys: ["Escape"], label: "Esc", note: "pick nothing", act: () => this.pick(null, null) },
      { keys: ["v", "V"], label: "V", note: "follow the picked body", act: () => this.follow() },
      { keys: ["t", "T"], label: "T", note: "its way", act: () => this.trail() },
      { keys: ["f", "F"], label: "F", note: "force chains", act: flip("forces") },
      { keys: ["a", "A"], label: "A", note: "velocity arrows", act: flip("arrows") },
      { keys: ["w", "W"], label: "W", note: "walls", act: flip("walls") },
      { keys: ["g", "G"], label: "G", note: "bodies as glass", act: () => this.lookPanel.set({ bodies: look.bodies === "glass" ? "solid" : "glass" }) },
      { keys: ["c", "C"], label: "C", note: "charts", act: () => this.panel.open("charts") },
      { keys: ["\\"], label: "\\", note: "panel", act: () => this.panel.toggle() },
      { keys: ["p", "P"], label: "P", note: "save a picture", act: () => this.recorder?.shoot() },
      { keys: ["r", "R"], label: "R", note: "record a film", act: () => this.record() },
      { keys: ["d", "D"], label: "D", note: "light or dark", act: () => this.theme() },
      { keys: ["?"], label: "?", note: "these keys", act: () => this.help() },
    ]);
  }

  /** Figures for measurements from outside. */
  figures(): { drawings: number; rate: number; software: boolean; bodies: number } {
    const bodies = this.views.reduce((sum, { frame }) => sum + (frame?.count ?? 0), 0);
    return { drawings: this.stage?.drawings ?? 0, rate: this.stage?.rate ?? 0, software: this.stage?.software ?? false, bodies };
  }
}

const page = new Page();
Object.assign(window, { granule: { figures: () => page.figures() } });
if (matchMedia("(max-width: 760px)").matches) document.body.classList.add("panel-closed");
page.open().catch((error: unknown) => veil("The viewer cannot start", error instanceof Error ? error.message : String(error), false));
