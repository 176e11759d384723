// What is shown, and how: one value that the panel changes and views draw.

import type { ScaleName } from "../stage/colours";

export interface Look {
  quantity: string;
  scale: ScaleName;
  /** The ends of the scale; nothing for those of what was seen. */
  range: [number, number] | null;
  bodies: "solid" | "glass" | "hidden";
  walls: boolean;
  joints: boolean;
  turns: boolean;
  forces: boolean;
  /** Forces below this multiple of the mean are left out. */
  forceLeast: number;
  forceThick: number;
  arrows: boolean;
  arrowLength: number;
  clip: "none" | "x" | "y" | "z";
  /** Where the plane is, as a part of the bodies' box. */
  clipAt: number;
  clipFlip: boolean;
  /** Whether bodies move between frames. */
  smooth: boolean;
}

export const usualLook = (): Look => ({
  quantity: "speed",
  scale: "viridis",
  range: null,
  bodies: "solid",
  walls: true,
  joints: true,
  turns: false,
  forces: false,
  forceLeast: 0.5,
  forceThick: 1,
  arrows: false,
  arrowLength: 1,
  clip: "none",
  clipAt: 0.5,
  clipFlip: false,
  smooth: true,
});
