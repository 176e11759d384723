// What is known of the body that is picked.

import { type Body, type BodyContact, Refusal } from "../net/client";
import type { RunView } from "../stage/view";
import { at, make, shown, withUnit } from "./dom";

/** Contacts that are listed at once. */
const MOST = 40;

export interface BodyActions {
  pick(view: RunView, id: number): void;
  drop(): void;
  trail(): void;
  follow(): void;
}

export class Inspector {
  /** What the panel shows, or is about to. */
  private shownFor = "";
  /** Whose data it shows: the run and the body. */
  private whose = "";
  /** Counts requests, so that an answer that comes too late is known as such. */
  private asked = 0;
  private busy = false;

  constructor(private readonly actions: BodyActions) {}

  /** Shows the picked body at the frame of its view. */
  update(view: RunView | null, follows: boolean): void {
    if (!view || view.picked === null || !view.frame) {
      if (this.shownFor !== "") {
        this.shownFor = this.whose = "";
        this.asked += 1;
        this.busy = false;
        at("body-data").replaceChildren(make("p", { name: "empty", text: "Click a body to see how it moves and what it touches." }));
      }
      return;
    }
    const { picked, frame } = view;
    const whose = [view.run.number, picked].join();
    const key = [whose, frame.number, follows, view.trails.has(picked)].join();
    if (whose !== this.whose) {
      // What is picked is said at once; its data come when they can. Those of another are not waited for.
      this.whose = whose;
      this.show(view, picked, follows, []);
    } else if (key === this.shownFor || this.busy || at("body").hidden) {
      return;
    }
    this.busy = true;
    this.shownFor = key;
    const number = ++this.asked;
    const answered = (act: () => void) => {
      if (number !== this.asked) return;
      this.busy = false;
      act();
    };
    view.run.client.body(frame.number, picked).then(
      (body) => answered(() => this.fill(view, body, follows)),
      (error: unknown) => {
        const gone = error instanceof Refusal && error.status === 404;
        const text = gone ? "It is not there at this time." : error instanceof Error ? error.message : String(error);
        answered(() => this.show(view, picked, follows, [make("p", { name: "empty", text })]));
      },
    );
  }

  /** The name of a body, what can be done with it, and more. */
  private show(view: RunView, id: number, follows: boolean, more: HTMLElement[]): void {
    const act = (text: string, pressed: boolean | null, take: () => void) => {
      const button = make("button", { text, name: "quiet" });
      if (pressed !== null) button.setAttribute("aria-pressed", String(pressed));
      button.addEventListener("click", take);
      return button;
    };
    // The focus stays where it was.
    const focused = document.activeElement?.textContent;
    const acts = make("div", {
      name: "acts",
      children: [
        act("Follow", follows, () => this.actions.follow()),
        act("Trail", view.trails.has(id), () => this.actions.trail()),
        act("Drop", null, () => this.actions.drop()),
      ],
    });
    at("body-data").replaceChildren(make("h2", { name: "title", text: `Body ${id}` }), acts, ...more);
    for (const button of acts.children) if (button.textContent === focused) (button as HTMLElement).focus();
  }

  private fill(view: RunView, body: Body, follows: boolean): void {
    const kind = body.shape === -1 ? (view.run.about.dimension === 3 ? "sphere" : "disk") : body.shape === -2 ? "carrier of walls" : `solid ${body.shape}`;
    // What is nothing beside the rest is rounding.
    const vector = (v: number[]) => v.slice(0, 3).map((x) => shown(Math.abs(x) < 1e-7 * Math.hypot(...v) ? 0 : x, 3)).join(", ");
    const speed = Math.hypot(...body.velocity);
    const facts: [string, string][] = [
      ["Shape", body.prescribed ? `${kind}, moves as prescribed` : kind],
      ["Material", body.material ?? "–"],
      ["Radius", withUnit(body.radius, "m")],
      ["Mass", withUnit(body.mass, "kg")],
      ["Place, m", vector(body.position)],
      ["Velocity, m/s", vector(body.velocity)],
      ["Speed", withUnit(speed, "m/s")],
      ["Spin, rad/s", vector(body.angular_velocity)],
      ["Kinetic energy", withUnit(0.5 * body.mass * speed ** 2, "J")],
    ];
    const list = make("dl", { name: "facts", children: facts.flatMap(([name, value]) => [make("dt", { text: name }), make("dd", { text: value })]) });
    this.show(view, body.id, follows, [list, ...this.contacts(view, body.contacts)]);
  }

  private contacts(view: RunView, contacts: BodyContact[]): HTMLElement[] {
    const title = make("h3", { name: "sub", text: contacts.length === 1 ? "One contact" : `${contacts.length || "No"} contacts` });
    if (contacts.length === 0) return [title];
    const head = ["with", "normal", "across", "gap"].map((text) => make("th", { text }));
    const units = ["", "N", "N", "m"].map((text) => make("th", { text }));
    const sorted = [...contacts].sort((a, b) => b.normal_force - a.normal_force);
    const rows = sorted.slice(0, MOST).map((contact) => {
      const other = make("td");
      if (contact.wall === null) {
        const button = make("button", { text: String(contact.other) });
        button.setAttribute("aria-label", `Pick body ${contact.other}`);
        button.addEventListener("click", () => this.actions.pick(view, contact.other));
        other.append(button, contact.bonded ? " bonded" : "");
      } else {
        other.textContent = contact.wall;
      }
      const numbers = [contact.normal_force, contact.tangential_force, contact.gap].map((x) => make("td", { text: shown(x, 3) }));
      return make("tr", { children: [other, ...numbers] });
    });
    const table = make("table", { name: "touches", children: [make("tr", { children: head }), make("tr", { children: units }), ...rows] });
    const more = sorted.length > MOST ? [make("p", { name: "note", text: `and ${sorted.length - MOST} more` })] : [];
    return [title, table, ...more];
  }
}
