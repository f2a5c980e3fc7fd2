// @ts-check
// An engine -> which layers without a kernel stand as marks on their line, and at whose box: NoOps, constants and shape
// arithmetic cost nothing, and as boxes they would fill a large drawing. One that has a time all the same is a box.

/** @import { Scene } from "./scene.js" */
/** @import { Color, Engine, Pen } from "./types.d.ts" */

const FEWEST = 60; // layers of an engine that has marks
const RADIUS = 3;
const REACH = 9; // of the pointer, in pixels

/**
 * For each layer that is a mark the node at whose box it stands: the one that writes what it reads, else the one that
 * reads it. Lines of the mark become lines of that box, which is true of one neighbour alone: others stay boxes.
 * @param {Pick<Engine, "count" | "edges" | "into" | "isLayer" | "jumps" | "kind" | "layers" | "out">} engine
 * @returns {Map<number, number>}
 */
export function hosts({ count, edges: { from, to }, into, isLayer, jumps: control, kind, layers, out }) {
  /** @type {Map<number, number>} */
  const found = new Map();
  if (count < FEWEST) return found;
  /** @param {number} node */
  const jumps = (node) => control.some(([a, b]) => a === node || b === node);
  /** @type {(edges: Int32Array, ends: number[]) => number} */
  const only = (edges, ends) => {
    const nodes = new Set(Array.from(edges, (edge) => ends[edge]));
    const [node] = nodes;
    return nodes.size === 1 ? node : -1;
  };
  /** @param {number} node */
  const last = (node) => {
    let at = node;
    for (let next = found.get(at); next !== undefined; next = found.get(at)) at = next;
    return at;
  };
  for (const node of [...layers.idle].sort((a, b) => a - b)) {
    const stays = layers.ms[node] || jumps(node) || !out(node).length;
    if (stays || !["layer", "reformat", "constant"].includes(kind(node))) continue;
    const host = [only(into(node), from), only(out(node), to)]
      .filter((each) => each >= 0 && isLayer(each))
      .find((each) => last(each) !== node);
    if (host !== undefined) found.set(node, host);
  }
  return new Map([...found.keys()].map((node) => [node, last(node)]));
}

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
