// @ts-check
// A scene -> where the words beside its lines stand: the dims of tensors and the names of groups, so that none lies on
// a line, on a box or on other words. What has no such place is left out. It is the same whatever part is seen.

import { append } from "./maps.js";
import * as text from "./text.js";
import { FONTS } from "./text.js";

/** @import { Scene } from "./scene.js" */
/** @import { Frame, Rect, Routes } from "./types.d.ts" */

const WIDEST = 110; // of dims: no wider than from a line to the edge of its box
const BESIDE = 5; // from a line to its dims
const [ABOVE, BELOW] = [3.5, 16.5]; // of dims, from where their line begins
const FOOT = 13.5; // of dims
const [APART, UNDER] = [12, 6]; // from dims to a line with others, at their sides and below: farther than to their own
const CLEAR = 6; // around a line
const LEAST = 24; // width of a name that is worth to be written
const SIZE = 11; // of dims and names, at a large scale

/** Words at a place: left and foot. @typedef {{ words: string; x: number; y: number; size: number }} Written */

/**
 * What lines take of a rectangle: from where to where each goes across it.
 * @param {Scene} scene
 * @param {Rect} rect
 * @param {(route: number) => boolean} [counts] those that are asked for
 */
function across({ grid, routes: { points, start } }, { left, top, right, bottom }, counts = () => true) {
  /** @type {[from: number, to: number][]} */
  const found = [];
  for (const route of grid.routes(left, top, right, bottom).filter(counts))
    for (let at = start[route]; at + 3 < start[route + 1]; at += 2) {
      const [x, u] = points[at] < points[at + 2] ? [points[at], points[at + 2]] : [points[at + 2], points[at]];
      const [y, v] =
        points[at + 1] < points[at + 3] ? [points[at + 1], points[at + 3]] : [points[at + 3], points[at + 1]];
      if (x <= right && u >= left && y <= bottom && v >= top) found.push([x, u]);
    }
  return found;
}

/** The routes that may have dims, by the height at which they begin, and the places that are known. @typedef {{ rows: Map<number, number[]>; places: Map<number, Written | null> }} Known */
/** Of each drawing. @type {WeakMap<Routes, Known>} */
const known = new WeakMap();

/**
 * The dims of the tensor whose line begins here; null: none are written, for they are those of another line, or they
 * have no place.
 * @param {Scene} scene
 * @param {number} route
 */
export function dims(scene, route) {
  const { routes } = scene;
  const { points, start } = routes;
  const all = known.get(routes) ?? { rows: byRow(scene), places: new Map() };
  known.set(routes, all);
  const row = all.rows.get(points[start[route] + 1]);
  if (row && !all.places.has(route)) placeRow(scene, row, all.places);
  return all.places.get(route) ?? null;
}

/** @param {Scene} scene */
function byRow(scene) {
  const { points, start, count } = scene.routes;
  /** @type {Map<number, number[]>} */
  const rows = new Map();
  for (let route = 0; route < count; route++) if (scene.dims(route)) append(rows, points[start[route] + 1], route);
  return rows;
}

/**
 * From left to right, each at the right of its line, else at its left.
 * @param {Scene} scene
 * @param {number[]} row
 * @param {Map<number, Written | null>} places
 */
function placeRow(scene, row, places) {
  const { points, start } = scene.routes;
  row.sort((a, b) => points[start[a]] - points[start[b]]);
  let [taken, last] = [-Infinity, -Infinity];
  row.forEach((route) => {
    places.set(route, null);
    const [x, y] = [points[start[route]], points[start[route] + 1]];
    const words = scene.dims(route);
    const wide = text.width(words, FONTS.plain);
    if (x === last || wide > WIDEST) return;
    /** @type {(other: number) => boolean} */
    const own = (other) => points[start[other]] === x && points[start[other] + 1] === y;
    const [top, bottom] = [y + ABOVE, y + BELOW];
    const beside = across(scene, { left: x, top: bottom, right: x, bottom }, own).length > 0;
    for (const left of [x + BESIDE, x - BESIDE - wide]) {
      const rect = { left: left - 2, top, right: left + wide + 2, bottom };
      if (rect.left < taken || across(scene, rect).length) continue;
      const around = { left: left - APART, top, right: left + wide + APART, bottom: y + FOOT + UNDER };
      if (beside && left > x) around.left = x;
      else if (beside) around.right = x;
      if (across(scene, around, (other) => !own(other) && scene.dims(other) !== words).length) continue;
      if (scene.grid.boxes(rect.left, rect.top, rect.right, rect.bottom).length) continue;
      places.set(route, { words, x: left, y: y + FOOT, size: SIZE });
      [taken, last] = [rect.right, x];
      return;
    }
  });
}

/** Of each scene at its last scale. @type {WeakMap<Scene, { by: number; names: Map<Frame, Written | null> }>} */
const names = new WeakMap();

/**
 * The name of a group above its first row, in the first place between the lines that is wide enough for it.
 * @param {Scene} scene
 * @param {Frame} frame
 * @param {number} by how many times as large as a strong text
 */
export function name(scene, frame, by) {
  let has = names.get(scene);
  if (has?.by !== by) has = { by, names: new Map() };
  names.set(scene, has);
  let found = has.names.get(frame);
  if (found === undefined) {
    found = nameAt(scene, frame, by);
    has.names.set(frame, found);
  }
  return found;
}

/** @param {Scene} scene @param {Frame} frame @param {number} by @returns {Written | null} */
function nameAt(scene, frame, by) {
  const y = frame.y + 16 - 2 * by; // a mark at the first box has room below
  const { label, nodes } = scene.engine.groups[frame.group];
  const words = `− ${label}`;
  const [left, right] = [frame.x + 8, frame.x + frame.w - 14];
  const lines = across(scene, { left, top: y - 10 * by, right, bottom: y + 3 * by }).sort((a, b) => a[0] - b[0]);
  const wide = text.width(words, FONTS.strong);
  let [from, widest, at] = [left, 0, left];
  for (const [begin, end] of [...lines, [right + CLEAR, right]]) {
    const room = begin - CLEAR - from;
    if (room > widest && widest < wide * by) [widest, at] = [room, from];
    from = Math.max(from, end + CLEAR);
  }
  if (widest < LEAST * by) return null;
  const [size, room] = [SIZE * by, widest / by + 0.5];
  const whole = [words, ...scene.took(nodes)].join("  ");
  if (text.width(whole, FONTS.strong) <= room) return { words: whole, x: at, y, size };
  if (wide > room && /^[^ ]*[./][^ ]*$/.test(label))
    return { words: `− ${text.tail(label, FONTS.strong, room - text.width("− ", FONTS.strong))}`, x: at, y, size };
  return { words: text.lead(words, FONTS.strong, room), x: at, y, size };
}
