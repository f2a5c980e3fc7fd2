// @ts-check
// An engine's groups and its rows -> the rows that each open group takes, and the frames behind it.

import { at } from "./maps.js";
import { LEAD } from "./spacing.js";

/** @import { Rows, ById, Engine, Frame, Group, Rect, Folded, Span } from "./types.d.ts" */

const PAD = 6; // around the innermost frames
const STEP = 3; // how much wider each outer one is
const WIDEST = 16; // less than what is between boxes

/**
 * Whether a node's box is inside of a group that is drawn open: a group has a lower number than those inside of it.
 * @param {Rows} rows
 * @param {number} member
 * @param {number} group
 */
const isInside = ({ node, of, marks }, member, group) =>
  node[of[member]] === member || (-1 - node[of[member]] > group && !marks.get(of[member])?.includes(member));

/** The nodes that a frame is around: the box of a layer stands above what is inside. @param {Group} group */
const framed = ({ members, top, owner }) => (top && owner !== undefined ? [owner, ...members] : members);

/**
 * A group's extent in each of its columns, from the left.
 * @param {Folded} folded
 * @param {number[]} nodes
 * @param {number} group
 */
function extents(folded, nodes, group) {
  const { of, row, columnOf, x, y, w, h, flag } = folded;
  /** @type {ById<Rect>} */
  const found = new Map();
  for (const member of nodes) {
    const box = of[member];
    if (!isInside(folded, member, group)) continue;
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
 * A frame for each open group in each of its columns, outer groups first.
 * @param {Engine} engine
 * @param {Folded} folded
 * @param {Set<number>} collapsed
 */
export function frames(engine, folded, collapsed) {
  /** @type {Frame[]} */
  const found = [];
  /** @type {Map<string, number>} */
  const begins = new Map(); // names above one row, the inner groups' below
  const deepest = engine.groups.reduce(
    (most, { depth, owner }, g) => (owner !== undefined && collapsed.has(g) ? most : Math.max(most, depth)),
    0,
  );
  for (let g = engine.groups.length - 1; g >= 0; g--) {
    const { depth } = engine.groups[g];
    if (collapsed.has(g)) continue;
    const pad = Math.min(WIDEST, PAD + STEP * (deepest - depth));
    extents(folded, framed(engine.groups[g]), g).forEach(([c, { left, right, top, bottom }], part) => {
      let above = pad - 2;
      if (!part) {
        const names = (begins.get(`${c} ${top}`) || 0) + 1;
        begins.set(`${c} ${top}`, names);
        above = LEAD * names;
      }
      const [x, w] = [left - pad, right - left + 2 * pad];
      found.push({ group: g, part, depth, x, y: top - above, w, h: bottom - top + above + pad - 2, room: w });
    });
  }
  // The name of an outer group may run over all of its columns.
  /** @type {ById<number>} */
  const ends = new Map();
  for (const { group, x, w } of found) ends.set(group, Math.max(ends.get(group) || 0, x + w));
  for (const frame of found) if (!frame.depth) frame.room = at(ends, frame.group) - frame.x;
  return found.reverse();
}

/**
 * The rows of each open group, where a break of the columns would hurt.
 * @param {Engine} engine
 * @param {Rows} rows
 * @param {Set<number>} collapsed
 */
export function spans(engine, rows, collapsed) {
  /** @type {Span[]} */
  const found = [];
  engine.groups.forEach((group, g) => {
    if (collapsed.has(g)) return;
    let [first, last] = [Infinity, -1];
    for (const node of framed(group)) {
      const box = rows.of[node];
      if (!isInside(rows, node, g)) continue;
      first = Math.min(first, rows.row[box]);
      last = Math.max(last, rows.row[box]);
    }
    if (last >= 0) found.push({ first, last });
  });
  return found;
}
