// Elements of the page by their ids, and small texts.

export function at<T extends HTMLElement = HTMLElement>(id: string): T {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no element ${id}`);
  return found as T;
}

/** An element with a text or with children. */
export function make<K extends keyof HTMLElementTagNameMap>(
  kind: K,
  options: { text?: string; name?: string; children?: (Node | string)[] } = {},
): HTMLElementTagNameMap[K] {
  const element = document.createElement(kind);
  if (options.text !== undefined) element.textContent = options.text;
  if (options.name !== undefined) element.className = options.name;
  if (options.children) element.append(...options.children);
  return element;
}

export function options(select: HTMLSelectElement, entries: [string, string][], chosen: string): void {
  select.replaceChildren(...entries.map(([value, text]) => new Option(text, value, false, value === chosen)));
}

/** Tells those who listen to the page. */
export function say(text: string): void {
  at("said").textContent = text;
}

/** A number as people read it, with so many digits that count. */
export function shown(value: number | null | undefined, digits = 4): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-3 || size >= 1e5)) {
    const [front, power] = value.toExponential(digits - 2).split("e");
    const raised = [...String(Number(power))].map((c) => (c === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(c)])).join("");
    return `${Number(front)}·10${raised}`.replace("-", "−");
  }
  return String(Number(value.toPrecision(digits))).replace("-", "−");
}

/** The same for a field that can be typed into. */
export const typed = (value: number): string => String(Number(value.toPrecision(4)));

export function withUnit(value: number | null | undefined, unit: string, digits = 4): string {
  return unit === "" || unit === "-" ? shown(value, digits) : `${shown(value, digits)} ${unit}`;
}
