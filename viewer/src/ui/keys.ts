// What keys do. Fields that are typed into keep theirs.

import { at, make } from "./dom";

export interface Key {
  keys: string[];
  /** As people know them. */
  label: string;
  note: string;
  act: (event: KeyboardEvent) => void;
  /** Only while the view has the focus. */
  onView?: boolean;
}

export function listen(keys: Key[]): void {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || at<HTMLDialogElement>("keys").open) return;
    const target = event.target as HTMLElement;
    if (target.matches("input:not([type=checkbox], [type=radio]), select, textarea") && target.id !== "scrub") return;
    const onView = target.id === "canvas";
    // A slider moves by its own arrows, a button is pressed by the space bar.
    if (target.id === "scrub" && event.key.startsWith("Arrow")) return;
    if ((event.key === " " || event.key === "Enter") && target.matches("button, input, summary") && target.id !== "scrub") return;
    if (target.matches("input[type=radio]") && event.key.startsWith("Arrow")) return;
    const key = keys.find(({ keys, onView: only }) => keys.includes(event.key) && (!only || onView));
    if (!key) return;
    event.preventDefault();
    key.act(event);
  });
  const rows = keys.filter(({ label }) => label !== "");
  at("keys-list").replaceChildren(
    ...rows.map(({ label, note }) => {
      const keys = make("dt", { children: label.split(" ").map((text) => make("kbd", { text })) });
      return make("div", { children: [keys, make("dd", { text: note })] });
    }),
  );
}
