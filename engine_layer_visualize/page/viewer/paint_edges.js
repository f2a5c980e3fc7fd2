// @ts-check
// Draws the edges of a scene that are in view: routes, arrow heads, curves, and the dims of their tensors.

import { NEAR } from "./cards.js";
import { append } from "./maps.js";
import * as text from "./text.js";
import { FONTS } from "./text.js";

/** @import { Scene } from "./scene.js" */
/** @import { Color, Curve, Pen, Rect, Routes, View } from "./types.d.ts" */

export const FAR = 0.26; // the scale below which boxes are blocks without words
const APART = 70; // of the dims of two tensors
const HEADS = 0.4; // the scale from which edges have arrow heads
export const DIMS = 130; // how far the dims of an edge reach to its right
export const DIM = 0.22; // of what is not lit

/**
 * @param {Pen} context
 * @param {Scene} scene
 * @param {View} view
 * @param {Rect} seen
 */
export function edges(context, scene, view, seen) {
  const found = scene.grid.routes(seen.left, seen.top, seen.right, seen.bottom);
  const far = view.scale < FAR;
  const least = far ? 14 / view.scale : 0;
  const { points, start } = scene.routes;
  /** @type {Map<Color, number[]>} */
  const quiet = new Map();
  const highlighted = [];
  for (const route of found) {
    if (scene.faint && scene.lit.has(route)) {
      highlighted.push(route);
      continue;
    }
    const [a, b] = [start[route], start[route + 1]];
    if (least && b - a === 4 && points[b - 1] - points[a + 1] < least) continue;
    if (least && b - a > 4 && Math.abs(points[b - 1] - points[a + 1]) + Math.abs(points[b - 2] - points[a]) < least)
      continue;
    const color = scene.routeColor(route);
    append(quiet, color, route);
  }
  context.lineJoin = "round";
  context.globalAlpha = scene.faint ? DIM : far ? 0.55 : 1;
  context.lineWidth = far ? 1 / view.scale : 1.6;
  for (const [color, list] of quiet) {
    context.strokeStyle = color;
    context.beginPath();
    for (const route of list) trace(context, points, start[route], start[route + 1], view.scale);
    context.stroke();
  }
  context.globalAlpha = 1;
  if (view.scale >= HEADS) arrows(context, scene, found);
  lit(context, scene, view, highlighted);
}

/**
 * Routes that stand out, those under the pointer more than others.
 * @param {Pen} context
 * @param {Scene} scene
 * @param {View} view
 * @param {Iterable<number>} routes
 */
export function lit(context, scene, view, routes) {
  const { points, start } = scene.routes;
  for (const route of routes) {
    const wide = Math.max(3, 2 / view.scale) * (scene.pointed.has(route) ? 1.5 : 1);
    context.beginPath();
    trace(context, points, start[route], start[route + 1], view.scale);
    context.lineWidth = wide + 3 / Math.min(1, view.scale); // a halo, where it crosses others
    context.strokeStyle = scene.colors.paper;
    context.stroke();
    context.lineWidth = wide;
    context.strokeStyle = scene.routeColor(route);
    context.stroke();
  }
  if (view.scale >= HEADS) arrows(context, scene, routes);
}

/**
 * @param {Pen} context
 * @param {Float64Array} points
 * @param {number} from
 * @param {number} to
 * @param {number} scale
 */
function trace(context, points, from, to, scale) {
  context.moveTo(points[from], points[from + 1]);
  if (scale < 0.4) {
    for (let at = from + 2; at < to; at += 2) context.lineTo(points[at], points[at + 1]);
    return;
  }
  for (let at = from + 2; at < to - 2; at += 2) {
    const [x, y] = [points[at], points[at + 1]];
    const before = Math.abs(x - points[at - 2]) + Math.abs(y - points[at - 1]);
    const after = Math.abs(points[at + 2] - x) + Math.abs(points[at + 3] - y);
    context.arcTo(x, y, points[at + 2], points[at + 3], Math.min(6, before / 2, after / 2));
  }
  context.lineTo(points[to - 2], points[to - 1]);
}

/**
 * @param {Pen} context
 * @param {Scene} scene
 * @param {Iterable<number>} found
 */
function arrows(context, scene, found) {
  const { points, start } = scene.routes;
  for (const route of found) {
    const [x, y] = [points[start[route + 1] - 2], points[start[route + 1] - 1]];
    context.globalAlpha = scene.faint && !scene.lit.has(route) ? DIM : 1;
    context.fillStyle = scene.routeColor(route);
    context.beginPath();
    context.moveTo(x, y);
    context.lineTo(x - 3.4, y - 6);
    context.lineTo(x + 3.4, y - 6);
    context.fill();
  }
  context.globalAlpha = 1;
}

/**
 * Where a curve begins and ends, and how far it goes out to the right of both.
 * @param {Scene} scene
 * @param {Curve} curve
 * @param {number} scale
 */
export function bent({ folded }, { from: a, to: b }, scale) {
  /** @param {number} box */
  const end = (box) => [
    folded.x[box] + folded.w[box] / 2 + (scale < NEAR ? 0 : folded.flag[box]), // behind its flags
    folded.y[box] + folded.h[box] / 2,
  ];
  const [[x, y], [u, v]] = [end(a), end(b)];
  return [x, y, u, v, Math.min(160, 30 + Math.abs(v - y) / 6)];
}

/**
 * Control flow, and lit edges that are cut.
 * @param {Pen} context
 * @param {Scene} scene
 * @param {View} view
 */
export function curves(context, scene, view) {
  for (const curve of scene.curves) {
    const [x, y, u, v, out] = bent(scene, curve, view.scale);
    context.strokeStyle = curve.color || scene.colors.muted;
    context.lineWidth = Math.max(1.6, 1.2 / view.scale);
    context.setLineDash([7, 5]);
    context.beginPath();
    context.moveTo(x, y);
    context.bezierCurveTo(x + out, y, u + out, v, u, v);
    context.stroke();
    context.setLineDash([]);
  }
}

/** Of each drawing. @type {WeakMap<Routes, Set<number>>} */
const worded = new WeakMap();

/**
 * The routes whose dims are written: one word at a place, whatever part is seen.
 * @param {Scene} scene
 */
function routesWithDims(scene) {
  const { routes } = scene;
  const { points, start, count } = routes;
  const known = worded.get(routes);
  if (known) return known;
  /** @type {(route: number) => number} */
  const x = (route) => points[start[route]];
  /** @type {(route: number) => number} */
  const y = (route) => points[start[route] + 1];
  const order = Array.from({ length: count }, (_, route) => route).filter((route) => scene.dims(route));
  order.sort((a, b) => y(a) - y(b) || x(a) - x(b));
  /** @type {number[]} */
  const kept = [];
  for (const route of order) {
    const last = kept.at(-1);
    if (last === undefined || y(last) !== y(route) || x(route) - x(last) >= APART) kept.push(route);
  }
  const found = new Set(kept);
  worded.set(routes, found);
  return found;
}

/**
 * @param {Pen} context
 * @param {Scene} scene
 * @param {Rect} seen
 */
export function dims(context, scene, seen) {
  const { points, start } = scene.routes;
  const shown = routesWithDims(scene);
  context.strokeStyle = scene.colors.paper;
  context.lineWidth = 3;
  context.font = FONTS.plain;
  context.textAlign = "left";
  for (const route of scene.grid.routes(seen.left, seen.top, seen.right, seen.bottom)) {
    const [x, y] = [points[start[route]], points[start[route] + 1]];
    if (!shown.has(route) || y < seen.top - 20 || y > seen.bottom) continue;
    context.globalAlpha = scene.faint && !scene.lit.has(route) ? DIM : 1;
    write(context, scene, scene.dims(route), x, y);
  }
  context.globalAlpha = 1;
}

/**
 * The dims of a tensor whose edge begins here, with a halo, where another edge crosses.
 * @param {Pen} context
 * @param {Scene} scene
 * @param {string} words
 * @param {number} x
 * @param {number} y
 */
function write(context, { colors }, words, x, y) {
  const shown = text.fit(words, FONTS.plain, 110);
  context.strokeText(shown, x + 5, y + 13.5);
  context.fillStyle = colors.muted;
  context.fillText(shown, x + 5, y + 13.5);
}

/**
 * Words that a lit route would cover, once more; not where several tensors share a place.
 * @param {Pen} context
 * @param {Scene} scene
 * @param {View} view
 * @param {Iterable<number>} routes
 */
export function litDims(context, scene, view, routes) {
  const { points, start } = scene.routes;
  context.strokeStyle = scene.colors.paper;
  context.lineWidth = 3;
  context.font = FONTS.plain;
  context.textAlign = "left";
  const done = new Set();
  for (const route of routes) {
    const [x, y] = [points[start[route]], points[start[route] + 1]];
    const seen = x < view.x + view.width / view.scale && y < view.y + view.height / view.scale && y > view.y - 20;
    if (!seen || done.has(`${x} ${y}`)) continue;
    done.add(`${x} ${y}`);
    const shared = scene.grid.routes(x - APART, y, x + APART, y).some((other) => {
      const by = Math.abs(points[start[other]] - x);
      return points[start[other] + 1] === y && by > 0 && by < APART;
    });
    if (!shared && scene.dims(route)) write(context, scene, scene.dims(route), x, y);
  }
}
