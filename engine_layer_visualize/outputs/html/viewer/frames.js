// @ts-check
// The frames behind open groups, and the rows that groups take.

import { LEAD } from "./fold.js";
import { at } from "./maps.js";

/** @import { Arranged, ById, Engine, Frame, Rect, Sheet, Span } from "./types.d.ts" */

/**
 * A group's extent in each column that it reaches, from the left.
 * @param {Sheet} sheet
 * @param {number[]} nodes
 */
function extents({ of, node, row, columnOf, x, y, w, h, flag }, nodes) {
  /** @type {ById<Rect>} */
  const found = new Map();
  for (const member of nodes) {
    const box = of[member];
    if (node[box] < 0) continue;
    const c = columnOf[row[box]];
    const has = found.get(c) || { left: Infinity, right: -Infinity, top: Infinity, bottom: -Infinity };
    has.left = Math.min(has.left, x[box] - w[box] / 2);
    has.right = Math.max(has.right, x[box] + w[box] / 2 + flag[box]);
    has.top = Math.min(has.top, y[box]);
    has.bottom = Math.max(has.bottom, y[box] + h[box]);
    found.set(c, has);
  }
  return [...found].sort((a, b) => a[0] - b[0]);
}

/**
 * A frame for each open group in each column that it reaches, outer groups first.
 * @param {Engine} engine
 * @param {Sheet} sheet
 * @param {Set<number>} folded
 */
export function frames(engine, sheet, folded) {
  /** @type {Frame[]} */
  const found = [];
  /** @type {Map<string, number>} */
  const begins = new Map(); // names above one row, the inner groups' below
  for (let g = engine.groups.length - 1; g >= 0; g--) {
    const { outer, nodes } = engine.groups[g];
    if (folded.has(g)) continue;
    const pad = outer ? 10 : 6;
    extents(sheet, nodes).forEach(([c, { left, right, top, bottom }], part) => {
      let above = pad - 2;
      if (!part) {
        const names = (begins.get(`${c} ${top}`) || 0) + 1;
        begins.set(`${c} ${top}`, names);
        above = LEAD * names;
      }
      const [x, w] = [left - pad, right - left + 2 * pad];
      found.push({ group: g, part, outer, x, y: top - above, w, h: bottom - top + above + pad - 2, room: w });
    });
  }
  // The name of an outer group may run over all of its columns.
  /** @type {ById<number>} */
  const ends = new Map();
  for (const { group, x, w } of found) ends.set(group, Math.max(ends.get(group) || 0, x + w));
  for (const frame of found) if (frame.outer) frame.room = at(ends, frame.group) - frame.x;
  return found.reverse();
}

/**
 * The rows of each open group, where a break of the columns would hurt.
 * @param {Engine} engine
 * @param {Arranged} arranged
 * @param {Set<number>} folded
 */
export function spans(engine, arranged, folded) {
  /** @type {Span[]} */
  const found = [];
  engine.groups.forEach((group, g) => {
    if (folded.has(g)) return;
    let [first, last] = [Infinity, -1];
    for (const node of group.nodes) {
      const box = arranged.of[node];
      if (arranged.node[box] < 0) continue;
      first = Math.min(first, arranged.row[box]);
      last = Math.max(last, arranged.row[box]);
    }
    if (last >= 0) found.push({ first, last });
  });
  return found;
}
