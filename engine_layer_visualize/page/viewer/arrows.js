// @ts-check
// A node, an arrow key and the drawing -> the node that the key leads to along the edges.

import { beside } from "./graph.js";

/** @import { Engine, Folded } from "./types.d.ts" */

/** @typedef {"up" | "down" | "left" | "right"} Way */

/** The way that the arrow keys went: the node where it ends, and those that it could have gone to. */
export class Walk {
  #at = -1;
  /** @type {number[]} */
  #siblings = [];

  /**
   * Down to a reader, up to a writer, the first by the drawing, past layers that are marks; left and right to the next
   * of those, else to the neighbour in the row. Null: nothing is there.
   * @param {Engine} engine
   * @param {Folded} folded
   * @param {number} node
   * @param {Way} way
   */
  step(engine, folded, node, way) {
    const { of, row, x } = folded;
    /** @type {(list: number[]) => number[]} */
    const drawn = (list) => list.sort((a, b) => row[of[a]] - row[of[b]] || x[of[a]] - x[of[b]] || a - b);
    if (way === "up" || way === "down") {
      const found = drawn(ahead(engine, node, way === "down"));
      return found.length ? this.#go(found[0], found) : null;
    }
    const kept = this.#at === node && this.#siblings.length > 1;
    const list = kept ? this.#siblings : drawn(inRow(engine, folded, node));
    const next = list[list.indexOf(node) + (way === "right" ? 1 : -1)];
    return next === undefined ? null : this.#go(next, kept ? list : []);
  }

  /**
   * @param {number} node
   * @param {number[]} siblings
   */
  #go(node, siblings) {
    [this.#at, this.#siblings] = [node, siblings];
    return node;
  }
}

/**
 * The nodes that read what a node writes, or write what it reads; through layers that are marks on their lines.
 * @type {(engine: Engine, node: number, down: boolean) => number[]}
 */
function ahead(engine, node, down) {
  const met = new Set(beside(engine, node, down));
  for (const other of met) {
    if (engine.boxed || !engine.marks.has(other)) continue;
    for (const next of beside(engine, other, down)) met.add(next);
  }
  return [...met].filter((other) => other !== node && (engine.boxed || !engine.marks.has(other)));
}

/**
 * A node of each box in the row of a node's box: itself, or the first of a folded group.
 * @param {Engine} engine
 * @param {Folded} folded
 * @param {number} node
 */
function inRow({ groups }, folded, node) {
  const row = folded.row[folded.of[node]];
  const found = [];
  for (let box = 0; box < folded.size; box++) {
    const one = folded.node[box];
    if (folded.row[box] === row) found.push(one < 0 ? groups[-1 - one].nodes[0] : one);
  }
  return found;
}
