// @ts-check
// A node, an arrow key and the drawing -> the node that the key leads to: along the lines, and in the order of the rows.

import { REPLACED } from "./rows.js";

/** @import { Engine, Folded } from "./types.d.ts" */

/** @typedef {"up" | "down" | "left" | "right"} Way */

/**
 * Down to a box that reads, up to one that writes, the first by the drawing; into a layer that is unfolded, and out of it;
 * left and right to the neighbour in the row, then in the row beside, so that each box is reached. Gives a node of the
 * box; null: nothing is there.
 * @param {Engine} engine
 * @param {Folded} folded
 * @param {number} node
 * @param {Way} way
 */
export function step(engine, folded, node, way) {
  const box = folded.of[node];
  const beside = way === "left" || way === "right";
  const next = beside ? neighbour(folded, box, way === "right") : along(engine, folded, box, way === "down")[0];
  return next === undefined ? null : nodeOf(engine, folded, next);
}

/** The node of a box, of a folded group the first. @type {(engine: Engine, folded: Folded, box: number) => number} */
const nodeOf = ({ groups }, { node }, box) => (node[box] < 0 ? groups[-1 - node[box]].nodes[0] : node[box]);

/**
 * The box before or after another in the order of the rows, each from the left.
 * @param {Folded} folded
 * @param {number} box
 * @param {boolean} after
 */
function neighbour({ size, row, x }, box, after) {
  /** @type {(a: number, b: number) => number} */
  const order = (a, b) => (after ? 1 : -1) * (row[a] - row[b] || x[a] - x[b] || a - b);
  /** @type {number | undefined} */
  let found;
  for (let one = 0; one < size; one++)
    if (order(one, box) > 0 && (found === undefined || order(one, found) < 0)) found = one;
  return found;
}

/**
 * Where a box's lines lead; what a layer unfolds into is below the layer's own box.
 * @type {(engine: Engine, folded: Folded, box: number, down: boolean) => number[]}
 */
function along(engine, folded, box, down) {
  const { of, node } = folded;
  const next = neighbour(folded, box, true);
  const inside = engine.groups[engine.topOf.get(node[box]) ?? -1]?.nodes ?? [];
  if (down && next !== undefined && inside.some((one) => of[one] === next)) return [next];
  const found = ends(engine, folded, box, down);
  const first = nodeOf(engine, folded, box);
  if (found.length || !engine.isInner(first)) return found;
  const own = of[engine.owner(first)];
  return down ? ends(engine, folded, own, down) : [own];
}

/**
 * The boxes at the other ends of the lines that are drawn, from the first row.
 * @type {(engine: Engine, folded: Folded, box: number, down: boolean) => number[]}
 */
function ends({ edges }, { of, netOf, row, x }, box, down) {
  const found = new Set();
  netOf.forEach((net, edge) => {
    const both = [of[edges.from[edge]], of[edges.to[edge]]];
    const [here, there] = down ? both : both.reverse();
    if (net !== REPLACED && here === box && there !== box) found.add(there);
  });
  return [...found].sort((a, b) => row[a] - row[b] || x[a] - x[b] || a - b);
}
