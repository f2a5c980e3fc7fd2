// @ts-check
// An engine and its folded groups -> everything placed: rows, then columns, then a path for every edge.

import { fold } from "./fold.js";
import { frames, spans } from "./frames.js";
import { route } from "./route.js";
import { arrange } from "./rows.js";

/** @import { Engine } from "./types.d.ts" */

/**
 * `aspect` is the width : height to come near to; null: one column.
 * @param {Engine} engine
 * @param {Set<number>} folded
 * @param {number | null} aspect
 */
export function lay(engine, folded, aspect) {
  const arranged = arrange(engine, folded);
  const sheet = fold(arranged, aspect, spans(engine, arranged, folded));
  return { sheet, frames: frames(engine, sheet, folded), wires: route(sheet, engine.edges) };
}
