// @ts-check
// Layers without a kernel, as marks on their lines: which are, and at whose box, analysis/kinds.py decides.

/** @import { Scene } from "./scene.js" */
/** @import { Color, Pen } from "./types.d.ts" */

const RADIUS = 3;
const REACH = 9; // of the pointer, in pixels

/** Where the marks of a box stand, above or below it. @param {Scene} scene @param {number} box */
function places({ folded }, box) {
  const nodes = folded.marks.get(box) ?? [];
  const host = folded.node[box];
  /** @param {number} node */
  const below = (node) => host < 0 || node > host;
  const [x, y] = [folded.x[box], folded.y[box]];
  return [
    { x, y: y + folded.h[box], nodes: nodes.filter(below) },
    { x, y, nodes: nodes.filter((node) => !below(node)) },
  ].filter(({ nodes }) => nodes.length);
}

/**
 * @param {Pen} context
 * @param {{ x: number; y: number }} place
 * @param {number} radius
 * @param {Color} fill
 * @param {Color} line
 */
function ring(context, { x, y }, radius, fill, line) {
  context.beginPath();
  context.roundRect(x - radius, y - radius, 2 * radius, 2 * radius, radius);
  context.fillStyle = fill;
  context.strokeStyle = line;
  context.lineWidth = 1.2;
  context.fill();
  context.stroke();
}

/**
 * Rings on the border of the box, where the line is.
 * @param {Pen} context
 * @param {Scene} scene
 * @param {number} box
 */
export function paint(context, scene, box) {
  if (!scene.folded.marks.has(box)) return;
  for (const place of places(scene, box)) ring(context, place, RADIUS, scene.colors.paper, scene.colors.muted);
}

/**
 * Those that a search found, or of which one is selected, large enough to be seen from afar.
 * @param {Pen} context
 * @param {Scene} scene
 * @param {number} scale
 */
export function paintFound(context, scene, scale) {
  const { foundMarks, folded, colors } = scene;
  for (const box of new Set([...foundMarks].map((node) => folded.of[node])))
    for (const place of places(scene, box))
      if (place.nodes.some((node) => foundMarks.has(node)))
        ring(context, place, Math.max(RADIUS * 1.6, 3 / scale), colors.accent, colors.paper);
}

/**
 * The layers of the marks at a point; empty: none.
 * @param {Scene} scene
 * @param {number[]} boxes near it
 * @param {number} x
 * @param {number} y
 * @param {number} scale
 */
export function at(scene, boxes, x, y, scale) {
  const reach = Math.max(RADIUS, REACH / scale);
  for (const box of boxes)
    for (const place of places(scene, box)) if (Math.hypot(place.x - x, place.y - y) <= reach) return place.nodes;
  return [];
}

/** What is said of layers that are marks. @param {import("./types.d.ts").Engine} engine @param {number[]} nodes */
export const ofMarks = ({ layers }, nodes) => (nodes.every((n) => layers.idle.has(n)) ? "without a kernel" : "of 0 µs");
