// @ts-check
// A scene and a point of the drawing -> the edge that is drawn there: a flag, or a route.

import { NEAR } from "./cards.js";
import * as flags from "./flags.js";

/** @import { Scene } from "./scene.js" */

const REACH = 6; // pixels from a line that still point at it

/** What is there: an edge, or -1, the sign that a box has more cut edges. `box`: whose flag it is, else -1. */
/** @typedef {{ edge: number; box: number; node: number }} Found */

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
 * @param {Scene} scene
 * @param {number} x
 * @param {number} y
 * @param {number} scale
 * @returns {Found | null}
 */
export function edgeAt(scene, x, y, scale) {
  const flag = scale >= NEAR ? flags.at(scene, x, y) : null;
  if (flag) return { edge: flag.flag.edge, box: flag.box, node: flag.flag.node };
  const route = routeAt(scene, x, y, REACH / scale);
  return route >= 0 ? { edge: scene.routes.edge[route], box: -1, node: -1 } : null;
}
