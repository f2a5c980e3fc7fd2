// @ts-check
// A scene and the part of it that is seen -> its drawing on a canvas: at small scales plain boxes and names of groups,
// then headlines, then everything. Only what is in view is drawn. `base` is what stays while the pointer moves, `over`
// what lies upon it: cheap, drawn anew in every frame.

import { badge, card, NEAR } from "./cards.js";
import { append } from "./maps.js";
import { paintFound } from "./marks.js";
import { curves, DIM, DIMS, dims, edges, FAR, lit, litDims } from "./paint_edges.js";
import * as placing from "./placing.js";
import { LEAD } from "./spacing.js";
import * as text from "./text.js";
import { FONTS } from "./text.js";

/** @import { Scene } from "./scene.js" */
/** @import { Color, Frame, Pen, Rect, View } from "./types.d.ts" */

const SMALL = 16; // height of a frame, in pixels
const BEYOND = 20; // a box may reach so far out of its place

/**
 * All of it.
 * @param {Pen} context
 * @param {Scene} scene
 * @param {View} view
 * @param {number} ratio pixels of the canvas in one of the view
 */
export function draw(context, scene, view, ratio) {
  base(context, scene, view, ratio);
  over(context, scene, view, ratio);
}

/**
 * From here on the context takes places of the drawing.
 * @param {Pen} context
 * @param {View} view
 * @param {number} ratio
 */
function place(context, view, ratio) {
  const zoom = view.scale * ratio;
  context.setTransform(zoom, 0, 0, zoom, -Math.round(view.x * zoom), -Math.round(view.y * zoom));
  context.textBaseline = "alphabetic";
}

/**
 * @param {Pen} context
 * @param {Scene} scene
 * @param {View} view
 * @param {number} ratio
 */
export function base(context, scene, view, ratio) {
  const { colors } = scene;
  const dimmed = view.scale >= NEAR;
  const seen = {
    left: view.x - (dimmed ? DIMS : BEYOND),
    top: view.y - BEYOND,
    right: view.x + view.width / view.scale + (dimmed ? DIMS : BEYOND),
    bottom: view.y + view.height / view.scale + BEYOND,
  };
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.fillStyle = colors.paper;
  context.fillRect(0, 0, Math.ceil(view.width * ratio), Math.ceil(view.height * ratio));
  place(context, view, ratio);
  const boxes = scene.grid.boxes(seen.left, seen.top, seen.right, seen.bottom);
  frames(context, scene, view, seen);
  edges(context, scene, view, seen);
  if (view.scale < FAR) blocks(context, scene, boxes);
  else cards(context, scene, view.scale, boxes);
  if (dimmed) dims(context, scene, seen);
  groupNames(context, scene, view, seen);
}

/**
 * What is selected and under the pointer: boxes and edges.
 * @param {Pen} context
 * @param {Scene} scene
 * @param {View} view
 * @param {number} ratio
 */
export function over(context, scene, view, ratio) {
  place(context, view, ratio);
  const routes = scene.faint ? scene.pointed : new Set([...scene.lit, ...scene.pointed]);
  lit(context, scene, view, routes);
  if (view.scale >= NEAR) litDims(context, scene, view, routes);
  curves(context, scene, view);
  marks(context, scene, view);
  paintFound(context, scene, view.scale);
}

// ---- groups ---------------------------------------------------------------------------------

/**
 * @param {Frame} frame
 * @param {Rect} seen
 */
const visible = ({ x, y, w, h }, seen) => x < seen.right && x + w > seen.left && y < seen.bottom && y + h > seen.top;

/**
 * From afar without round corners, which cost more than all boxes, and without the smallest ones inside others.
 * @param {Pen} context
 * @param {Scene} scene
 * @param {View} view
 * @param {Rect} seen
 */
function frames(context, scene, view, seen) {
  for (const frame of scene.frames) {
    if (!visible(frame, seen) || (frame.depth && frame.h * view.scale < SMALL)) continue;
    context.fillStyle = frame.depth % 2 ? scene.colors.block : scene.colors.group;
    if (view.scale < FAR) {
      context.fillRect(frame.x, frame.y, frame.w, frame.h);
      continue;
    }
    context.beginPath();
    context.roundRect(frame.x, frame.y, frame.w, frame.h, 6);
    context.fill();
  }
}

/** @type {(a: Rect, b: Rect) => boolean} */
const meet = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

/** A name as it is seen from afar. @typedef {Rect & { name: string }} Written */
/** Of each scene at its last scale. @type {WeakMap<Scene, { scale: number; names: Written[] }>} */
const written = new WeakMap();

/**
 * Names that are seen from afar, as large as the window needs them: none lies on another, whatever part is seen.
 * @param {Scene} scene
 * @param {number} scale
 * @param {number} size
 */
function farNames(scene, scale, size) {
  const known = written.get(scene);
  if (known?.scale === scale) return known.names;
  /** @type {Written[]} */
  const names = []; // outer groups come first
  for (const frame of scene.frames) {
    if (frame.part || frame.h * scale < (frame.depth ? 72 : 18)) continue; // it would hide what is inside
    const name = scene.engine.groups[frame.group].label;
    const wide = (text.width(name, FONTS.strong) * size) / 11;
    const place = { left: frame.x, top: frame.y, right: frame.x + wide + size * 0.8, bottom: frame.y + size * 1.5 };
    if (wide > frame.room || (frame.depth && names.some((other) => meet(place, other)))) continue;
    names.push({ ...place, name });
  }
  written.set(scene, { scale, names });
  return names;
}

/**
 * A group's name stands above its first row.
 * @param {Pen} context
 * @param {Scene} scene
 * @param {View} view
 * @param {Rect} seen
 */
function groupNames(context, scene, view, seen) {
  const { colors } = scene;
  context.textAlign = "left";
  if (view.scale >= FAR) {
    const by = Math.max(1, Math.min(1.8, NEAR / view.scale));
    context.fillStyle = colors.muted;
    for (const frame of scene.frames) {
      if (frame.part || !visible({ ...frame, h: LEAD }, seen)) continue;
      const place = placing.name(scene, frame, by);
      if (!place) continue;
      context.font = `600 ${place.size}px ${text.FAMILY}`;
      context.fillText(place.words, place.x, place.y);
    }
    return;
  }
  const size = Math.max(11, Math.min(240, 11 / view.scale));
  context.font = `600 ${size}px ${text.FAMILY}`;
  for (const place of farNames(scene, view.scale, size)) {
    if (!meet(place, seen)) continue;
    const { left, top, right, bottom, name } = place;
    context.fillStyle = colors.paper;
    context.fillRect(left, top, right - left, bottom - top);
    context.fillStyle = colors.ink;
    context.fillText(name, left + size * 0.4, top + size * 1.1);
  }
}

// ---- boxes ----------------------------------------------------------------------------------

/**
 * @param {Scene} scene
 * @param {number} box
 */
const faded = ({ hits }, box) => hits && !hits.has(box);

/**
 * From afar: rectangles, sorted by colour, as changing colours costs more than filling.
 * @param {Pen} context
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
 * @param {Pen} context
 * @param {Scene} scene
 * @param {number} scale
 * @param {number[]} boxes
 */
function cards(context, scene, scale, boxes) {
  for (const box of boxes) {
    const dim = Boolean(faded(scene, box));
    context.globalAlpha = dim ? DIM : 1;
    card(context, scene, scale, box, dim);
  }
  context.globalAlpha = 1;
}

// ---- over it -------------------------------------------------------------------------

/**
 * @param {Pen} context
 * @param {Scene} scene
 * @param {View} view
 */
function marks(context, scene, view) {
  const { folded, colors } = scene;
  const ends = [...scene.ends].filter((box) => box !== scene.selected);
  for (const [box, wide] of [...ends.map((box) => [box, 1.2]), [scene.hover, 1.6], [scene.selected, 3]]) {
    if (box < 0) continue;
    const by = wide / 2 - 0.5; // no wider: the dims of tensors are near
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
    if (view.scale >= FAR) badge(context, scene, view.scale, box);
  }
}
