// @ts-check
// An engine's rows and the collapsed groups -> boxes and nets in rows without gaps, for `fold` and `route`.
// Slots and the order of rows stay as outputs/layout/rows.py made them.

import { append, at } from "./maps.js";

/** @import { Rows, ById, Engine, Net } from "./types.d.ts" */

const GROUP = 46; // height of a collapsed group
// As outputs/layout/rows.py: rows that an edge may pass, and edges that may pass a row.
const NEAR = 40;
const LANES = 10;

/**
 * The group that each node is collapsed into, the outermost one; -1: none.
 * @param {Engine} engine
 * @param {Set<number>} collapsed
 */
function groupOf(engine, collapsed) {
  const hidden = new Int32Array(engine.nodes).fill(-1);
  for (const group of [...collapsed].sort((a, b) => a - b)) {
    // outer ones have lower numbers
    for (const node of engine.groups[group].nodes) if (hidden[node] < 0) hidden[node] = group;
  }
  return hidden;
}

/**
 * Boxes: the nodes that are shown, then the collapsed groups. `of` says which box stands for a node, `first`
 * which node gives a box its row and slot: itself, or the first member of the group.
 * @param {Engine} engine
 * @param {Set<number>} collapsed
 */
function boxes(engine, collapsed) {
  const hidden = groupOf(engine, collapsed);
  const { row } = engine.layout;
  const of = new Int32Array(engine.nodes);
  /** @type {number[]} */
  const node = [];
  /** @type {ById<number>} */
  const heads = new Map();
  for (let n = 0; n < engine.nodes; n++) {
    const head = heads.get(hidden[n]);
    if (hidden[n] < 0) of[n] = node.push(n) - 1;
    else if (head === undefined || row[n] < row[head]) heads.set(hidden[n], n);
  }
  const first = [...node, ...heads.values()];
  /** @type {ById<number>} */
  const boxOf = new Map();
  for (const group of heads.keys()) boxOf.set(group, node.push(-1 - group) - 1);
  for (let n = 0; n < engine.nodes; n++) if (hidden[n] >= 0) of[n] = at(boxOf, hidden[n]);
  return { of, node, first, collapsed: collapsed.size > 0 };
}

/**
 * The rows of the boxes, where rows that hold none are left out.
 * @param {number[]} old
 */
function withoutEmptyRows(old) {
  const most = old.reduce((a, b) => Math.max(a, b), -1);
  const number = new Int32Array(most + 1).fill(-1);
  for (const row of old) number[row] = 0;
  let count = 0;
  for (let row = 0; row <= most; row++) if (number[row] === 0) number[row] = count++;
  return { row: Int32Array.from(old, (at) => number[at]), count };
}

/**
 * The nets between boxes, and the net of each edge, -1 where it is not drawn. Edges of one net end in one
 * lane, whichever box stands for their ends.
 * @param {Engine} engine
 * @param {ReturnType<typeof boxes>} made
 * @param {Int32Array} row
 */
function netsOf(engine, made, row) {
  const { layout, edges } = engine;
  /** @type {ById<Net>} */
  const found = new Map();
  /** @type {(Net | null)[]} */
  const own = edges.from.map((from, edge) => {
    const number = layout.netOf[edge];
    const [a, b] = [made.of[from], made.of[edges.to[edge]]];
    if (a === b || number < 0 || row[b] <= row[a]) return null;
    const gutter = layout.gutter[number];
    const lane = gutter === null ? null : { gutter, track: layout.track[number] };
    const net = found.get(number) ?? { source: a, readers: [], last: b, lane, moved: made.node[a] < 0 };
    found.set(number, net);
    net.readers.push(b);
    net.moved ||= made.node[b] < 0;
    return net;
  });
  if (made.collapsed) shortened(engine, made, row, found, own);
  const nets = [...found].sort((a, b) => a[0] - b[0]).map(([, net]) => net); // as outputs/layout numbers them
  for (const net of nets) {
    net.readers = [...new Set(net.readers)].sort((a, b) => row[a] - row[b] || a - b);
    net.last = net.readers[net.readers.length - 1];
  }
  const place = new Map(nets.map((net, number) => [net, number]));
  return { nets, netOf: Int32Array.from(own, (net) => (net ? at(place, net) : -1)) };
}

/**
 * Adds the edges that were cut and now pass few rows to the net of their tensor, or makes one.
 * @param {Engine} engine
 * @param {ReturnType<typeof boxes>} made
 * @param {Int32Array} row
 * @param {ById<Net>} found by number
 * @param {(Net | null)[]} own of each edge
 */
function shortened({ edges, tensors, layout, strings }, { of }, row, found, own) {
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
  const waiting = [...own.keys()].filter((edge) => !own[edge] && long(edge) > 0 && long(edge) <= NEAR);
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
 * Boxes and nets, once the groups `collapsed` are one box each.
 * @param {Engine} engine
 * @param {Set<number>} collapsed
 * @returns {Rows}
 */
export function arrange(engine, collapsed) {
  const { layout, edges } = engine;
  const made = boxes(engine, collapsed);
  const { of, node, first } = made;
  const { row, count } = withoutEmptyRows(first.map((n) => layout.row[n]));
  const { nets, netOf } = netsOf(engine, made, row);
  const slot = Int32Array.from(first, (n) => layout.slot[n]);
  if (collapsed.size) relane(nets, row, slot);
  const size = node.length;
  const flag = new Float64Array(size);
  netOf.forEach((net, edge) => {
    const [a, b] = [of[edges.from[edge]], of[edges.to[edge]]];
    if (net < 0 && a !== b) flag[a] = flag[b] = layout.flag;
  });
  const w = new Float64Array(size).fill(layout.width);
  const h = Float64Array.from(node, (n) => (n >= 0 ? layout.height[n] : GROUP));
  return { size, of, node: Int32Array.from(node), row, slot, count, nets, netOf, w, h, flag };
}
