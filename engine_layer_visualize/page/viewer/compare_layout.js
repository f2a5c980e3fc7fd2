// @ts-check
// A comparison -> the bands between both columns, and where each layer stands: as high as its time, what is
// unchanged as thin lines. What belongs together is level wherever the order allows it.

import { append } from "./maps.js";

/** @import { Band, Compared, SideShown } from "./types.d.ts" */

const GAP = 2;
const [FLOOR, LOWER, TALL_ITEMS] = [16, 12, 120]; // the least height of a layer, where there are few or many
const LOW = 4; // a reformat, and a layer in a run of those that no layer needs
const TALL = 560; // all times of the slower engine together, at least
const IDLE = 1; // the place of a layer that runs for no layer of the network
const DASHES = new Map([
  ["structure", [5, 3]],
  ["region", [1.5, 2.5]],
]); // of what was matched by names, the lines are solid
const THIN = 1.5; // an unchanged layer
const LABEL = 16; // room for the words of a run of them
const SMALL = 0.05; // of the largest difference: a group of the same time that differs by more is no small thing
const FEW = 12; // unchanged groups that are drawn as the others

/** The groups in which nothing changed. @param {Compared} compared */
function unchanged({ groups, same, text }) {
  const most = groups.reduce((large, [, , delta]) => Math.max(large, Math.abs(delta ?? 0)), 0);
  return new Set(
    groups.flatMap(([, , delta, tone, changes], at) =>
      tone === same && !text(changes) && Math.abs(delta ?? 0) <= SMALL * most ? [at] : [],
    ),
  );
}

/** Sets where the layers stand; many groups that are unchanged, though not all, are thin. @param {Compared} compared */
export function arrange(compared) {
  const same = unchanged(compared);
  const thin = same.size > FEW && same.size < compared.groups.length ? same : new Set();
  const made = heights(compared);
  compared.sides.forEach((own, side) => {
    own.folds = own.group.map((group) => thin.has(group));
    own.height = made[side].map((tall, layer) => (own.folds[layer] ? THIN : tall));
    own.top = own.name.map(() => 0);
    widen(own);
  });
  compared.tall = align(compared.sides, anchorsOf(compared));
}

/** A run of unchanged layers has room for its words. @param {SideShown} side */
function widen({ folds, height }) {
  for (let at = 0; at < folds.length; at++) {
    if (!folds[at]) continue;
    let end = at;
    while (folds[end]) end++;
    const tall = Math.max(THIN, LABEL / (end - at));
    for (; at < end; at++) height[at] = tall;
  }
}

/** Where both columns can be level: the longest part of the bands that rises on both sides. @param {Compared} compared */
function anchorsOf({ bands }) {
  const pairs = bands.map(({ a, b }) => [a[0], b[0]]).sort((one, other) => one[0] - other[0] || other[1] - one[1]);
  /** The last pair of the best chain of each length. @type {{ pair: number[]; before: any }[]} */
  const best = [];
  for (const pair of pairs) {
    let [length, high] = [0, best.length];
    while (length < high) {
      const middle = (length + high) >> 1;
      if (best[middle].pair[1] < pair[1]) length = middle + 1;
      else high = middle;
    }
    best[length] = { pair, before: best[length - 1] };
  }
  /** @type {[number, number][]} */
  const found = [];
  for (let at = best.at(-1); at; at = at.before) found.unshift([at.pair[0], at.pair[1]]);
  return found;
}

/**
 * Sets the tops: both columns go on level at each pair of places.
 * @param {SideShown[]} columns
 * @param {[number, number][]} pairs
 */
function align(columns, pairs) {
  const y = [0, 0];
  const done = [0, 0];
  const ends = columns.map(({ name }) => name.length);
  for (const pair of [...pairs, ends]) {
    columns.forEach(({ folds, height, top }, side) => {
      for (; done[side] < pair[side]; done[side]++) {
        const layer = done[side];
        top[layer] = y[side];
        y[side] += height[layer] + (folds[layer] ? 0 : GAP);
      }
    });
    y.fill(Math.max(...y));
  }
  return Math.max(...y);
}

/** By time, where the times of both can be compared; none is lower than the floor. @param {Compared} compared */
function heights({ sides, timed }) {
  const many = Math.max(...sides.map(({ name }) => name.length));
  const floor = many > TALL_ITEMS ? LOWER : FLOOR;
  const most = Math.max(...sides.map(({ ms }) => ms.reduce((/** @type {number} */ sum, own) => sum + (own ?? 0), 0)));
  const scale = timed && most ? Math.max(TALL, (many * floor) / 2) / most : 0;
  return sides.map(({ ms, reformat, place }) =>
    ms.map((own, at) => {
      const beside = place[at] === IDLE && [place[at - 1], place[at + 1]].includes(IDLE);
      return Math.max(reformat[at] || beside ? LOW : floor, scale * (own ?? 0));
    }),
  );
}

/**
 * The runs of a side's layers that follow each other in their group, reformats aside: first and last.
 * @param {SideShown} side
 */
function runs({ group, reformat }) {
  /** @type {Map<number, [number, number][]>} */
  const found = new Map();
  let before = -1;
  group.forEach((of, at) => {
    if (reformat[at]) return;
    const last = found.get(of)?.at(-1);
    if (last && last[1] === before) last[1] = at;
    else if (of >= 0) append(found, of, /** @type {[number, number]} */ ([at, at]));
    before = at;
  });
  return found;
}

/** The largest run of each group on one side, with every run on the other. @param {Compared} compared @returns {Band[]} */
export function bandsOf({ sides, groups, text }) {
  const [mine, yours] = sides.map(runs);
  const bands = [...mine].flatMap(([group, own]) => {
    const others = yours.get(group) ?? [];
    if (!others.length) return [];
    const [a, b] = [own, others].map((list) =>
      list.reduce((best, run) => (run[1] - run[0] > best[1] - best[0] ? run : best)),
    );
    const dash = DASHES.get(text(groups[group][5])) ?? [];
    const pairs = [
      ...others.map((run) => ({ a, b: run })),
      ...own.filter((run) => run !== a).map((run) => ({ a: run, b })),
    ];
    return pairs.map((pair) => ({ ...pair, group, dash }));
  });
  return bands.sort((one, other) => one.a[0] - other.a[0] || one.b[0] - other.b[0]);
}
