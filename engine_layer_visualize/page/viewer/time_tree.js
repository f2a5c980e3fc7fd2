// @ts-check
// An engine -> the tree of its modules, with the layers of the optimisation profile shown and the sums of their times; a
// tree and a width -> the rectangles of an icicle. What is narrower than a pixel is one rectangle together.

/** @import { Engine, TimeNode, TimeRect } from "./types.d.ts" */

const LEAST = 1.5; // width of a rectangle of its own

/**
 * What a layer takes of the width: its time; where nothing is timed, all layers the same. Null: no time.
 * @param {Engine} engine
 * @param {number} layer
 */
const weight = (engine, layer) => (engine.now.ms === null ? 1 : engine.layers.ms[layer] || null);

/** The layers of the optimisation profile shown. @param {Engine} engine */
export const shown = (engine) => Array.from({ length: engine.count }, (_, n) => n).filter((n) => engine.isShown(n));

/** @param {Engine} engine */
export function tree(engine) {
  const root = node("all layers", "", null);
  const parentOf = scopes(engine, root);
  for (const layer of shown(engine)) {
    const own = weight(engine, layer);
    const parent = parentOf(layer);
    if (own !== null)
      parent.children.push({ ...node(engine.label(layer), "", parent), layer, layers: [layer], sum: own });
    for (let at = /** @type {TimeNode | null} */ (parent); at; at = at.parent) {
      at.layers.push(layer);
      at.sum += own ?? 0;
    }
  }
  order(root);
  return root;
}

/** @param {string} label @param {string} about @param {TimeNode | null} parent @returns {TimeNode} */
const node = (label, about, parent) => ({
  label,
  about,
  parent,
  children: [],
  layers: [],
  layer: -1,
  sum: 0,
});

/** @param {Engine} engine @param {TimeNode} root */
function scopes(engine, root) {
  const { path, label, parent, of } = engine.scopes;
  /** @type {TimeNode[]} */
  const made = [];
  path.forEach((name, at) => {
    const around = made[parent[at]] ?? root;
    made.push(node(engine.text(label[at]), engine.text(name), around));
    around.children.push(made[at]);
  });
  return (/** @type {number} */ layer) => made[of[layer]] ?? root;
}

/** Children in order of execution; those without any time go. @param {TimeNode} root */
function order(root) {
  root.children = root.children.filter((child) => child.sum > 0).sort((a, b) => a.layers[0] - b.layers[0]);
  for (const child of root.children) order(child);
}

/**
 * The rectangles from the root down: rows of what is around `top`, then `top` with all that is inside.
 * @param {TimeNode} top
 * @param {number} width
 * @returns {TimeRect[]}
 */
export function rectangles(top, width) {
  /** @type {TimeRect[]} */
  const found = [];
  const above = [];
  for (let at = top.parent; at; at = at.parent) above.unshift(at);
  above.forEach((at, row) => {
    found.push({ x: 0, w: width, row, node: at, layers: at.layers });
  });
  if (top.sum > 0) place(found, [top], 0, width / top.sum, above.length);
  return found;
}

/**
 * @param {TimeRect[]} found
 * @param {TimeNode[]} nodes beside each other
 * @param {number} x
 * @param {number} scale pixels of one of the sums
 * @param {number} row
 */
function place(found, nodes, x, scale, row) {
  let left = x;
  /** @type {TimeRect | null} */
  let small = null;
  for (const each of nodes) {
    const w = scale * each.sum;
    if (w >= LEAST) {
      small = null;
      found.push({ x: left, w, row, node: each, layers: each.layers });
      place(found, each.children, left, scale, row + 1);
    } else if (small && small.w < LEAST) {
      small.w += w;
      for (const layer of each.layers) small.layers.push(layer);
      small.node = null;
    } else {
      small = { x: left, w, row, node: each, layers: [...each.layers] };
      found.push(small);
    }
    left += w;
  }
}
