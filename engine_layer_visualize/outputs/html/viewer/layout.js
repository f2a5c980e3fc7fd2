// @ts-check
// An engine and its collapsed groups -> the place of every box, frame and edge: rows, then columns, then routes.

import { fold } from "./fold.js";
import { frames, spans } from "./frames.js";
import { routes } from "./route.js";
import { arrange } from "./rows.js";

/** @import { Engine } from "./types.d.ts" */

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
