// Scales of colour: numbers to colours along a strip, names to colours of a list.

import { DataTexture, LinearFilter, NearestFilter, RepeatWrapping, SRGBColorSpace, ClampToEdgeWrapping } from "three";

export type ScaleName = "viridis" | "ember" | "tide" | "ink";

const STRIPS: Record<ScaleName, { label: string; stops: string[] }> = {
  viridis: {
    label: "Viridis",
    stops: ["#443983", "#3b528b", "#2c728e", "#21918c", "#28ae80", "#5ec962", "#addc30", "#fde725"],
  },
  ember: {
    label: "Ember",
    stops: ["#3b2a5e", "#6a2c6f", "#9c3167", "#cc4357", "#ea6a4b", "#f79b4f", "#fccb6b", "#fdf3b4"],
  },
  tide: {
    label: "Tide (for signs)",
    stops: ["#2a5a9c", "#5587bf", "#94b6d8", "#d5dde4", "#ecd9cd", "#e0a183", "#c6634b", "#97302f"],
  },
  ink: { label: "Ink", stops: ["#3c4450", "#5a6470", "#7b858f", "#9ca5ac", "#bdc4c8", "#dde1e2", "#f3f4f3"] },
};

/** Sand, clay and slate with a little glaze: calm beside each other, yet told apart. */
const NAMES = [
  "#d6ae70", "#c17854", "#6e97a8", "#e7cd9e", "#8fa475", "#a96560", "#567796", "#de9c60", "#b2a090", "#79898d",
];
/** Materials: clearly different ones. */
const MATERIALS = ["#d1a868", "#4c7ca5", "#b05248", "#6c9960", "#8a6ba0", "#4fa3a0", "#c98bb0", "#787878"];

export const SCALES = (Object.keys(STRIPS) as ScaleName[]).map((name) => ({ name, label: STRIPS[name].label }));

function channels(colour: string): [number, number, number] {
  const value = Number.parseInt(colour.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

/** The colour at a part of a scale, as three bytes. */
function along(stops: string[], part: number): [number, number, number] {
  const place = Math.min(Math.max(part, 0), 1) * (stops.length - 1);
  const k = Math.min(Math.floor(place), stops.length - 2);
  const [a, b] = [channels(stops[k]!), channels(stops[k + 1]!)];
  const mix = (x: number, y: number) => Math.round(x + (y - x) * (place - k));
  return [mix(a[0], b[0]), mix(a[1], b[1]), mix(a[2], b[2])];
}

function texture(colours: [number, number, number][], smooth: boolean): DataTexture {
  const data = new Uint8Array(colours.length * 4);
  colours.forEach((colour, k) => data.set([...colour, 255], 4 * k));
  const made = new DataTexture(data, colours.length, 1);
  made.colorSpace = SRGBColorSpace;
  made.magFilter = made.minFilter = smooth ? LinearFilter : NearestFilter;
  made.wrapS = smooth ? ClampToEdgeWrapping : RepeatWrapping;
  made.needsUpdate = true;
  return made;
}

/** Forces: the larger, the farther from the colour of the ground. */
const FORCES = {
  dark: ["#a5683f", "#d98a42", "#f5b54d", "#ffe391", "#fffbe6"],
  light: ["#d9a066", "#cc6b3d", "#a8352c", "#6e1426", "#2b0a1c"],
};

const made = new Map<string, DataTexture>();

function kept(name: string, make: () => DataTexture): DataTexture {
  const found = made.get(name) ?? make();
  made.set(name, found);
  return found;
}

export const scaleTexture = (name: ScaleName): DataTexture =>
  kept(name, () => texture(Array.from({ length: 256 }, (_, k) => along(STRIPS[name].stops, k / 255)), true));

export const forceTexture = (ground: "dark" | "light"): DataTexture =>
  kept(`forces ${ground}`, () => texture(Array.from({ length: 256 }, (_, k) => along(FORCES[ground], k / 255)), true));

export const forceGradient = (ground: "dark" | "light"): string => `linear-gradient(to right, ${FORCES[ground].join(", ")})`;

/** Nine colours along a scale, from its low end to its high one. */
export const scaleColours = (name: ScaleName): string[] => Array.from({ length: 9 }, (_, k) => `rgb(${along(STRIPS[name].stops, k / 8).join(" ")})`);
export const forceColours = (ground: "dark" | "light"): string[] => FORCES[ground];

/** One colour for all. */
export const plainTexture = (colour: string): DataTexture => kept(colour, () => texture([channels(colour)], false));

/** Colours of names, of which there may be more than colours. */
export const nameTexture = (materials: boolean): DataTexture =>
  kept(String(materials), () => texture((materials ? MATERIALS : NAMES).map(channels), false));

export const nameCount = (materials: boolean): number => (materials ? MATERIALS : NAMES).length;
export const materialColour = (k: number): string => MATERIALS[k % MATERIALS.length]!;

export function gradient(name: ScaleName): string {
  return `linear-gradient(to right, ${STRIPS[name].stops.join(", ")})`;
}
