// @ts-check
// A scene and a point of the drawing -> the edge that is drawn there: a flag, a route, or a curve.

import { NEAR } from "./cards.js";
import * as flags from "./flags.js";
import { bent } from "./paint_edges.js";

/** @import { Scene } from "./scene.js" */
/** @import { Curve } from "./types.d.ts" */

const REACH = 6; // pixels from a line that still point at it
const STEPS = 24; // straight pieces that a curve is taken for

/** What is there: an edge, control flow, or the sign that a box has more cut edges. `box`: whose flag it is, else -1. */
/** @typedef {{ edge: number; jump: number; box: number; node: number }} Found */

/**
 * How far a point is from a piece of a line.
 * @type {(px: number, py: number, x: number, y: number, u: number, v: number) => number}
 */
function distance(px, py, x, y, u, v) {
  const long = (u - x) ** 2 + (v - y) ** 2;
  const at = long ? Math.max(0, Math.min(1, ((px - x) * (u - x) + (py - y) * (v - y)) / long)) : 0;
  return Math.hypot(px - x - at * (u - x), py - y - at * (v - y));
}

/**
 * The nearest route within `reach`; -1: none.
 * @type {(scene: Scene, x: number, y: number, reach: number) => number}
 */
function routeAt({ grid, routes: { points, start } }, x, y, reach) {
  let [found, least] = [-1, reach];
  for (const route of grid.routes(x - reach, y - reach, x + reach, y + reach)) {
    for (let at = start[route]; at + 3 < start[route + 1]; at += 2) {
      const far = distance(x, y, points[at], points[at + 1], points[at + 2], points[at + 3]);
      if (far < least) [found, least] = [route, far];
    }
  }
  return found;
}

/**
 * @type {(scene: Scene, curve: Curve, px: number, py: number, scale: number) => boolean}
 */
function onCurve(scene, curve, px, py, scale) {
  const reach = REACH / scale;
  const [x, y, u, v, out] = bent(scene, curve, scale);
  if (px < Math.min(x, u) - reach || px > Math.max(x, u) + out + reach) return false;
  if (py < Math.min(y, v) - reach || py > Math.max(y, v) + reach) return false;
  let [a, b] = [x, y];
  for (let step = 1; step <= STEPS; step++) {
    const t = step / STEPS;
    const [p, q, r, s] = [(1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t ** 3];
    const [c, d] = [p * x + q * (x + out) + r * (u + out) + s * u, (p + q) * y + (r + s) * v];
    if (distance(px, py, a, b, c, d) <= reach) return true;
    [a, b] = [c, d];
  }
  return false;
}

/**
 * @param {Scene} scene
 * @param {number} x
 * @param {number} y
 * @param {number} scale
 * @returns {Found | null}
 */
export function edgeAt(scene, x, y, scale) {
  const flag = scale >= NEAR ? flags.at(scene, x, y) : null;
  if (flag) return { edge: flag.flag.edge, jump: -1, box: flag.box, node: flag.flag.node };
  const route = routeAt(scene, x, y, REACH / scale);
  if (route >= 0) return { edge: scene.routes.edge[route], jump: -1, box: -1, node: -1 };
  const curve = scene.curves.find((each) => onCurve(scene, each, x, y, scale));
  return curve ? { edge: curve.edge, jump: curve.jump, box: -1, node: -1 } : null;
}
