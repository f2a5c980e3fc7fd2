// @ts-check
// A comparison -> where each layer stands: in order of execution or by difference, what is unchanged as thin lines.

import { count } from "./numbers.js";

/** @import { Compared, SideShown } from "./types.d.ts" */

const SAME = 4; // the tone of groups that take the same time
const GAP = 2; // as between the layers of drawings/comparison/columns.py
const THIN = 1.5; // an unchanged layer
const LABEL = 16; // room for the words of a run of them
const SMALL = 0.05; // of the largest difference: a group of the same time that differs by more is no small thing
const FEW = 12; // unchanged groups that are drawn as the others at first

/** The groups in which nothing changed. @type {WeakMap<Compared, Set<number>>} */
const known = new WeakMap();

/** @param {Compared} compared */
export function unchanged(compared) {
  const { groups } = compared;
  const most = groups.reduce((large, [, , delta]) => Math.max(large, Math.abs(delta ?? 0)), 0);
  const found =
    known.get(compared) ??
    new Set(
      groups.flatMap(([, , delta, tone, changes], at) =>
        tone === SAME && !compared.text(changes) && Math.abs(delta ?? 0) <= SMALL * most ? [at] : [],
      ),
    );
  known.set(compared, found);
  return found;
}

/** In words, how many layers of A they are, without reformats. @param {Compared} compared */
export function unchangedWords(compared) {
  const [a] = compared.sides;
  const layers = [...unchanged(compared)].flatMap((group) => compared.members[group][0]);
  return `${count(layers.filter((layer) => !a.reformat[layer]).length, "layer")} unchanged`;
}

/** Whether they are thin lines when the comparison opens. @param {Compared} compared */
export const folds = (compared) => {
  const { size } = unchanged(compared);
  return size > FEW && size < compared.groups.length;
};

/**
 * Sets where the layers stand.
 * @param {Compared} compared
 * @param {boolean} sorted the largest difference first
 * @param {boolean} folded
 */
export function arrange(compared, sorted, folded) {
  const thin = folded ? unchanged(compared) : new Set();
  const ranks = sorted ? ranked(compared) : null;
  compared.sides.forEach((own, side) => {
    const rank = ranks?.[side] ?? [];
    own.order = own.name.map((_, layer) => layer);
    if (ranks) own.order.sort((a, b) => rank[a] - rank[b] || a - b);
    own.folds = own.group.map((group) => thin.has(group));
    own.height = compared.made[side].height.map((tall, layer) => (own.folds[layer] ? THIN : tall));
    own.top = own.order.map(() => 0);
    widen(own);
  });
  compared.tall = align(compared.sides, sorted ? unitsOf(compared.sides) : anchorsOf(compared));
}

/**
 * The place of each layer of A and of B: the largest difference first, of a layer in no group its time; then what is
 * unchanged, and last what runs for no other.
 * @param {Compared} compared
 */
function ranked(compared) {
  const same = unchanged(compared);
  const units = compared.members.map((both, group) => ({
    both,
    size: same.has(group) ? -1 : Math.abs(compared.groups[group][2] ?? 0),
  }));
  const ranks = compared.sides.map(({ name, group, place, ms }, side) => {
    group.forEach((of, layer) => {
      if (of < 0)
        units.push({ both: side ? [[], [layer]] : [[layer], []], size: place[layer] === 1 ? -2 : (ms[layer] ?? 0) });
    });
    return new Array(name.length).fill(0);
  });
  units.sort((a, b) => b.size - a.size);
  units.forEach(({ both }, rank) => {
    both.forEach((own, side) => {
      for (const layer of own) ranks[side][layer] = rank;
    });
  });
  return ranks;
}

/** A run of unchanged layers has room for its words. @param {SideShown} side */
function widen({ order, folds, height }) {
  for (let at = 0; at < order.length; at++) {
    if (!folds[order[at]]) continue;
    let end = at;
    while (end < order.length && folds[order[end]]) end++;
    const tall = Math.max(THIN, LABEL / (end - at));
    for (; at < end; at++) height[order[at]] = tall;
  }
}

/** Where both columns are level: where they were when the page was made. @param {Compared} compared */
function anchorsOf({ bands, made: [a, b] }) {
  /** @type {[number, number][]} */
  const found = [];
  for (const [one, , other] of bands) {
    const [x, y] = found[found.length - 1] ?? [-1, -1];
    if (Math.abs(a.top[one] - b.top[other]) < 0.2 && one > x && other > y) found.push([one, other]);
  }
  return found;
}

/** Where each group begins, by its place in both columns. @param {SideShown[]} sides */
function unitsOf(sides) {
  const [a, b] = sides.map(({ order, group }) => {
    /** @type {Map<number, number>} */
    const starts = new Map();
    order.forEach((layer, at) => {
      if (group[layer] >= 0 && !starts.has(group[layer])) starts.set(group[layer], at);
    });
    return starts;
  });
  return [...a].flatMap(([group, at]) => {
    const other = b.get(group);
    return other === undefined ? [] : [/** @type {[number, number]} */ ([at, other])];
  });
}

/**
 * Sets the tops: both columns go on level at each pair of places.
 * @param {SideShown[]} columns
 * @param {[number, number][]} pairs
 */
function align(columns, pairs) {
  const y = [0, 0];
  const done = [0, 0];
  const ends = columns.map(({ order }) => order.length);
  for (const pair of [...pairs, ends]) {
    columns.forEach(({ order, folds, height, top }, side) => {
      for (; done[side] < pair[side]; done[side]++) {
        const layer = order[done[side]];
        top[layer] = y[side];
        y[side] += height[layer] + (folds[layer] ? 0 : GAP);
      }
    });
    y.fill(Math.max(...y));
  }
  return Math.max(...y);
}
