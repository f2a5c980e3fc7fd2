// @ts-check
// Draws a scene on the canvas: far away blocks and group names, then headlines, then everything. It keeps
// no state, and touches only what is in view.

import { card } from "./cards.js";
import { append } from "./maps.js";
import * as text from "./text.js";
import { FONTS } from "./text.js";

/** @import { Scene } from "./scene.js" */
/** @import { Color, Frame, Pen, Rect, View } from "./types.d.ts" */

export const FAR = 0.26; // the scale below which boxes are blocks without words
const DIM = 0.22; // of what is not on the chosen node's path

/**
 * @param {Pen} pen
 * @param {Scene} scene
 * @param {View} view
 * @param {number} ratio
 */
export function draw(pen, scene, view, ratio) {
  const { colors } = scene;
  const seen = {
    left: view.x,
    top: view.y,
    right: view.x + view.width / view.scale,
    bottom: view.y + view.height / view.scale,
  };
  pen.setTransform(1, 0, 0, 1, 0, 0);
  pen.fillStyle = colors.paper;
  pen.fillRect(0, 0, view.width * ratio, view.height * ratio);
  const zoom = view.scale * ratio;
  pen.setTransform(zoom, 0, 0, zoom, -view.x * zoom, -view.y * zoom);
  pen.textBaseline = "alphabetic";
  const boxes = scene.grid.boxes(seen.left, seen.top, seen.right, seen.bottom);
  frames(pen, scene, seen);
  wires(pen, scene, view, seen);
  if (view.scale < FAR) blocks(pen, scene, boxes);
  else cards(pen, scene, view.scale, boxes);
  if (view.scale >= 0.7) dims(pen, scene, seen);
  groupNames(pen, scene, view, seen);
  marks(pen, scene, view);
}

// ---- groups ---------------------------------------------------------------------------------

/**
 * @param {Frame} frame
 * @param {Rect} seen
 */
const visible = ({ x, y, w, h }, seen) => x < seen.right && x + w > seen.left && y < seen.bottom && y + h > seen.top;

/**
 * @param {Pen} pen
 * @param {Scene} scene
 * @param {Rect} seen
 */
function frames(pen, scene, seen) {
  for (const frame of scene.frames) {
    if (!visible(frame, seen)) continue;
    pen.fillStyle = frame.outer ? scene.colors.group : scene.colors.block;
    pen.beginPath();
    pen.roundRect(frame.x, frame.y, frame.w, frame.h, 6);
    pen.fill();
  }
}

/**
 * A group's name stands above its first row; from afar it is as large as the window needs it.
 * @param {Pen} pen
 * @param {Scene} scene
 * @param {View} view
 * @param {Rect} seen
 */
function groupNames(pen, scene, view, seen) {
  const { colors, engine } = scene;
  pen.textAlign = "left";
  const size = Math.max(11, Math.min(240, 11 / view.scale));
  const font = `600 ${size}px ${text.FAMILY}`;
  for (const frame of scene.frames) {
    if (!visible(frame, seen) || frame.part) continue;
    const near = view.scale >= FAR;
    if (!near && frame.h * view.scale < 18) continue;
    if (near) {
      const said = `− ${engine.groups[frame.group].label}`;
      const by = Math.max(1, Math.min(1.45, 0.8 / view.scale));
      pen.font = `600 ${11 * by}px ${text.FAMILY}`;
      pen.fillStyle = colors.muted;
      pen.fillText(text.fit(said, FONTS.strong, (frame.w - 16) / by), frame.x + 8, frame.y + 14);
      continue;
    }
    const name = engine.groups[frame.group].label;
    const wide = (text.width(name, FONTS.strong) * size) / 11;
    if (wide > frame.room) continue;
    pen.font = font;
    pen.fillStyle = colors.paper;
    pen.globalAlpha = 0.86;
    pen.fillRect(frame.x, frame.y, wide + size * 0.8, size * 1.5);
    pen.globalAlpha = 1;
    pen.fillStyle = colors.ink;
    pen.fillText(name, frame.x + size * 0.4, frame.y + size * 1.1);
  }
}

// ---- edges ----------------------------------------------------------------------------------

/**
 * @param {Pen} pen
 * @param {Scene} scene
 * @param {View} view
 * @param {Rect} seen
 */
function wires(pen, scene, view, seen) {
  const found = scene.grid.wires(seen.left, seen.top, seen.right, seen.bottom);
  const far = view.scale < FAR;
  const least = far ? 14 / view.scale : 0;
  const { points, start } = scene.wires;
  /** @type {Map<Color, number[]>} */
  const quiet = new Map();
  const loud = [];
  for (const wire of found) {
    if (scene.path && scene.pathWires.has(wire)) {
      loud.push(wire);
      continue;
    }
    const [a, b] = [start[wire], start[wire + 1]];
    if (least && b - a === 4 && points[b - 1] - points[a + 1] < least) continue;
    if (least && b - a > 4 && Math.abs(points[b - 1] - points[a + 1]) + Math.abs(points[b - 2] - points[a]) < least)
      continue;
    const color = scene.wireColor(wire);
    append(quiet, color, wire);
  }
  pen.lineJoin = "round";
  pen.globalAlpha = scene.path ? DIM : far ? 0.55 : 1;
  pen.lineWidth = far ? 1 / view.scale : 1.6;
  for (const [color, list] of quiet) {
    pen.strokeStyle = color;
    pen.beginPath();
    for (const wire of list) trace(pen, points, start[wire], start[wire + 1], view.scale);
    pen.stroke();
  }
  pen.globalAlpha = 1;
  for (const wire of loud) {
    const own = scene.ownWires.has(wire);
    pen.lineWidth = Math.max(own ? 3 : 1.6, (own ? 2 : 1.2) / view.scale);
    pen.strokeStyle = scene.wireColor(wire);
    pen.beginPath();
    trace(pen, points, start[wire], start[wire + 1], view.scale);
    pen.stroke();
  }
  if (view.scale >= 0.4) arrows(pen, scene, found);
  jumps(pen, scene, view);
}

/**
 * @param {Pen} pen
 * @param {Float64Array} points
 * @param {number} from
 * @param {number} to
 * @param {number} scale
 */
function trace(pen, points, from, to, scale) {
  pen.moveTo(points[from], points[from + 1]);
  if (scale < 0.4) {
    for (let at = from + 2; at < to; at += 2) pen.lineTo(points[at], points[at + 1]);
    return;
  }
  for (let at = from + 2; at < to - 2; at += 2) {
    const [x, y] = [points[at], points[at + 1]];
    const before = Math.abs(x - points[at - 2]) + Math.abs(y - points[at - 1]);
    const after = Math.abs(points[at + 2] - x) + Math.abs(points[at + 3] - y);
    pen.arcTo(x, y, points[at + 2], points[at + 3], Math.min(6, before / 2, after / 2));
  }
  pen.lineTo(points[to - 2], points[to - 1]);
}

/**
 * @param {Pen} pen
 * @param {Scene} scene
 * @param {number[]} found
 */
function arrows(pen, scene, found) {
  const { points, start } = scene.wires;
  for (const wire of found) {
    const [x, y] = [points[start[wire + 1] - 2], points[start[wire + 1] - 1]];
    pen.globalAlpha = scene.path && !scene.pathWires.has(wire) ? DIM : 1;
    pen.fillStyle = scene.wireColor(wire);
    pen.beginPath();
    pen.moveTo(x, y);
    pen.lineTo(x - 3.4, y - 6);
    pen.lineTo(x + 3.4, y - 6);
    pen.fill();
  }
  pen.globalAlpha = 1;
}

/**
 * Control flow, and the wires of a chosen layer that are too long to be drawn otherwise.
 * @param {Pen} pen
 * @param {Scene} scene
 * @param {View} view
 */
function jumps(pen, scene, view) {
  const { sheet, colors } = scene;
  for (const [a, b, color] of scene.leaps) {
    const [x, y, u, v] = [
      sheet.x[a] + sheet.w[a] / 2,
      sheet.y[a] + sheet.h[a] / 2,
      sheet.x[b] + sheet.w[b] / 2,
      sheet.y[b] + sheet.h[b] / 2,
    ];
    const out = Math.min(160, 30 + Math.abs(v - y) / 6);
    pen.strokeStyle = color || colors.muted;
    pen.lineWidth = Math.max(1.6, 1.2 / view.scale);
    pen.setLineDash([7, 5]);
    pen.beginPath();
    pen.moveTo(x, y);
    pen.bezierCurveTo(x + out, y, u + out, v, u, v);
    pen.stroke();
    pen.setLineDash([]);
  }
}

// ---- boxes ----------------------------------------------------------------------------------

/**
 * @param {Scene} scene
 * @param {number} box
 */
const faded = (scene, box) => (scene.hits && !scene.hits.has(box)) || (scene.path && !scene.pathBoxes.has(box));

/**
 * From afar: rectangles, sorted by colour, as changing colours costs more than filling.
 * @param {Pen} pen
 * @param {Scene} scene
 * @param {number[]} boxes
 */
function blocks(pen, scene, boxes) {
  const { sheet } = scene;
  /** @type {Map<Color, number[]>} */
  const byColor = new Map();
  for (const box of boxes) {
    const color = faded(scene, box) ? scene.pale(box) : scene.far(box);
    append(byColor, color, box);
  }
  for (const [color, list] of byColor) {
    pen.fillStyle = color;
    for (const box of list) pen.fillRect(sheet.x[box] - sheet.w[box] / 2, sheet.y[box], sheet.w[box], sheet.h[box]);
  }
}

/**
 * @param {Pen} pen
 * @param {Scene} scene
 * @param {number} scale
 * @param {number[]} boxes
 */
function cards(pen, scene, scale, boxes) {
  for (const box of boxes) {
    pen.globalAlpha = faded(scene, box) ? DIM : 1;
    card(pen, scene, scale, box);
  }
  pen.globalAlpha = 1;
}

// ---- dims on the edges ----------------------------------------------------------------------

/**
 * @param {Pen} pen
 * @param {Scene} scene
 * @param {Rect} seen
 */
function dims(pen, scene, seen) {
  const { colors } = scene;
  const { points, start } = scene.wires;
  /** The x of what is written, by its y. @type {Map<number, number[]>} */
  const done = new Map();
  pen.strokeStyle = colors.paper;
  pen.lineWidth = 3;
  pen.font = FONTS.plain;
  pen.textAlign = "left";
  for (const wire of scene.grid.wires(seen.left, seen.top, seen.right, seen.bottom)) {
    const [x, y] = [points[start[wire]], points[start[wire] + 1]];
    if (y < seen.top - 20 || y > seen.bottom) continue;
    const said = scene.dims(wire);
    const near = done.get(y) || [];
    if (!said || near.some((other) => Math.abs(other - x) < 70)) continue; // one word at a place
    append(done, y, x);
    pen.globalAlpha = scene.path && !scene.pathWires.has(wire) ? DIM : 1;
    const shown = text.fit(said, FONTS.plain, 110);
    pen.strokeText(shown, x + 5, y + 12); // a halo, where another edge crosses
    pen.fillStyle = colors.muted;
    pen.fillText(shown, x + 5, y + 12);
  }
  pen.globalAlpha = 1;
}

// ---- what is chosen -------------------------------------------------------------------------

/**
 * @param {Pen} pen
 * @param {Scene} scene
 * @param {View} view
 */
function marks(pen, scene, view) {
  const { sheet, colors } = scene;
  for (const [box, wide] of [
    [scene.hover, 1.6],
    [scene.chosen, 3],
  ]) {
    if (box === undefined || box < 0 || box === null) continue;
    const by = wide / 2 + 1.5;
    pen.strokeStyle = colors.accent;
    pen.lineWidth = Math.max(wide, (wide * 0.8) / view.scale);
    pen.beginPath();
    pen.roundRect(
      sheet.x[box] - sheet.w[box] / 2 - by,
      sheet.y[box] - by,
      sheet.w[box] + 2 * by,
      sheet.h[box] + 2 * by,
      6,
    );
    pen.stroke();
  }
}
