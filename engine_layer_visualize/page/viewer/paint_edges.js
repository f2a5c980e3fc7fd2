// @ts-check
// Draws the edges of a scene that are in view: routes, arrow heads, curves, and the dims of their tensors.

import { NEAR } from "./cards.js";
import * as flags from "./flags.js";
import { append } from "./maps.js";
import * as placing from "./placing.js";
import { SPACE } from "./spacing.js";
import { FONTS } from "./text.js";

/** @import { Scene } from "./scene.js" */
/** @import { ById, Color, Curve, Pen, Rect, View } from "./types.d.ts" */

export const FAR = 0.26; // the scale below which boxes are blocks without words
const HEADS = 0.4; // the scale from which edges have arrow heads
export const DIMS = 120; // how far the dims of an edge reach to its sides
const CORNER = 6; // radius
export const DIM = 0.22; // of what is not lit

/**
 * @param {Pen} context
 * @param {Scene} scene
 * @param {View} view
 * @param {Rect} seen
 */
export function edges(context, scene, view, seen) {
  const net = (/** @type {number} */ route) => scene.folded.netOf[scene.routes.edge[route]];
  const found = scene.grid.routes(seen.left, seen.top, seen.right, seen.bottom);
  const far = view.scale < FAR;
  if (!far) found.sort((a, b) => net(a) - net(b) || a - b);
  const least = far ? 14 / view.scale : 0;
  const { points, start } = scene.routes;
  /** Faint ones and others. @type {[Map<Color, number[]>, Map<Color, number[]>]} */
  const quiet = [new Map(), new Map()];
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
    append(quiet[scene.isFaint(route) ? 0 : 1], scene.routeColor(route), route);
  }
  context.lineJoin = "round";
  context.lineWidth = far ? 1 / view.scale : 1.6;
  quiet.forEach((colored, at) => {
    context.globalAlpha = at === 0 ? DIM : far ? 0.55 : 1;
    for (const [color, list] of colored) {
      context.strokeStyle = color;
      context.beginPath();
      list.forEach((route, at) => {
        const [from, x, y] = leaves(scene.routes, far ? undefined : list[at - 1], route);
        trace(context, points, from, start[route + 1], view.scale, x, y);
      });
      context.stroke();
    }
  });
  context.globalAlpha = 1;
  if (view.scale >= HEADS) arrows(context, scene, found);
  lit(context, scene, view, highlighted);
}

/**
 * Routes that stand out, those under the pointer more than others. Those of one tensor cut no line of it.
 * @param {Pen} context
 * @param {Scene} scene
 * @param {View} view
 * @param {Iterable<number>} routes
 */
export function lit(context, scene, view, routes) {
  const { points, start, edge } = scene.routes;
  const { tensors, edges } = scene.engine;
  /** @type {ById<number[]>} */
  const byTensor = new Map();
  for (const route of routes)
    append(byTensor, 2 * tensors.name[edges.tensor[edge[route]]] + Number(scene.pointed.has(route)), route);
  for (const list of byTensor.values()) {
    const wide = Math.max(3, 2 / view.scale) * (scene.pointed.has(list[0]) ? 1.5 : 1);
    context.beginPath();
    for (const route of list) trace(context, points, start[route], start[route + 1], view.scale);
    // A halo, where it crosses others, which leaves the line on the next track whole.
    context.lineWidth = Math.min(wide + 3 / Math.min(1, view.scale), Math.max(wide, 2 * SPACE.track - wide));
    context.strokeStyle = scene.colors.paper;
    context.stroke();
    context.lineWidth = wide;
    context.strokeStyle = scene.routeColor(list[0]);
    context.stroke();
  }
  if (view.scale >= HEADS) arrows(context, scene, routes);
}

/**
 * Where a route leaves the one before it, less a corner: what lies on the other would make both bold. Gives the last point
 * before, and where to begin.
 * @param {Scene["routes"]} routes
 * @param {number | undefined} other
 * @param {number} route
 * @returns {[from: number, x: number, y: number]}
 */
function leaves({ points, start }, other, route) {
  const [from, to] = [start[route], start[route + 1]];
  const [before, end] = other === undefined ? [0, 0] : [start[other], start[other + 1]];
  let at = 0;
  while (at < Math.min(to - from, end - before) && points[before + at] === points[from + at]) at++;
  at -= at % 2;
  if (at < 4 || at === to - from || at === end - before) return [from, points[from], points[from + 1]];
  const [x, y] = [points[from + at - 2], points[from + at - 1]]; // the last point of both
  const [[a, b], [c, d]] = [before, from].map((first) => [points[first + at] - x, points[first + at + 1] - y]);
  const along = Math.sign(a) === Math.sign(c) && Math.sign(b) === Math.sign(d);
  const far = Math.max(0, Math.min(Math.abs(a + b), Math.abs(c + d)) - CORNER);
  if (along) return [from + at - 2, x + Math.sign(c) * far, y + Math.sign(d) * far];
  return [from + at - 4, points[from + at - 4], points[from + at - 3]];
}

/**
 * @param {Pen} context
 * @param {Float64Array} points
 * @param {number} from
 * @param {number} to
 * @param {number} scale
 * @param {number} [x] where on its first line it begins
 * @param {number} [y]
 */
function trace(context, points, from, to, scale, x = points[from], y = points[from + 1]) {
  context.moveTo(x, y);
  if (scale < 0.4) {
    for (let at = from + 2; at < to; at += 2) context.lineTo(points[at], points[at + 1]);
    return;
  }
  for (let at = from + 2; at < to - 2; at += 2) {
    const [x, y] = [points[at], points[at + 1]];
    const before = Math.abs(x - points[at - 2]) + Math.abs(y - points[at - 1]);
    const after = Math.abs(points[at + 2] - x) + Math.abs(points[at + 3] - y);
    context.arcTo(x, y, points[at + 2], points[at + 3], Math.min(CORNER, before / 2, after / 2));
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
    context.globalAlpha = scene.isFaint(route) ? DIM : 1;
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
function bent(scene, { from: a, to: b }, scale) {
  const { folded } = scene;
  /** @param {number} box */
  const end = (box) => [
    scale < NEAR || !folded.flag[box] ? folded.x[box] + folded.w[box] / 2 : flags.right(scene, box),
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

/**
 * @param {Pen} context
 * @param {Scene} scene
 */
function startDims(context, scene) {
  context.strokeStyle = scene.colors.paper;
  context.lineWidth = 3;
  context.font = FONTS.plain;
  context.textAlign = "left";
}

/**
 * @param {Pen} context
 * @param {Scene} scene
 * @param {Rect} seen
 */
export function dims(context, scene, seen) {
  startDims(context, scene);
  context.fillStyle = scene.colors.muted;
  for (const route of scene.grid.routes(seen.left, seen.top, seen.right, seen.bottom)) {
    const place = placing.dims(scene, route);
    if (!place || place.y < seen.top || place.y > seen.bottom + 20) continue;
    context.globalAlpha = scene.isFaint(route) ? DIM : 1;
    context.fillText(place.words, place.x, place.y);
  }
  context.globalAlpha = 1;
}

/**
 * Words that a lit route, which is wider, would touch, once more, with a halo.
 * @param {Pen} context
 * @param {Scene} scene
 * @param {View} view
 * @param {Iterable<number>} routes
 */
export function litDims(context, scene, view, routes) {
  startDims(context, scene);
  const [right, bottom] = [view.x + view.width / view.scale, view.y + view.height / view.scale];
  for (const route of routes) {
    const place = placing.dims(scene, route);
    if (!place || place.x > right || place.y > bottom + 20 || place.y < view.y) continue;
    context.strokeText(place.words, place.x, place.y);
    context.fillStyle = scene.colors.muted;
    context.fillText(place.words, place.x, place.y);
  }
}
