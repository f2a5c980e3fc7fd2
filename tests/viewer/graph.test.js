import assert from "node:assert/strict";
import { test } from "node:test";
import { Walk } from "../../engine_layer_visualize/page/viewer/arrows.js";
import { cone, MANY_PATHS, path, tensorEdges, trace } from "../../engine_layer_visualize/page/viewer/graph.js";
import { layOut } from "../../engine_layer_visualize/page/viewer/layout.js";
import { chain, engine } from "./engines.js";

/** @import { Engine } from "../../engine_layer_visualize/page/viewer/types.d.ts" */

/**
 * @param {number[][]} edges from, to
 * @param {{ tensors?: string[], moves?: number[], slot?: number[], row?: number[] }} [more]
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

test("a cone holds what is above or below, as many steps as asked, and nothing beside", () => {
  const made = graph(RESIDUAL);
  assert.deepEqual(sorted(cone(made, [2], false).nodes), [0, 1, 2]);
  assert.deepEqual(sorted(cone(made, [2], false).edges), [0, 2]);
  assert.deepEqual(sorted(cone(made, [1], true).nodes), [1, 2, 3, 4, 5]);
  assert.deepEqual(sorted(cone(made, [1], true, 1).nodes), [1, 2, 3]);
  assert.deepEqual(sorted(cone(made, [1], true, 1).edges), [2, 3]);
});

test("a path is the shortest, and all paths are counted", () => {
  const made = graph(RESIDUAL);
  const down = path(made, 0, [5]);
  assert.deepEqual([down?.nodes, down?.edges, down?.up, down?.count], [[0, 4, 5], [1, 5], false, 2]);
  assert.deepEqual(sorted(down?.all.nodes ?? []), [0, 1, 2, 4, 5]);
  assert.deepEqual(sorted(down?.all.edges ?? []), [0, 1, 2, 4, 5]);
  const up = path(made, 3, [0]); // the data flows from 0 to 3
  assert.deepEqual([up?.nodes, up?.edges, up?.up, up?.count], [[0, 1, 3], [0, 3], true, 1]);
  assert.equal(path(made, 3, [5]), null);
  assert.deepEqual(path(made, 0, [5, 2])?.nodes, [0, 1, 2]); // both 2 steps away: the first that is found
});

test("two tensors between the same layers are one path; very many paths are not counted on", () => {
  const twice = [
    [0, 1],
    [0, 1],
    [1, 2],
  ];
  assert.equal(path(graph(twice), 0, [2])?.count, 1);
  // n → n + 1 directly, or by a layer between: 2 ** 25 paths
  const forks = Array.from({ length: 25 }, (_, n) => [
    [2 * n, 2 * n + 1],
    [2 * n, 2 * n + 2],
    [2 * n + 1, 2 * n + 2],
  ]).flat();
  const found = path(graph(forks), 0, [50]);
  assert.deepEqual([found?.count, found?.edges.length], [MANY_PATHS, 25]);
});

test("where edges go round, the shortest path is found and the number of all is unknown", () => {
  const round = [
    [0, 1],
    [1, 2],
    [2, 1],
    [2, 3],
  ];
  const found = path(graph(round), 0, [3]);
  assert.deepEqual([found?.nodes, found?.count], [[0, 1, 2, 3], null]);
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

test("a trace goes from the origin through what only moves to all uses, in order of execution", () => {
  // 0 writes x; the reformat 1 makes a copy for 2; 3 reads x long after; 2 computes what 3 adds
  const made = graph(
    [
      [0, 1],
      [1, 2],
      [0, 3],
      [2, 3],
    ],
    { tensors: ["x", "copy", "x", "y"], moves: [1] },
  );
  const all = [
    [0, "origin"],
    [1, "moves"],
    [2, "uses"],
    [3, "uses"],
  ];
  for (const edge of [0, 1, 2]) {
    const found = trace(made, edge);
    assert.deepEqual(found.steps, all);
    assert.deepEqual(sorted(found.edges), [0, 1, 2]);
  }
  assert.deepEqual(trace(made, 3).steps, [
    [2, "origin"],
    [3, "uses"],
  ]);
});

test("a trace does not go back into what else is written to the same place", () => {
  // 0 and 1 are copied by 2 and 3 into parts of one tensor, which 4 reads
  const made = graph(
    [
      [0, 2],
      [1, 3],
      [2, 4],
      [3, 4],
    ],
    { tensors: ["a", "b", "both", "both"], moves: [2, 3] },
  );
  assert.deepEqual(trace(made, 0).nodes, [0, 2, 4]);
  assert.deepEqual(trace(made, 2).nodes, [0, 1, 2, 3, 4]);
});

test("arrow keys go along edges, to siblings, and else along the row", () => {
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
  const walk = new Walk();
  assert.equal(walk.step(made, folded, 0, "up"), null);
  assert.equal(walk.step(made, folded, 0, "down"), 2); // the first by the drawing
  assert.equal(walk.step(made, folded, 2, "left"), 0); // the last of the row above
  assert.equal(walk.step(made, folded, 2, "right"), 1);
  assert.equal(walk.step(made, folded, 1, "down"), 3);
  assert.equal(walk.step(made, folded, 3, "up"), 2);
  assert.equal(walk.step(made, folded, 2, "right"), 1); // the other writer
  const fresh = new Walk();
  assert.equal(fresh.step(made, folded, 1, "left"), 2); // the neighbour in the row
  assert.equal(fresh.step(chain(2), layOut(chain(2), new Set(), null).folded, 0, "left"), null);
});

test("arrow keys pass layers that are marks on their lines", () => {
  const made = Object.assign(chain(4), {
    marks: new Map([
      [1, 0],
      [2, 0],
    ]),
    boxed: false,
  });
  const { folded } = layOut(made, new Set(), null);
  assert.equal(new Walk().step(made, folded, 0, "down"), 3);
  assert.equal(new Walk().step(made, folded, 3, "up"), 0);
  made.boxed = true;
  assert.equal(new Walk().step(made, layOut(made, new Set(), null).folded, 0, "down"), 1);
});
