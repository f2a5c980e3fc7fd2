// @ts-check
// The data element of a comparison -> both engines as one list of nodes, and the groups with their layers.

import { bandsOf } from "./compare_layout.js";

/** @import { Compared, ComparisonData, Look, Text } from "./types.d.ts" */

/**
 * @param {ComparisonData} data
 * @param {Look["pair"]} look
 * @returns {Compared}
 */
export function decode(data, look) {
  const { strings } = data;
  const sides = /** @type {Compared["sides"]} */ (
    /** @type {unknown} */ (data.sides.map((side) => ({ ...side, folds: [], top: [], height: [] })))
  );
  const first = sides[0].name.length;
  /** @param {Text} number */
  const text = (number) => (number < 0 ? "" : strings[number]);
  /** @param {number} node */
  const side = (node) => (node < first ? 0 : 1);
  /** @param {number} node */
  const index = (node) => (node < first ? node : node - first);
  /** @type {[number[], number[]][]} */
  const members = data.groups.map(() => [[], []]);
  sides.forEach((own, at) => {
    own.group.forEach((group, layer) => {
      if (group >= 0) members[group][at].push(layer);
    });
  });
  const multiplied = sides.map((own) => new Set(own.tf32));
  /** @param {"name" | "type" | "title" | "kernel" | "precision" | "formats"} column @returns {(node: number) => Text[]} */
  const of = (column) => (node) => [sides[side(node)][column][index(node)]];
  /** @type {Compared} */
  const compared = {
    ...data,
    sides,
    same: look.same,
    bands: [],
    tall: 0,
    nodes: first + sides[1].name.length,
    text,
    side,
    index,
    node: (at, layer) => (at ? first + layer : layer),
    groupOf: (node) => sides[side(node)].group[index(node)],
    members,
    label: (node) => `${side(node) ? data.called : "A"} ${index(node)}  ${text(sides[side(node)].title[index(node)])}`,
    isLayer: () => true,
    texts: {
      name: of("name"),
      type: of("type"),
      op: of("title"),
      kernel: of("kernel"),
      prec: (node) => [...of("precision")(node), ...(multiplied[side(node)].has(index(node)) ? [data.tf32] : [])],
      format: of("formats"),
      change: (node) => {
        const group = sides[side(node)].group[index(node)];
        return group < 0 ? [] : [data.groups[group][4]];
      },
    },
    number: (_, __, node) => sides[side(node)].ms[index(node)],
  };
  compared.bands = bandsOf(compared);
  return compared;
}

/** @typedef {{ group: number; node: number; a: number; b: number }} Share what of a group, or of a layer in none, a step of the waterfall sums */

/** @type {WeakMap<Compared, Map<string, Map<number, Share>>>} */
const known = new WeakMap();

/**
 * What each step sums, by the group, or by -1 - the node of a layer in none.
 * @param {Compared} compared
 * @param {string | null} cause
 * @returns {Map<number, Share>}
 */
export function shares(compared, cause) {
  const found = known.get(compared) ?? new Map();
  if (!known.has(compared))
    compared.sides.forEach((own, side) => {
      own.cause.forEach((number, layer) => {
        const name = compared.text(number);
        const node = compared.node(side, layer);
        const [group, ms] = [own.group[layer], own.scale * (own.ms[layer] ?? 0)];
        const key = group < 0 ? -1 - node : group;
        const of = found.get(name) ?? new Map();
        const share = of.get(key) ?? { group, node, a: 0, b: 0 };
        share[side ? "b" : "a"] += ms;
        found.set(name, of.set(key, share));
      });
    });
  known.set(compared, found);
  return found.get(cause) ?? new Map();
}

/**
 * What a layer in no group is.
 * @param {Compared} compared
 * @param {number} side
 * @param {number} place
 */
export const placeWords = ({ called }, side, place) =>
  place === 1 ? "overhead: a constant, a shape call, a wait" : side ? `new: only in ${called}` : "gone: only in A";
