// The panel's tabs, and the settings of the look.

import { type ScaleName, SCALES } from "../stage/colours";
import type { About } from "../net/client";
import { at, options, shown, typed } from "./dom";
import type { Look } from "./look";

const TABS = [
  ["tab-look", "look"],
  ["tab-charts", "charts"],
  ["tab-body", "body"],
  ["tab-run", "about"],
] as const;

export type TabName = (typeof TABS)[number][1];

export class Panel {
  onTab: (tab: TabName) => void = () => {};

  constructor() {
    TABS.forEach(([id, tab], k) => {
      const button = at(id);
      button.addEventListener("click", () => this.open(tab));
      button.addEventListener("keydown", (event) => {
        const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        if (by === undefined) return;
        event.preventDefault();
        event.stopPropagation();
        const [next, name] = TABS[(k + by + TABS.length) % TABS.length]!;
        this.open(name);
        at(next).focus();
      });
    });
    at("panel-toggle").addEventListener("click", () => this.toggle());
  }

  open(wanted: TabName): void {
    this.toggle(true);
    for (const [id, tab] of TABS) {
      at(id).setAttribute("aria-selected", String(tab === wanted));
      at(id).tabIndex = tab === wanted ? 0 : -1;
      at(tab).hidden = tab !== wanted;
    }
    this.onTab(wanted);
  }

  toggle(open = document.body.classList.contains("panel-closed")): void {
    document.body.classList.toggle("panel-closed", !open);
    at("panel-toggle").setAttribute("aria-expanded", String(open));
  }
}

/** Ties the settings to a look; `changed` is called after each change. */
export class LookPanel {
  /** Whether bodies are glass only for the sake of force chains. */
  private clears = false;

  constructor(
    private readonly look: Look,
    private readonly changed: () => void,
    private readonly fit: () => [number, number] | null,
  ) {
    const quantity = at<HTMLSelectElement>("quantity");
    quantity.addEventListener("change", () => this.set({ quantity: quantity.value, range: null }));
    const scale = at<HTMLSelectElement>("scale");
    options(scale, SCALES.map(({ name, label }) => [name, label]), look.scale);
    scale.addEventListener("change", () => this.set({ scale: scale.value as ScaleName }));
    this.checks("turns", "smooth", "walls", "joints", "forces", "arrows");
    const flip = at<HTMLInputElement>("clip-flip");
    flip.addEventListener("change", () => this.set({ clipFlip: flip.checked }));
    for (const name of ["bodies", "clip"] as const) {
      for (const radio of document.querySelectorAll<HTMLInputElement>(`input[name=${name}]`)) {
        radio.addEventListener("change", () => this.set({ [name]: radio.value } as Partial<Look>));
      }
    }
    this.slider("force-least", (forceLeast) => this.set({ forceLeast }));
    this.slider("force-thick", (forceThick) => this.set({ forceThick }));
    this.slider("arrow-length", (arrowLength) => this.set({ arrowLength }));
    this.slider("clip-at", (clipAt) => this.set({ clipAt }));
    for (const id of ["range-low", "range-high"]) at(id).addEventListener("change", () => this.typed());
    at("range-auto").addEventListener("click", () => this.set({ range: null }));
    at("range-fit").addEventListener("click", () => this.set({ range: this.fit() }));
    this.show();
  }

  offer(about: About): void {
    const label = ({ label, unit }: { label: string; unit: string }) => (unit === "" || unit === "-" ? label : `${label}, ${unit}`);
    options(at<HTMLSelectElement>("quantity"), about.quantities.map((each) => [each.name, label(each)]), this.look.quantity);
    at("joints-row").hidden = about.joints.length === 0;
  }

  set(change: Partial<Look>): void {
    // Within what is solid one would not see them.
    if (change.forces === true && this.look.bodies === "solid") {
      this.look.bodies = "glass";
      this.clears = true;
    } else if (change.forces === false && this.clears) {
      if (this.look.bodies === "glass") this.look.bodies = "solid";
      this.clears = false;
    } else if (change.bodies !== undefined) {
      this.clears = false;
    }
    Object.assign(this.look, change);
    this.show();
    this.changed();
  }

  private checks(...names: ("turns" | "smooth" | "walls" | "joints" | "forces" | "arrows")[]): void {
    for (const name of names) {
      const box = at<HTMLInputElement>(name);
      box.addEventListener("change", () => this.set({ [name]: box.checked }));
    }
  }

  private slider(id: string, take: (value: number) => void): void {
    const input = at<HTMLInputElement>(id);
    input.addEventListener("input", () => take(Number(input.value)));
  }

  private typed(): void {
    const [low, high] = ["range-low", "range-high"].map((id) => Number(at<HTMLInputElement>(id).value.replace(",", ".").replace("−", "-")));
    const right = Number.isFinite(low) && Number.isFinite(high) && low! < high!;
    for (const id of ["range-low", "range-high"]) at(id).setAttribute("aria-invalid", String(!right));
    if (right) this.set({ range: [low!, high!] });
  }

  /** Settings as they are. */
  private show(): void {
    const { look } = this;
    const names = look.quantity === "id" || look.quantity === "material";
    at("scale-row").hidden = names;
    at("range-row").hidden = names;
    at<HTMLSelectElement>("quantity").value = look.quantity;
    for (const name of ["turns", "smooth", "walls", "joints", "forces", "arrows"] as const) at<HTMLInputElement>(name).checked = look[name];
    for (const name of ["bodies", "clip"] as const) {
      for (const radio of document.querySelectorAll<HTMLInputElement>(`input[name=${name}]`)) radio.checked = radio.value === look[name];
    }
    at("forces-under").hidden = !look.forces;
    at("arrows-under").hidden = !look.arrows;
    at("clip-under").hidden = look.clip === "none";
    at("force-least-out").textContent = `${shown(look.forceLeast)} × mean`;
    at("force-thick-out").textContent = shown(look.forceThick);
    at("arrow-length-out").textContent = shown(look.arrowLength);
    at("clip-at-out").textContent = `${Math.round(100 * look.clipAt)} %`;
    at("range-auto").setAttribute("aria-pressed", String(look.range === null));
  }

  /** The ends of the scale as they are now, unless somebody is typing. */
  range([low, high]: [number, number]): void {
    for (const [id, value] of [["range-low", low], ["range-high", high]] as const) {
      const input = at<HTMLInputElement>(id);
      if (document.activeElement === input) continue;
      input.value = typed(value);
      input.setAttribute("aria-invalid", "false");
    }
  }
}
