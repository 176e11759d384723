// What all bodies share: where they are between two frames, which are cut away, their colours, and the light.

import { type DataTexture, Vector4 } from "three";
import { nameTexture } from "./colours";

/** Values of the shaders that are the same for all bodies of a run. */
export function sharedUniforms() {
  return {
    /** How far between the two frames, 0 to 1. */
    between: { value: 0 },
    /** What moves farther than this between frames has come through the face of a periodic cell, m. */
    jump: { value: 1e30 },
    /** The plane n·x > d beyond which nothing is drawn; n = 0 for none. */
    clip: { value: new Vector4(0, 0, 0, 0) },
    scale: { value: nameTexture(false) as DataTexture },
    /** What the ends of the scale stand for. */
    range: { value: [0, 1] },
    /** The number of colours if they stand for names, else 0. */
    names: { value: 10 },
    /** The place of the body that is picked, or -1. */
    picked: { value: -1 },
    pickedColour: { value: [1, 0.45, 0.2] },
    /** 0 solid, 1 glass. */
    glass: { value: 0 },
    /** Whether turns are shown by a dark band. */
    band: { value: 0 },
    /** Whether everything lies in a plane. */
    flat: { value: 0 },
    /** Whether the projection is parallel. */
    parallel: { value: 0 },
    /** Pixels of the view's height. */
    height: { value: 1 },
  };
}

export type SharedUniforms = ReturnType<typeof sharedUniforms>;

export const BODY_VERTEX = /* glsl */ `
  uniform float between, jump, names;
  uniform vec4 clip;
  uniform vec2 range;
  uniform float picked;
  vec3 placeBetween(vec3 from, vec3 to) {
    vec3 way = to - from;
    return dot(way, way) > jump * jump ? from : from + between * way;
  }
  // Whether all within a radius of a place is beyond the plane.
  bool isCut(vec3 place, float radius) { return dot(clip.xyz, place) > clip.w + radius && dot(clip.xyz, clip.xyz) > 0.0; }
  float partOfScale(float value) {
    if (names > 0.0) return (mod(value, names) + 0.5) / names;
    return clamp((value - range.x) / max(range.y - range.x, 1e-30), 0.0, 1.0);
  }
`;

/** The inside of a body, where it is cut, is a little darker than its outside. */
export const INSIDE = "const float INSIDE = 0.78;";

/** For fragments: what the plane leaves, in the coordinates of the viewer. */
export const CUT = /* glsl */ `
  ${INSIDE}
  uniform vec4 clip;
  bool cuts() { return dot(clip.xyz, clip.xyz) > 0.0; }
  vec4 planeSeen() {
    vec3 n = mat3(viewMatrix) * clip.xyz;
    return vec4(n, clip.w + dot(n, viewMatrix[3].xyz));
  }
`;

export const LIGHT = /* glsl */ `
  uniform sampler2D scale;
  uniform float glass, flat2d;
  uniform vec3 pickedColour;
  // Light from the upper left behind the viewer, sky above and the ground's glow below.
  vec3 lit(vec3 colour, vec3 n) {
    float key = max(dot(n, vec3(-0.41, 0.57, 0.71)), 0.0);
    float sky = 0.5 + 0.5 * n.y;
    float rim = 1.0 - max(n.z, 0.0);
    vec3 light = vec3(0.30, 0.32, 0.36) * sky + vec3(0.16, 0.14, 0.12) * (1.0 - sky) + 0.78 * key * vec3(1.0, 0.98, 0.94);
    light *= 1.0 - 0.42 * rim * rim * rim;
    vec3 reflected = vec3(0.07) * pow(max(dot(reflect(vec3(0.41, -0.57, -0.71), n), vec3(0.0, 0.0, 1.0)), 0.0), 24.0);
    return colour * light + reflected;
  }
  // Linear light to what screens show.
  vec3 shown(vec3 c) {
    c = clamp(c, 0.0, 1.0);
    return mix(12.92 * c, 1.055 * pow(c, vec3(1.0 / 2.4)) - 0.055, step(0.0031308, c));
  }
  vec4 bodyColour(vec3 base, vec3 n, float isPicked) {
    vec3 colour = mix(base, pickedColour, 0.75 * isPicked);
    if (glass > 0.5 && isPicked < 0.5) {
      float rim = 1.0 - abs(n.z);
      return vec4(shown(lit(colour, n)), 0.05 + 0.3 * rim * rim);
    }
    return vec4(shown(lit(colour, n)), 1.0);
  }
`;
