// @ts-check
// An engine's edges -> all edges of a tensor, what is above and below a node. Nothing here knows the drawing.

/** @import { Engine } from "./types.d.ts" */

/** What leads from a node along its edges: to those that read from it, or to those that write to it. */
/** @type {(engine: Engine, down: boolean) => [step: (node: number) => Int32Array, end: number[]]} */
const along = ({ out, into, edges }, down) => (down ? [out, edges.to] : [into, edges.from]);

/**
 * The nodes right below, or right above, each once.
 * @param {Engine} engine
 * @param {number} node
 * @param {boolean} down
 */
export function beside(engine, node, down) {
  const [step, end] = along(engine, down);
  return [...new Set(Array.from(step(node), (edge) => end[edge]))].filter((other) => other !== node);
}

/** @type {(engine: Engine, edge: number) => number} */
const nameOf = ({ tensors, edges }, edge) => tensors.name[edges.tensor[edge]];

/**
 * The edge between layers whose place this one takes while one of them is unfolded; of others itself.
 * @param {Engine} engine
 * @param {number} edge
 */
export function ofLayers({ edges: { from, instead } }, edge) {
  const layers = instead[edge - (from.length - instead.length)] ?? -1;
  return layers < 0 ? edge : layers;
}

/**
 * All edges that carry the same tensor as this one: of all its readers, and of all layers that write parts of it. Of a
 * tensor that is made inside of a layer those that begin there.
 * @param {Engine} engine
 * @param {number} edge
 */
export function tensorEdges(engine, edge) {
  const { edges, out, into, isInner } = engine;
  const name = nameOf(engine, edge);
  const start = ofLayers(engine, edge);
  const inside = isInner(edges.from[start]);
  const found = new Set([start]);
  const [writers, readers] = [new Set(), new Set()];
  for (const each of found) {
    const [writer, reader] = [edges.from[each], edges.to[each]];
    const beside = [...(writers.has(writer) ? [] : out(writer)), ...(readers.has(reader) ? [] : into(reader))];
    writers.add(writer);
    readers.add(reader);
    for (const other of beside)
      if (nameOf(engine, other) === name && (!inside || isInner(edges.from[other]))) found.add(other);
  }
  return [...found].sort((a, b) => a - b);
}

/**
 * What is above or below a node, with it.
 * @param {Engine} engine
 * @param {number} start
 * @param {boolean} down
 */
export function cone(engine, start, down) {
  const [step, end] = along(engine, down);
  const nodes = new Set([start]);
  /** @type {Set<number>} */
  const edges = new Set();
  for (const node of nodes)
    for (const edge of step(node)) {
      edges.add(edge);
      nodes.add(end[edge]);
    }
  return { nodes, edges };
}
