// @ts-check
// An engine's rows and the collapsed groups -> boxes and nets in rows without gaps, for `fold` and `route`.
// Slots and the order of rows stay as drawing/rows.py made them.

import { append, at } from "./maps.js";

/** @import { Rows, ById, Engine, Net } from "./types.d.ts" */

const GROUP = 46; // height of a collapsed group
// As drawing/rows.py: rows that an edge may pass, edges that may pass a row, boxes of a row.
const NEAR = 40;
const LANES = 10;
const BOXES = 4;
const LAYERS = 2 ** 20; // more than there are of an engine
const ROWS = 2 ** 12; // more than there are inside of a layer
/** Of an edge whose place others take. */
export const REPLACED = -2;

/**
 * The group that each node is collapsed into, the outermost one; -1: none.
 * @param {Engine} engine
 * @param {Set<number>} collapsed
 */
function groupOf(engine, collapsed) {
  const hidden = new Int32Array(engine.all).fill(-1);
  for (const group of [...collapsed].sort((a, b) => a - b)) {
    // outer ones have lower numbers
    for (const node of engine.groups[group].members) if (hidden[node] < 0) hidden[node] = group;
  }
  return hidden;
}

/**
 * Boxes: the nodes that are shown, then the collapsed groups. `of` says which box stands for a node, `first`
 * which node gives a box its row and slot: itself, or the first member of the group. What is inside of a layer is
 * collapsed into the layer's own box.
 * @param {Engine} engine
 * @param {Set<number>} collapsed
 */
function boxes(engine, collapsed) {
  const hidden = groupOf(engine, collapsed);
  const { marks, layout } = engine;
  const { row } = layout;
  const of = new Int32Array(engine.all);
  /** @type {number[]} */
  const node = [];
  /** @type {ById<number>} */
  const heads = new Map();
  for (let n = 0; n < engine.all; n++) {
    const head = heads.get(hidden[n]);
    if (hidden[n] < 0) of[n] = marks.has(n) ? -1 : node.push(n) - 1;
    else if (engine.groups[hidden[n]].top) of[n] = of[engine.owner(n)];
    else if (head === undefined || (row[n] < row[head] && engine.isInner(n) === engine.isInner(head)))
      heads.set(hidden[n], n); // the rows of what is inside of a layer are counted from its own
  }
  const first = [...node, ...heads.values()];
  /** @type {ById<number>} */
  const boxOf = new Map();
  for (const group of heads.keys()) boxOf.set(group, node.push(-1 - group) - 1);
  for (let n = 0; n < engine.all; n++)
    if (hidden[n] >= 0 && !engine.groups[hidden[n]].top) of[n] = at(boxOf, hidden[n]);
  /** @type {ById<number[]>} */
  const marked = new Map();
  for (const [n, host] of marks) {
    if (hidden[n] >= 0) continue;
    of[n] = of[host];
    append(marked, of[n], n);
  }
  return { of, node, first, marks: marked };
}

/**
 * The rows of the boxes, where rows that hold none are left out.
 * @param {number[]} old
 */
function withoutEmptyRows(old) {
  const kept = Float64Array.from(new Set(old)).sort();
  const number = new Map(Array.from(kept, (row, at) => [row, at]));
  return { row: Int32Array.from(old, (row) => at(number, row)), count: kept.length };
}

/**
 * The rows of nodes, as numbers in their order. A layer that is unfolded has rows of its own below those beside it:
 * its frame is around nothing else.
 * @param {Engine} engine
 * @param {Set<number>} unfolded
 * @param {number[]} nodes
 */
function rowsOf({ layout, owner }, unfolded, nodes) {
  const { row } = layout;
  if (!unfolded.size) return nodes.map((n) => row[n]);
  return nodes.map((n) => {
    const layer = owner(n);
    if (!unfolded.has(layer)) return row[n] * LAYERS * ROWS;
    return (row[layer] * LAYERS + layer + 1) * ROWS + (n === layer ? 0 : row[n]);
  });
}

/**
 * The slot of a box; of a group inside of a layer its leftmost, so that equal ones stand below each other.
 * @param {Engine} engine
 * @param {number} first the node that gives it
 * @param {number} node what the box shows: a node, or -1 - group
 */
function slotOf({ layout, groups, isInner, owner }, first, node) {
  if (!isInner(first)) return layout.slot[first];
  const members = node < 0 ? groups[-1 - node].members : [first];
  return layout.slot[owner(first)] + members.reduce((least, n) => Math.min(least, layout.slot[n]), Infinity);
}

/**
 * The net of each edge in the layout's numbers, -1 where it has none. Where a box inside of a layer is drawn, the
 * edges from and to it take the place of the layer's.
 * @param {Engine} engine
 * @param {Int32Array} of
 */
function numbersOf({ layout, edges: { from, to }, wires }, of) {
  const numbers = new Int32Array(from.length).fill(-1);
  numbers.set(layout.netOf);
  for (const [edge, list] of wires) {
    const inside = list.some((wire) => of[from[wire]] !== of[from[edge]] || of[to[wire]] !== of[to[edge]]);
    for (const other of inside ? [edge] : list) numbers[other] = REPLACED;
  }
  return numbers;
}

/**
 * The nets between boxes, and the net of each edge, -1 where it is not drawn. Edges of one net end in one
 * lane, whichever box stands for their ends.
 * @param {Engine} engine
 * @param {ReturnType<typeof boxes>} made
 * @param {Int32Array} row
 * @param {boolean} moved whether rows lie between others
 * @param {boolean} changed whether boxes are not those of the layout
 */
function netsOf(engine, made, row, moved, changed) {
  const { layout, edges } = engine;
  const numbers = numbersOf(engine, made.of);
  /** @type {ById<Net>} */
  const found = new Map();
  /** @type {(Net | null)[]} */
  const own = edges.from.map((from, edge) => {
    const number = numbers[edge];
    const [a, b] = [made.of[from], made.of[edges.to[edge]]];
    if (a === b || number < 0 || row[b] <= row[a]) return null;
    const gutter = layout.gutter[number];
    const lane = gutter === null ? null : { gutter, track: layout.track[number] };
    const net = found.get(number) ?? { source: a, readers: [], last: b, lane, moved: moved || made.node[a] !== from };
    found.set(number, net);
    net.readers.push(b);
    net.moved ||= made.node[b] !== edges.to[edge];
    return net;
  });
  const waiting = changed ? [...own.keys()].filter((edge) => !own[edge] && numbers[edge] !== REPLACED) : [];
  if (waiting.length) shortened(engine, made, row, found, own, waiting);
  const nets = [...found].sort((a, b) => a[0] - b[0]).map(([, net]) => net); // as drawing/rows.py numbers them
  for (const net of nets) {
    net.readers = [...new Set(net.readers)].sort((a, b) => row[a] - row[b] || a - b);
    net.last = net.readers[net.readers.length - 1];
  }
  const place = new Map(nets.map((net, number) => [net, number]));
  return {
    nets,
    netOf: Int32Array.from(own, (net, edge) => (net ? at(place, net) : Math.min(-1, numbers[edge]))),
  };
}

/**
 * Adds the edges that were cut and now pass few rows to the net of their tensor, or makes one.
 * @param {Engine} engine
 * @param {ReturnType<typeof boxes>} made
 * @param {Int32Array} row
 * @param {ById<Net>} found by number
 * @param {(Net | null)[]} own of each edge
 * @param {number[]} cut
 */
function shortened({ edges, tensors, layout, strings }, { of }, row, found, own, cut) {
  const ends = edges.from.map((from, edge) => /** @type {const} */ ([of[from], of[edges.to[edge]]]));
  /** @param {number} edge */
  const key = (edge) => ends[edge][0] * (strings.length + 1) + tensors.name[edges.tensor[edge]] + 1;
  /** @type {ById<Net>} */
  const nets = new Map();
  own.forEach((net, edge) => {
    if (net) nets.set(key(edge), net);
  });
  const passing = new Int32Array(row.reduce((most, at) => Math.max(most, at), 0) + 1);
  /** @param {Net} net */
  const reach = ({ readers, source }) => readers.reduce((most, box) => Math.max(most, row[box]), row[source] + 1);
  for (const net of found.values()) for (let at = row[net.source] + 1; at < reach(net); at++) passing[at]++;
  const long = (/** @type {number} */ edge) => row[ends[edge][1]] - row[ends[edge][0]];
  const waiting = cut.filter((edge) => long(edge) > 0 && long(edge) <= NEAR);
  for (const edge of waiting.sort((a, b) => long(a) - long(b) || a - b)) {
    const [source, reader] = ends[edge];
    const net = nets.get(key(edge)) ?? { source, readers: [], last: reader, lane: null, moved: true };
    const more = [];
    for (let at = reach(net); at < row[reader]; at++) more.push(at);
    if (more.some((at) => passing[at] >= LANES)) continue;
    for (const at of more) passing[at]++;
    if (!net.readers.length) found.set(layout.gutter.length + found.size, net);
    nets.set(key(edge), net);
    net.readers.push(reader);
    net.moved = true;
    own[edge] = net;
  }
}

/**
 * Gives the nets lanes anew: a collapsed group may have shortened, lengthened or joined them. Short ones come
 * nearest to the boxes.
 * @param {Net[]} nets
 * @param {Int32Array} row
 * @param {Int32Array} slot
 */
function relane(nets, row, slot) {
  const waiting = [];
  for (const net of nets) {
    const { source, last, lane } = net;
    if (row[last] - row[source] <= 1) net.lane = null;
    else if (!lane || lane.track >= 0 || net.moved) {
      const gutter = lane && lane.track >= 0 ? lane.gutter : slot[source] + (slot[last] > slot[source] ? 1 : 0);
      waiting.push({ net, gutter, first: row[source], stop: row[last] });
    }
  }
  /** @type {Map<string, [first: number, stop: number][]>} */
  const taken = new Map();
  for (const { net, gutter, first, stop } of waiting.sort(
    (a, b) => a.stop - a.first - (b.stop - b.first) || a.first - b.first,
  )) {
    let track = 0;
    while (taken.get(`${gutter} ${track}`)?.some(([a, b]) => a < stop && first < b)) track++;
    append(taken, `${gutter} ${track}`, [first, stop]);
    net.lane = { gutter, track };
  }
}

/**
 * Without edges the boxes stand in their order, with no cell left empty. Gives the number of rows.
 * @param {Int32Array} row
 * @param {Int32Array} slot
 */
function inOrder(row, slot) {
  const order = [...row.keys()].sort((a, b) => row[a] - row[b] || slot[a] - slot[b]);
  order.forEach((box, place) => {
    [row[box], slot[box]] = [Math.floor(place / BOXES), place % BOXES];
  });
  return Math.ceil(order.length / BOXES);
}

/**
 * Boxes and nets, once the groups `collapsed` are one box each.
 * @param {Engine} engine
 * @param {Set<number>} collapsed
 * @returns {Rows}
 */
export function arrange(engine, collapsed) {
  const { layout, edges } = engine;
  const made = boxes(engine, collapsed);
  const { of, node, first } = made;
  const unfolded = new Set([...engine.topOf].flatMap(([layer, group]) => (collapsed.has(group) ? [] : [layer])));
  const { row, count } = withoutEmptyRows(rowsOf(engine, unfolded, first));
  const moved = unfolded.size > 0;
  const changed = moved || made.marks.size > 0 || node.some((n) => n < 0);
  const { nets, netOf } = netsOf(engine, made, row, moved, changed);
  const slot = Int32Array.from(first, (n, box) => slotOf(engine, n, node[box]));
  const rows = !changed || moved || layout.netOf.length ? count : inOrder(row, slot);
  if (changed) relane(nets, row, slot);
  const size = node.length;
  const flag = new Float64Array(size);
  netOf.forEach((net, edge) => {
    const [a, b] = [of[edges.from[edge]], of[edges.to[edge]]];
    if (net === -1 && a !== b) flag[a] = flag[b] = layout.flag;
  });
  const w = new Float64Array(size).fill(layout.width);
  const h = Float64Array.from(node, (n) => (n >= 0 ? layout.height[n] : GROUP));
  return { size, of, node: Int32Array.from(node), marks: made.marks, row, slot, count: rows, nets, netOf, w, h, flag };
}
