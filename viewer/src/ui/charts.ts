// Series beside the view, tied to its time.

import type { Run } from "../data/run";
import { at, make, options, shown, withUnit } from "./dom";

interface Chart {
  title: string;
  columns: string[];
  /** Whether the scale is one of powers of ten. */
  powers: boolean;
}

/** The charts that are there first, as far as the run has their columns. */
const USUAL: Chart[] = [
  { title: "Energies", columns: ["kinetic_energy", "potential_energy", "elastic_energy"], powers: false },
  { title: "Contacts", columns: ["contacts", "active"], powers: false },
  { title: "Iterations", columns: ["iterations"], powers: false },
  { title: "Residual", columns: ["residual"], powers: true },
  { title: "Certificate", columns: ["scaled"], powers: true },
  { title: "Deepest overlap", columns: ["penetration"], powers: false },
];
/** The last column that every run has; what the scene asked for comes behind it. */
const LAST_OF_ALL = "normal_impulse_at_end";
const PAINTS: Record<string, string[]> = {
  dark: ["#e39a5f", "#7fb2d4", "#9fc27e"],
  light: ["#b4561f", "#2f6f9c", "#4c7a2c"],
};
/** How often a run that goes on is asked for more, ms. */
const PERIOD = 1000;

interface Column {
  unit: string;
  /** Least and largest of each span. */
  ends: Float32Array;
}

export class Charts {
  /** Times of steps that were not certified, s. */
  uncertified: number[] = [];
  onMarks: () => void = () => {};
  onSeek: (time: number) => void = () => {};

  private charts: Chart[] = [];
  private data = new Map<string, Column>();
  private canvases: { chart: Chart; canvas: HTMLCanvasElement; values: HTMLElement }[] = [];
  private asked = 0;
  private busy = false;
  private more = true;
  private part = 0;
  private time = 0;
  private drawnAt = "";

  constructor(private run: Run) {
    at<HTMLSelectElement>("chart-add").addEventListener("change", (event) => {
      const select = event.target as HTMLSelectElement;
      if (select.value !== "") this.add({ title: titled(select.value), columns: [select.value], powers: false });
      select.value = "";
    });
    new ResizeObserver(() => this.redraw()).observe(at("chart-list"));
    this.take(run);
  }

  /** Shows another run. */
  take(run: Run): void {
    this.run = run;
    this.data.clear();
    this.uncertified = [];
    this.more = true;
    this.asked = 0;
    const names = new Set(run.about.columns.map(({ name }) => name));
    this.charts = [];
    for (const chart of USUAL) {
      const columns = chart.columns.filter((name) => names.has(name));
      if (columns.length > 0) this.charts.push({ ...chart, columns });
    }
    const own = run.about.columns.findIndex(({ name }) => name === LAST_OF_ALL);
    for (const { name } of own < 0 ? [] : run.about.columns.slice(own + 1)) {
      if (this.charts.length < 9) this.charts.push({ title: titled(name), columns: [name], powers: false });
    }
    const rest = run.about.columns.filter(({ name }) => name !== "step" && name !== "time");
    options(at<HTMLSelectElement>("chart-add"), [["", "choose …"], ...rest.map(({ name, unit }): [string, string] => [name, unit === "-" ? titled(name) : `${titled(name)}, ${unit}`])], "");
    this.build();
  }

  private add(chart: Chart): void {
    this.charts.push(chart);
    this.more = true;
    this.asked = 0;
    this.build();
    this.canvases[this.canvases.length - 1]?.canvas.scrollIntoView({ block: "nearest" });
  }

  private build(): void {
    this.canvases = [];
    const boxes = this.charts.map((chart) => {
      const box = make("section", { name: "chart" });
      const canvas = make("canvas");
      canvas.setAttribute("role", "img");
      canvas.setAttribute("aria-label", chart.title);
      const unit = this.run.about.columns.find(({ name }) => name === chart.columns[0])?.unit ?? "-";
      const head = make("div", {
        name: "chart-head",
        children: [make("h2", { text: chart.title }), make("small", { text: unit === "-" ? "" : unit })],
      });
      const close = make("button", { text: "×", name: "chart-close" });
      close.setAttribute("aria-label", `Remove ${chart.title}`);
      close.addEventListener("click", () => {
        this.charts = this.charts.filter((other) => other !== chart);
        this.build();
      });
      const values = make("div", { name: "chart-values" });
      const seek = (event: PointerEvent) => {
        const span = this.span();
        if (!span) return;
        const part = Math.min(Math.max(event.offsetX / canvas.clientWidth, 0), 1);
        this.onSeek(span[0] + part * (span[1] - span[0]));
      };
      canvas.addEventListener("pointerdown", (event) => {
        canvas.setPointerCapture(event.pointerId);
        seek(event);
      });
      canvas.addEventListener("pointermove", (event) => {
        if (event.buttons > 0) seek(event);
      });
      box.append(head, canvas, values, close);
      this.canvases.push({ chart, canvas, values });
      return box;
    });
    at("chart-list").replaceChildren(...boxes);
    this.redraw();
  }

  /** The times that the charts span, s. */
  private span(): [number, number] | null {
    const time = this.data.get("time");
    if (!time || time.ends.length === 0) return null;
    const [start, end] = [this.run.times[0] ?? time.ends[0]!, time.ends[time.ends.length - 1]!];
    return [start, Math.max(end, this.run.times[this.run.last] ?? end)];
  }

  /** Fetches on if there is more, and draws the cursor. */
  tick(now: number, time: number): void {
    this.time = time;
    if (!this.busy && (this.more || this.run.going) && now - this.asked > (this.more ? 30 : PERIOD)) void this.fetch(now);
    this.draw();
  }

  private async fetch(now: number): Promise<void> {
    this.busy = true;
    this.asked = now;
    const { run } = this;
    const names = ["time", "certified", ...new Set(this.charts.flatMap(({ columns }) => columns))];
    const numbers = names.map((name) => run.about.columns.findIndex((column) => column.name === name));
    try {
      if (run.about.columns.length === 0) run.about = await run.client.about();
      const { head, arrays } = await run.client.series(numbers.filter((number) => number >= 0));
      if (run !== this.run) return;
      names.forEach((name, k) => {
        const ends = arrays.get(String(numbers[k])) as Float32Array | undefined;
        if (ends) this.data.set(name, { ends, unit: run.about.columns[numbers[k]!]!.unit });
      });
      this.more = head.more;
      this.part = head.part;
      this.mark();
      this.redraw();
    } catch {
      // The run's state tells what is wrong; the series is asked for again later.
      this.more = false;
    } finally {
      this.busy = false;
    }
    at("chart-note").textContent = this.more ? `Reading the series: ${Math.round(100 * this.part)} %` : "";
  }

  /** Once the run has ended, what came last. */
  again(): void {
    this.more = true;
  }

  private mark(): void {
    const [time, certified] = [this.data.get("time")?.ends, this.data.get("certified")?.ends];
    this.uncertified = [];
    for (let k = 0; time && certified && k < certified.length; k += 2) {
      if (certified[k] === 0) this.uncertified.push(time[k]!);
    }
    this.onMarks();
  }

  redraw(): void {
    this.drawnAt = "";
    this.draw();
  }

  private draw(): void {
    const span = this.span();
    const theme = document.documentElement.dataset["theme"] === "light" ? "light" : "dark";
    const key = `${this.time}/${theme}`;
    if (at("charts").hidden || !span || key === this.drawnAt) return;
    this.drawnAt = key;
    const at_ = this.place();
    for (const { chart, canvas, values } of this.canvases) {
      const columns = this.telling(chart);
      this.plot({ ...chart, columns }, canvas, span, PAINTS[theme]!);
      const shownValues = columns.map((name) => {
        const column = this.data.get(name);
        return column && at_ !== null ? withUnit(column.ends[2 * at_ + 1], column.unit) : "–";
      });
      const spans = columns.map((name, k) => {
        const text = columns.length > 1 ? `${titled(name)} ` : "";
        const span = make("span", { children: [text, make("b", { text: shownValues[k]! })] });
        span.style.setProperty("--c", PAINTS[theme]![k % 3]!);
        return span;
      });
      values.replaceChildren(...spans);
      canvas.setAttribute("aria-label", `${chart.title} over time; now ${shownValues.join(", ")}`);
    }
  }

  /** The columns of a chart but those that are zero throughout, beside others. */
  private telling({ columns }: Chart): string[] {
    const all = columns.filter((name) => this.data.get(name)?.ends.some((value) => value !== 0) ?? true);
    return all.length > 0 ? all : columns.slice(0, 1);
  }

  /** The span of rows that the time is in. */
  private place(): number | null {
    const ends = this.data.get("time")?.ends;
    if (!ends || ends.length === 0) return null;
    let [low, high] = [0, ends.length / 2 - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (ends[2 * middle + 1]! >= this.time * (1 - 1e-6)) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  private plot(chart: Chart, canvas: HTMLCanvasElement, [start, end]: [number, number], paints: string[]): void {
    const ratio = window.devicePixelRatio;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    if (width === 0) return;
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    const context = canvas.getContext("2d")!;
    context.scale(ratio, ratio);
    const style = getComputedStyle(document.documentElement);
    const colour = (name: string) => style.getPropertyValue(name).trim();
    const [top, bottom] = [14, height - 8];
    const time = this.data.get("time")!.ends;
    const map = (value: number) => (chart.powers ? Math.log10(Math.max(value, 1e-18)) : value);
    let [low, high] = [Infinity, -Infinity];
    for (const name of chart.columns) {
      for (const value of this.data.get(name)?.ends ?? []) {
        if (!Number.isFinite(value) || (chart.powers && value <= 0)) continue;
        low = Math.min(low, map(value));
        high = Math.max(high, map(value));
      }
    }
    if (low > high) return;
    // What is nearly zero beside what it comes from is shown as a line, not as noise.
    if (high - low < 1e-12 * Math.max(Math.abs(high), 1e-30)) [low, high] = [low - 0.5 * Math.abs(low || 1), high + 0.5 * Math.abs(high || 1)];
    // From zero, if that is near.
    else if (!chart.powers && low > 0 && low < 0.5 * high) low = 0;
    // Steps without contacts have errors of nearly nothing.
    if (chart.powers) [low, high] = [Math.floor(Math.max(low, high - 8)), Math.ceil(high)];
    if (high === low) high = low + 1;
    const x = (t: number) => ((t - start) / Math.max(end - start, 1e-30)) * (width - 2) + 1;
    const y = (value: number) => bottom - ((Math.max(map(value), low) - low) / (high - low)) * (bottom - top);
    context.font = "11px 'Inter Variable', system-ui, sans-serif";
    context.fillStyle = colour("--faint");
    context.strokeStyle = colour("--line");
    context.lineWidth = 1;
    for (const level of [high, low]) {
      const at_ = bottom - ((level - low) / (high - low)) * (bottom - top);
      context.beginPath();
      context.moveTo(0, Math.round(at_) + 0.5);
      context.lineTo(width, Math.round(at_) + 0.5);
      context.stroke();
    }
    chart.columns.forEach((name, number) => {
      const ends = this.data.get(name)?.ends;
      if (!ends) return;
      context.strokeStyle = paints[number % paints.length]!;
      context.lineWidth = 1.5;
      context.lineJoin = "round";
      context.beginPath();
      let last = false;
      for (let k = 0; k < ends.length; k += 2) {
        const [a, b] = [ends[k]!, ends[k + 1]!];
        if (!Number.isFinite(a) || (chart.powers && b <= 0)) {
          last = false;
          continue;
        }
        const place = x(time[k + 1]!);
        if (last) context.lineTo(place, y(b));
        else context.moveTo(place, y(b));
        if (a !== b) context.lineTo(place, y(chart.powers && a <= 0 ? b : a));
        last = true;
      }
      context.stroke();
    });
    // Numbers stand on what is drawn, with a rim of the ground's colour.
    context.strokeStyle = colour("--sheet");
    context.lineWidth = 4;
    for (const [level, place] of [[high, top - 4], [low, bottom - 4]] as const) {
      const text = shown(chart.powers ? 10 ** level : level, 3);
      context.strokeText(text, 1, place);
      context.fillText(text, 1, place);
    }
    const cursor = Math.round(x(Math.min(Math.max(this.time, start), end))) + 0.5;
    context.strokeStyle = colour("--ink");
    context.globalAlpha = 0.7;
    context.lineWidth = 1;
    context.beginPath();
    context.moveTo(cursor, 4);
    context.lineTo(cursor, height - 2);
    context.stroke();
  }
}

function titled(name: string): string {
  const text = name.replaceAll("_", " ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}
