// @ts-check
// An engine's groups and its rows -> the rows that each open group takes, and the frames behind it.

import { beside } from "./graph.js";
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

/**
 * The nodes that a frame is around: the box of a layer stands above what is inside. Inputs and outputs of the engine
 * that are those of its members alone stand among them.
 * @param {Engine} engine
 * @param {Group} group
 */
function framed(engine, { members, top, owner }) {
  if (owner !== undefined) return top ? [owner, ...members] : members;
  const own = new Set(members);
  /** @param {number} node */
  const around = (node) => [...beside(engine, node, true), ...beside(engine, node, false)];
  const ends = new Set(members.flatMap(around).filter((node) => !own.has(node) && !engine.isLayer(node)));
  return [...members, ...[...ends].filter((end) => around(end).every((node) => own.has(node)))];
}

/** Rows of a frame; boxes of others stand left of `least` and right of `most`. @typedef {Rect & { rows: [first: number, last: number]; least: number; most: number }} Part */

/**
 * A group's parts, column by column: one in each, and more where boxes of others stand between its own.
 * @param {Folded} folded
 * @param {number[][]} inRow the boxes of each row, from the left
 * @param {number[]} nodes
 * @param {number} group
 */
function partsOf(folded, inRow, nodes, group) {
  const { of, row, columnOf, x, y, w, h, flag } = folded;
  /** @param {number} box */
  const ends = (box) => [x[box] - w[box] / 2, x[box] + w[box] / 2 + flag[box]];
  const own = new Set(nodes.filter((node) => isInside(folded, node, group)).map((node) => of[node]));
  const [from, to] = [...own].reduce(([a, b], box) => [Math.min(a, row[box]), Math.max(b, row[box])], [Infinity, -1]);
  /** @type {Part[]} */
  const parts = [];
  /** @type {Part | undefined} */
  let part;
  /** Whether the part goes on beside a box of others. @param {number} box */
  const passes = (box) => {
    const [left, right] = ends(box);
    if (part && right <= part.left) part.least = Math.max(part.least, right);
    else if (part && left >= part.right) part.most = Math.min(part.most, left);
    else return false;
    return true;
  };
  for (let at = from; at <= to; at++) {
    const others = inRow[at].filter((box) => !own.has(box));
    if (columnOf[at] !== columnOf[at - 1] || !others.every(passes)) part = undefined;
    for (const box of inRow[at]) {
      if (!own.has(box)) continue;
      const [left, right] = ends(box);
      if (!part || left < part.least || right > part.most) {
        part = { left, right, top: y[box], bottom: y[box] + h[box], rows: [at, at], least: -Infinity, most: Infinity };
        parts.push(part);
        others.forEach(passes);
      }
      part.left = Math.min(part.left, left);
      part.right = Math.max(part.right, right);
      part.bottom = Math.max(part.bottom, y[box] + h[box]);
      part.rows[1] = at;
    }
  }
  return parts;
}

/**
 * The parts of a frame for each open group, outer groups first.
 * @param {Engine} engine
 * @param {Folded} folded
 * @param {Set<number>} collapsed
 */
export function frames(engine, folded, collapsed) {
  /** @type {Frame[]} */
  const found = [];
  /** @type {ById<number>} */
  const begins = new Map(); // names above one row, the inner groups' below
  const deepest = engine.groups.reduce(
    (most, { depth, owner }, g) => (owner !== undefined && collapsed.has(g) ? most : Math.max(most, depth)),
    0,
  );
  /** @type {number[][]} */
  const inRow = Array.from({ length: folded.count }, () => []);
  for (let box = 0; box < folded.size; box++) inRow[folded.row[box]].push(box);
  for (const boxes of inRow) boxes.sort((a, b) => folded.x[a] - folded.x[b]);
  for (let g = engine.groups.length - 1; g >= 0; g--) {
    const { depth } = engine.groups[g];
    if (collapsed.has(g)) continue;
    const pad = Math.min(WIDEST, PAD + STEP * (deepest - depth));
    const parts = partsOf(folded, inRow, framed(engine, engine.groups[g]), g);
    parts.forEach(({ left, right, top, bottom, rows: [first, last] }, part) => {
      let [above, below] = [pad - 2, pad - 2];
      if (!part) {
        const names = (begins.get(first) || 0) + 1;
        begins.set(first, names);
        above = LEAD * names;
      }
      // Of parts below each other the narrower one reaches to the other's boxes.
      const [before, after] = [parts[part - 1], parts[part + 1]];
      if (before?.rows[1] === first - 1 && before.right - before.left >= right - left)
        above = Math.max(above, top - before.bottom);
      if (after?.rows[0] === last + 1 && after.right - after.left > right - left)
        below = Math.max(below, after.top - bottom);
      const [x, w] = [left - pad, right - left + 2 * pad];
      found.push({ group: g, part, depth, x, y: top - above, w, h: bottom - top + above + below, room: w });
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
    for (const node of framed(engine, group)) {
      const box = rows.of[node];
      if (!isInside(rows, node, g)) continue;
      first = Math.min(first, rows.row[box]);
      last = Math.max(last, rows.row[box]);
    }
    if (last >= 0) found.push({ first, last });
  });
  return found;
}
