// @ts-check
// Draws a scene on the canvas: far away blocks and group names, then headlines, then everything. It keeps
// no state, and touches only what is in view.

import { card } from "./cards.js";
import { append } from "./maps.js";
import * as text from "./text.js";
import { FONTS } from "./text.js";

/** @import { Scene } from "./scene.js" */
/** @import { Color, Frame, Context, Rect, View } from "./types.d.ts" */

export const FAR = 0.26; // the scale below which boxes are blocks without words
const DIM = 0.22; // of what is neither above nor below the selected node

/**
 * @param {Context} context
 * @param {Scene} scene
 * @param {View} view
 * @param {number} ratio
 */
export function draw(context, scene, view, ratio) {
  const { colors } = scene;
  const seen = {
    left: view.x,
    top: view.y,
    right: view.x + view.width / view.scale,
    bottom: view.y + view.height / view.scale,
  };
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.fillStyle = colors.paper;
  context.fillRect(0, 0, view.width * ratio, view.height * ratio);
  const zoom = view.scale * ratio;
  context.setTransform(zoom, 0, 0, zoom, -view.x * zoom, -view.y * zoom);
  context.textBaseline = "alphabetic";
  const boxes = scene.grid.boxes(seen.left, seen.top, seen.right, seen.bottom);
  frames(context, scene, seen);
  routes(context, scene, view, seen);
  if (view.scale < FAR) blocks(context, scene, boxes);
  else cards(context, scene, view.scale, boxes);
  if (view.scale >= 0.7) dims(context, scene, seen);
  groupNames(context, scene, view, seen);
  marks(context, scene, view);
}

// ---- groups ---------------------------------------------------------------------------------

/**
 * @param {Frame} frame
 * @param {Rect} seen
 */
const visible = ({ x, y, w, h }, seen) => x < seen.right && x + w > seen.left && y < seen.bottom && y + h > seen.top;

/**
 * @param {Context} context
 * @param {Scene} scene
 * @param {Rect} seen
 */
function frames(context, scene, seen) {
  for (const frame of scene.frames) {
    if (!visible(frame, seen)) continue;
    context.fillStyle = frame.outer ? scene.colors.group : scene.colors.block;
    context.beginPath();
    context.roundRect(frame.x, frame.y, frame.w, frame.h, 6);
    context.fill();
  }
}

/**
 * A group's name stands above its first row; from afar it is as large as the window needs it.
 * @param {Context} context
 * @param {Scene} scene
 * @param {View} view
 * @param {Rect} seen
 */
function groupNames(context, scene, view, seen) {
  const { colors, engine } = scene;
  context.textAlign = "left";
  const size = Math.max(11, Math.min(240, 11 / view.scale));
  const font = `600 ${size}px ${text.FAMILY}`;
  for (const frame of scene.frames) {
    if (!visible(frame, seen) || frame.part) continue;
    const near = view.scale >= FAR;
    if (!near && frame.h * view.scale < 18) continue;
    if (near) {
      const words = `− ${engine.groups[frame.group].label}`;
      const by = Math.max(1, Math.min(1.45, 0.8 / view.scale));
      context.font = `600 ${11 * by}px ${text.FAMILY}`;
      context.fillStyle = colors.muted;
      context.fillText(text.fit(words, FONTS.strong, (frame.w - 16) / by), frame.x + 8, frame.y + 14);
      continue;
    }
    const name = engine.groups[frame.group].label;
    const wide = (text.width(name, FONTS.strong) * size) / 11;
    if (wide > frame.room) continue;
    context.font = font;
    context.fillStyle = colors.paper;
    context.globalAlpha = 0.86;
    context.fillRect(frame.x, frame.y, wide + size * 0.8, size * 1.5);
    context.globalAlpha = 1;
    context.fillStyle = colors.ink;
    context.fillText(name, frame.x + size * 0.4, frame.y + size * 1.1);
  }
}

// ---- edges ----------------------------------------------------------------------------------

/**
 * @param {Context} context
 * @param {Scene} scene
 * @param {View} view
 * @param {Rect} seen
 */
function routes(context, scene, view, seen) {
  const found = scene.grid.routes(seen.left, seen.top, seen.right, seen.bottom);
  const far = view.scale < FAR;
  const least = far ? 14 / view.scale : 0;
  const { points, start } = scene.routes;
  /** @type {Map<Color, number[]>} */
  const quiet = new Map();
  const highlighted = [];
  for (const route of found) {
    if (scene.connected && scene.connectedRoutes.has(route)) {
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
  context.globalAlpha = scene.connected ? DIM : far ? 0.55 : 1;
  context.lineWidth = far ? 1 / view.scale : 1.6;
  for (const [color, list] of quiet) {
    context.strokeStyle = color;
    context.beginPath();
    for (const route of list) trace(context, points, start[route], start[route + 1], view.scale);
    context.stroke();
  }
  context.globalAlpha = 1;
  for (const route of highlighted) {
    const own = scene.ownRoutes.has(route);
    context.lineWidth = Math.max(own ? 3 : 1.6, (own ? 2 : 1.2) / view.scale);
    context.strokeStyle = scene.routeColor(route);
    context.beginPath();
    trace(context, points, start[route], start[route + 1], view.scale);
    context.stroke();
  }
  if (view.scale >= 0.4) arrows(context, scene, found);
  jumps(context, scene, view);
}

/**
 * @param {Context} context
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
 * @param {Context} context
 * @param {Scene} scene
 * @param {number[]} found
 */
function arrows(context, scene, found) {
  const { points, start } = scene.routes;
  for (const route of found) {
    const [x, y] = [points[start[route + 1] - 2], points[start[route + 1] - 1]];
    context.globalAlpha = scene.connected && !scene.connectedRoutes.has(route) ? DIM : 1;
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
 * Control flow, and the cut edges of the selected layer.
 * @param {Context} context
 * @param {Scene} scene
 * @param {View} view
 */
function jumps(context, scene, view) {
  const { folded, colors } = scene;
  for (const [a, b, color] of scene.curves) {
    const [x, y, u, v] = [
      folded.x[a] + folded.w[a] / 2,
      folded.y[a] + folded.h[a] / 2,
      folded.x[b] + folded.w[b] / 2,
      folded.y[b] + folded.h[b] / 2,
    ];
    const out = Math.min(160, 30 + Math.abs(v - y) / 6);
    context.strokeStyle = color || colors.muted;
    context.lineWidth = Math.max(1.6, 1.2 / view.scale);
    context.setLineDash([7, 5]);
    context.beginPath();
    context.moveTo(x, y);
    context.bezierCurveTo(x + out, y, u + out, v, u, v);
    context.stroke();
    context.setLineDash([]);
  }
}

// ---- boxes ----------------------------------------------------------------------------------

/**
 * @param {Scene} scene
 * @param {number} box
 */
const faded = (scene, box) =>
  (scene.hits && !scene.hits.has(box)) || (scene.connected && !scene.connectedBoxes.has(box));

/**
 * From afar: rectangles, sorted by colour, as changing colours costs more than filling.
 * @param {Context} context
 * @param {Scene} scene
 * @param {number[]} boxes
 */
function blocks(context, scene, boxes) {
  const { folded } = scene;
  /** @type {Map<Color, number[]>} */
  const byColor = new Map();
  for (const box of boxes) {
    const color = faded(scene, box) ? scene.pale(box) : scene.far(box);
    append(byColor, color, box);
  }
  for (const [color, list] of byColor) {
    context.fillStyle = color;
    for (const box of list)
      context.fillRect(folded.x[box] - folded.w[box] / 2, folded.y[box], folded.w[box], folded.h[box]);
  }
}

/**
 * @param {Context} context
 * @param {Scene} scene
 * @param {number} scale
 * @param {number[]} boxes
 */
function cards(context, scene, scale, boxes) {
  for (const box of boxes) {
    context.globalAlpha = faded(scene, box) ? DIM : 1;
    card(context, scene, scale, box);
  }
  context.globalAlpha = 1;
}

// ---- dims on the edges ----------------------------------------------------------------------

/**
 * @param {Context} context
 * @param {Scene} scene
 * @param {Rect} seen
 */
function dims(context, scene, seen) {
  const { colors } = scene;
  const { points, start } = scene.routes;
  /** The x of what is written, by its y. @type {Map<number, number[]>} */
  const done = new Map();
  context.strokeStyle = colors.paper;
  context.lineWidth = 3;
  context.font = FONTS.plain;
  context.textAlign = "left";
  for (const route of scene.grid.routes(seen.left, seen.top, seen.right, seen.bottom)) {
    const [x, y] = [points[start[route]], points[start[route] + 1]];
    if (y < seen.top - 20 || y > seen.bottom) continue;
    const words = scene.dims(route);
    const near = done.get(y) || [];
    if (!words || near.some((other) => Math.abs(other - x) < 70)) continue; // one word at a place
    append(done, y, x);
    context.globalAlpha = scene.connected && !scene.connectedRoutes.has(route) ? DIM : 1;
    const shown = text.fit(words, FONTS.plain, 110);
    context.strokeText(shown, x + 5, y + 12); // a halo, where another edge crosses
    context.fillStyle = colors.muted;
    context.fillText(shown, x + 5, y + 12);
  }
  context.globalAlpha = 1;
}

// ---- what is selected -------------------------------------------------------------------------

/**
 * @param {Context} context
 * @param {Scene} scene
 * @param {View} view
 */
function marks(context, scene, view) {
  const { folded, colors } = scene;
  for (const [box, wide] of [
    [scene.hover, 1.6],
    [scene.selected, 3],
  ]) {
    if (box === undefined || box < 0 || box === null) continue;
    const by = wide / 2 + 1.5;
    context.strokeStyle = colors.accent;
    context.lineWidth = Math.max(wide, (wide * 0.8) / view.scale);
    context.beginPath();
    context.roundRect(
      folded.x[box] - folded.w[box] / 2 - by,
      folded.y[box] - by,
      folded.w[box] + 2 * by,
      folded.h[box] + 2 * by,
      6,
    );
    context.stroke();
  }
}
