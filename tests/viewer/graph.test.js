import assert from "node:assert/strict";
import { test } from "node:test";
import { step } from "../../engine_layer_visualize/page/viewer/arrows.js";
import { cone, tensorEdges } from "../../engine_layer_visualize/page/viewer/graph.js";
import { layOut } from "../../engine_layer_visualize/page/viewer/layout.js";
import { chain, engine } from "./engines.js";

/** @import { Engine } from "../../engine_layer_visualize/page/viewer/types.d.ts" */

/**
 * @param {number[][]} edges from, to
 * @param {{ tensors?: string[], slot?: number[], row?: number[] }} [more]
 * @returns {Engine}
 */
function graph(edges, { row, slot, ...more } = {}) {
  const count = Math.max(...edges.flat()) + 1;
  return engine({
    row: row ?? Array.from({ length: count }, (_, n) => n),
    slot: slot ?? new Array(count).fill(0),
    edges,
    lanes: edges.map(() => /** @type {[number, number]} */ ([1, 0])),
    ...more,
  });
}

/** @param {Iterable<number>} list */
const sorted = (list) => [...list].sort((a, b) => a - b);

//   0 → 1 → 2 → 4 → 5   with a skip 0 → 4 over 1 and 2, and a side branch 1 → 3
const RESIDUAL = [
  [0, 1],
  [0, 4],
  [1, 2],
  [1, 3],
  [2, 4],
  [4, 5],
];

test("a cone holds what is above or below, and nothing beside", () => {
  const made = graph(RESIDUAL);
  assert.deepEqual(sorted(cone(made, 2, false).nodes), [0, 1, 2]);
  assert.deepEqual(sorted(cone(made, 2, false).edges), [0, 2]);
  assert.deepEqual(sorted(cone(made, 1, true).nodes), [1, 2, 3, 4, 5]);
});

test("a tensor has the edges of all its readers and of all that write parts of it", () => {
  const made = graph(
    [
      [0, 3],
      [1, 3],
      [1, 4],
      [2, 4],
    ],
    { tensors: ["whole", "whole", "whole", "other"] },
  );
  assert.deepEqual(tensorEdges(made, 2), [0, 1, 2]);
  assert.deepEqual(tensorEdges(made, 3), [3]);
});

test("arrow keys go along edges, and along the row", () => {
  // 1 is above 2 and 3, which are beside each other; 4 reads both
  const made = graph(
    [
      [0, 1],
      [0, 2],
      [1, 3],
      [2, 3],
    ],
    { row: [0, 1, 1, 2], slot: [0, 1, 0, 0] },
  );
  const { folded } = layOut(made, new Set(), null);
  assert.equal(step(made, folded, 0, "up"), null);
  assert.equal(step(made, folded, 0, "down"), 2); // the first by the drawing
  assert.equal(step(made, folded, 2, "left"), 0); // the last of the row above
  assert.equal(step(made, folded, 2, "right"), 1);
  assert.equal(step(made, folded, 1, "down"), 3);
  assert.equal(step(made, folded, 3, "up"), 2);
  assert.equal(step(made, folded, 1, "left"), 2); // the neighbour in the row
  assert.equal(step(chain(2), layOut(chain(2), new Set(), null).folded, 0, "left"), null);
});

test("arrow keys pass layers that are marks on their lines", () => {
  const made = Object.assign(chain(4), {
    marks: new Map([
      [1, 0],
      [2, 0],
    ]),
  });
  const { folded } = layOut(made, new Set(), null);
  assert.equal(step(made, folded, 0, "down"), 3);
  assert.equal(step(made, folded, 3, "up"), 0);
});
