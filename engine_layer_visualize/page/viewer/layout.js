// @ts-check
// An engine and its collapsed groups -> the place of every box, frame and edge: rows, then columns, then routes.

import { fold } from "./fold.js";
import { frames, spans } from "./frames.js";
import { routes } from "./route.js";
import { arrange } from "./rows.js";

/** @import { Engine, Folded } from "./types.d.ts" */

/**
 * `aspect` is the width : height to come near to; null: one column.
 * @param {Engine} engine
 * @param {Set<number>} collapsed
 * @param {number | null} aspect
 */
export function layOut(engine, collapsed, aspect) {
  const rows = arrange(engine, collapsed);
  const folded = fold(rows, aspect, spans(engine, rows, collapsed));
  return { folded, frames: frames(engine, folded, collapsed), routes: routes(folded, engine.edges) };
}

/**
 * What holds the boxes of these nodes.
 * @param {Folded} folded
 * @param {number[]} nodes
 */
export function around(folded, nodes) {
  const { x, y, w, h, of } = folded;
  const boxes = [...new Set(nodes.map((node) => of[node]))];
  /** @type {(edge: (box: number) => number) => number[]} */
  const ends = (edge) => boxes.reduce(([a, b], box) => [Math.min(a, edge(box)), Math.max(b, edge(box))], [1e9, -1e9]);
  const [left] = ends((box) => x[box] - w[box] / 2);
  const right = ends((box) => x[box] + w[box] / 2)[1];
  const [top] = ends((box) => y[box]);
  const bottom = ends((box) => y[box] + h[box])[1];
  return { left: left - 12, top: top - 12, width: right - left + 24, height: bottom - top + 24 };
}
