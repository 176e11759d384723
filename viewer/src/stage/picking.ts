// Which body a ray meets first: exact for spheres, by triangles for the others.

import { Quaternion, Vector3, type Vector4 } from "three";
import type { Frame } from "../data/run";
import type { SolidMesh } from "./solids";

export interface Ray {
  origin: Vector3;
  direction: Vector3;
}

/** From where to where along a ray a plane n·x ≤ d leaves what is there. */
function left({ origin, direction }: Ray, { x, y, z, w }: Vector4): [number, number] {
  const room = w - (x * origin.x + y * origin.y + z * origin.z);
  const speed = x * direction.x + y * direction.y + z * direction.z;
  if (speed > 0) return [0, room / speed];
  if (speed < 0) return [Math.max(room / speed, 0), Infinity];
  return [0, room < 0 ? -Infinity : Infinity];
}

/** The place of the nearest body in what a plane leaves, with the distance to it; or nothing. */
export function pick(
  ray: Ray,
  frame: Frame,
  meshes: Map<number, SolidMesh>,
  clip: Vector4,
): { place: number; distance: number } | null {
  const [ox, oy, oz] = ray.origin.toArray();
  const [dx, dy, dz] = ray.direction.toArray();
  const [start, end] = left(ray, clip);
  let found: { place: number; distance: number } | null = null;
  for (let k = 0; k < frame.count; k++) {
    const shape = frame.still.shape[k]!;
    if (shape === -2) continue;
    const [x, y, z] = [frame.position[3 * k]!, frame.position[3 * k + 1]!, frame.position[3 * k + 2]!];
    const [cx, cy, cz] = [x - ox, y - oy, z - oz];
    const along = cx * dx + cy * dy + cz * dz;
    const r = frame.still.radius[k]!;
    const inside = r * r - (cx * cx + cy * cy + cz * cz - along * along);
    const root = Math.sqrt(inside);
    // Not met, behind the viewer or cut away; where the plane goes through a ball, its inside is met there.
    if (inside < 0 || along + root < start || along - root > end) continue;
    let distance: number | null = Math.max(along - root, start);
    if (found && distance >= found.distance) continue;
    if (shape >= 0) distance = throughMesh(ray, frame, k, meshes.get(shape), [start, end]);
    if (distance === null || (found && distance >= found.distance)) continue;
    found = { place: k, distance };
  }
  return found;
}

function throughMesh(ray: Ray, frame: Frame, k: number, mesh: SolidMesh | undefined, [start, end]: [number, number]): number | null {
  if (!mesh) return null;
  const turn = new Quaternion();
  turn.fromArray([...frame.orientation.subarray(4 * k, 4 * k + 4)].map((part) => part / 32767)).normalize();
  const back = turn.conjugate();
  const centre = new Vector3().fromArray(frame.position, 3 * k);
  const origin = ray.origin.clone().sub(centre).applyQuaternion(back);
  const way = ray.direction.clone().applyQuaternion(back);
  const [a, ab, ac] = [new Vector3(), new Vector3(), new Vector3()];
  const [p, q] = [new Vector3(), new Vector3()];
  let nearest: number | null = null;
  for (let t = 0; t < mesh.triangles.length; t += 3) {
    a.fromArray(mesh.points, 3 * mesh.triangles[t]!);
    ab.fromArray(mesh.points, 3 * mesh.triangles[t + 1]!).sub(a);
    ac.fromArray(mesh.points, 3 * mesh.triangles[t + 2]!).sub(a);
    // Möller and Trumbore.
    p.crossVectors(way, ac);
    const det = ab.dot(p);
    if (Math.abs(det) < 1e-30) continue;
    const from = origin.clone().sub(a);
    const u = from.dot(p) / det;
    if (u < 0 || u > 1) continue;
    q.crossVectors(from, ab);
    const v = way.dot(q) / det;
    if (v < 0 || u + v > 1) continue;
    const distance = ac.dot(q) / det;
    if (distance > start && distance < end && (nearest === null || distance < nearest)) nearest = distance;
  }
  return nearest;
}
