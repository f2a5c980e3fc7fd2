// @ts-check
// An engine's edges -> all edges of a tensor, what is above and below layers, a path, the trace of a tensor. Nothing
// here knows the drawing.

/** @import { Engine, Subgraph } from "./types.d.ts" */

/** Paths, above which they are not counted on. */
export const MANY_PATHS = 1_000_000;

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
 * What is at most `most` steps above or below nodes, with them.
 * @param {Engine} engine
 * @param {Iterable<number>} starts
 * @param {boolean} down
 * @param {number} [most]
 * @returns {Subgraph}
 */
export function cone(engine, starts, down, most = Infinity) {
  const [step, end] = along(engine, down);
  const nodes = new Set(starts);
  const edges = new Set();
  let last = [...nodes];
  for (let by = 0; by < most && last.length; by++) {
    const next = [];
    for (const node of last) {
      for (const edge of step(node)) {
        edges.add(edge);
        if (nodes.has(end[edge])) continue;
        nodes.add(end[edge]);
        next.push(end[edge]);
      }
    }
    last = next;
  }
  return { nodes, edges };
}

/**
 * The fewest edges from a node down to one of `targets`; null: there is no way.
 * @param {Engine} engine
 * @param {number} start
 * @param {Set<number>} targets
 * @param {boolean} down
 */
function shortest(engine, start, targets, down) {
  const [step, end] = along(engine, down);
  /** The edge by which a node was reached. @type {Map<number, number>} */
  const by = new Map([[start, -1]]);
  for (const [node] of by) {
    if (node !== start && targets.has(node)) {
      const [nodes, edges] = [[node], /** @type {number[]} */ ([])];
      for (let edge = by.get(node) ?? -1; edge >= 0; edge = by.get(nodes[nodes.length - 1]) ?? -1) {
        edges.push(edge);
        nodes.push(down ? engine.edges.from[edge] : engine.edges.to[edge]);
      }
      return down ? { nodes: nodes.reverse(), edges: edges.reverse() } : { nodes, edges };
    }
    for (const edge of step(node)) if (!by.has(end[edge])) by.set(end[edge], edge);
  }
  return null;
}

/**
 * How many ways lead down from `first` to `last`, at most MANY_PATHS; null where one of them is a circle. `all` is
 * what lies on them.
 * @param {Engine} engine
 * @param {number} first
 * @param {number} last
 */
function ways(engine, first, last) {
  const [below, above] = [cone(engine, [first], true), cone(engine, [last], false)];
  const nodes = new Set([...below.nodes].filter((node) => above.nodes.has(node)));
  const edges = new Set([...below.edges].filter((edge) => above.edges.has(edge)));
  const waits = new Map([...nodes].map((node) => [node, 0]));
  for (const node of nodes) for (const next of beside(engine, node, true)) waits.set(next, (waits.get(next) ?? 0) + 1);
  const count = new Map([[first, 1]]);
  const ready = waits.get(first) ? [] : [first];
  let done = 0;
  for (let node = ready.pop(); node !== undefined; node = ready.pop(), done++) {
    for (const next of beside(engine, node, true)) {
      if (!nodes.has(next)) continue;
      count.set(next, Math.min(MANY_PATHS, (count.get(next) ?? 0) + (count.get(node) ?? 0)));
      waits.set(next, (waits.get(next) ?? 0) - 1);
      if (waits.get(next) === 0) ready.push(next);
    }
  }
  return { count: done === nodes.size ? (count.get(last) ?? 0) : null, all: { nodes, edges } };
}

/**
 * The shortest path from a node to the nearest of `targets`, in the direction of the data; `up`: it comes from there.
 * Null: no path leads down or up.
 * @param {Engine} engine
 * @param {number} start
 * @param {Iterable<number>} targets
 */
export function path(engine, start, targets) {
  const ends = new Set(targets);
  const below = shortest(engine, start, ends, true);
  const found = below ?? shortest(engine, start, ends, false);
  if (!found) return null;
  const { nodes } = found;
  return { ...found, up: !below, ...ways(engine, nodes[0], nodes[nodes.length - 1]) };
}

/**
 * The edges by which a layer passes on what it reads; none of a layer that makes something else of it.
 * @param {Engine} engine
 * @param {number} node
 */
function passed({ layers, into, isLayer, ...engine }, node) {
  if (!isLayer(node) || !layers.moves.has(node) || !layers.in[node].length) return [];
  const name = engine.tensors.name[layers.in[node][0]]; // a second one is a shape
  return [...into(node)].filter((edge) => engine.tensors.name[engine.edges.tensor[edge]] === name);
}

/** @typedef {"origin" | "moves" | "uses"} Role */

/**
 * A tensor from where it is made, through all that only moves it, to all that use it. The nodes have their order
 * of execution.
 * @param {Engine} engine
 * @param {number} edge
 */
export function trace(engine, edge) {
  const { edges, layout, out } = engine;
  /** @type {Map<number, Role>} */
  const roles = new Map();
  const lit = new Set();
  const back = new Set(tensorEdges(engine, edge));
  const origins = new Set();
  for (const each of back) {
    const writer = edges.from[each];
    const before = passed(engine, writer);
    for (const other of before) back.add(other);
    if (!before.length) origins.add(each);
  }
  /** @type {(node: number, name: number | null) => number[]} */
  const written = (node, name) => [...out(node)].filter((each) => name === null || nameOf(engine, each) === name);
  const wait = [...origins].flatMap((each) => written(edges.from[each], nameOf(engine, each)));
  for (const each of origins) roles.set(edges.from[each], "origin");
  for (let each = wait.pop(); each !== undefined; each = wait.pop()) {
    if (lit.has(each)) continue;
    lit.add(each);
    const reader = edges.to[each];
    const moves = passed(engine, reader).includes(each);
    if (roles.get(reader) !== "moves") roles.set(reader, moves ? "moves" : "uses");
    if (moves) wait.push(...written(reader, null));
  }
  const steps = [...roles].sort(([a], [b]) => layout.row[a] - layout.row[b] || a - b);
  return { steps, nodes: steps.map(([node]) => node), edges: lit };
}
