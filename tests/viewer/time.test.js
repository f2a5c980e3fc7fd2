import assert from "node:assert/strict";
import { test } from "node:test";
import { rectangles, tree } from "../../engine_layer_visualize/page/viewer/time_tree.js";
import { engine } from "./engines.js";

/** @import { TimeNode, TimeRect } from "../../engine_layer_visualize/page/viewer/types.d.ts" */

/**
 * Layers in a row.
 * @param {(number | null)[]} [ms]
 * @param {Partial<Parameters<typeof engine>[0]>} [more]
 * @param {number} [count]
 */
const made = (ms, more = {}, count = ms?.length ?? 0) =>
  engine({
    row: Array.from({ length: count }, (_, n) => n),
    slot: new Array(count).fill(0),
    edges: [],
    lanes: [],
    ms,
    ...more,
  });

/** Two layers in `/a/b`, one in `/a`, one in none, one without a time in `/a/b`. */
const SCOPES = { path: ["/a", "/a/b"], parent: [-1, 0], of: [1, 2, 0, 1, -1, 1, 1, 1] };

/** @type {(node: TimeNode) => string} */
const written = ({ label, sum, children }) =>
  `${label} ${sum}${children.length ? ` (${children.map(written).join(", ")})` : ""}`;

/** @param {TimeRect} rect */
const short = ({ x, w, row, layers }) => [x, w, row, layers.length];

test("modules are inside of modules, and each has the sum of what is inside", () => {
  const root = tree(made([1, 2, 3, 4, null], { scopes: SCOPES }));
  assert.equal(written(root), "all layers 10 (/a 6 (/a/b 3 (0  Conv 1, 1  Conv 2), 2  Conv 3), 3  Conv 4)");
  assert.deepEqual(root.children[0].children[0].layers, [0, 1, 4]);
});

test("what takes no time has no width among the others", () => {
  const root = tree(made([1, 3, null, 0]));
  assert.deepEqual(rectangles(root, 800).map(short), [
    [0, 800, 0, 4],
    [0, 200, 1, 1],
    [200, 600, 1, 1],
  ]);
});

test("where nothing is timed all layers are as wide", () => {
  const found = rectangles(tree(made(undefined, {}, 4)), 400);
  assert.deepEqual(
    found.filter(({ row }) => row === 1).map(({ w }) => w),
    [100, 100, 100, 100],
  );
});

test("what is narrower than a pixel is together, and no layer is lost", () => {
  const root = tree(made(new Array(5000).fill(1)));
  const leaves = rectangles(root, 500).filter(({ row }) => row === 1);
  assert.ok(leaves.length <= 400 && leaves.length > 200);
  assert.deepEqual(
    leaves.flatMap(({ layers }) => layers),
    Array.from({ length: 5000 }, (_, n) => n),
  );
  assert.deepEqual(root.children[0].layers, [0]); // the tree stays as it was
});

test("a row that is zoomed into has the whole width, below what is around", () => {
  const root = tree(made([1, 2, 3, 4, null], { scopes: SCOPES }));
  const found = rectangles(root.children[0].children[0], 300);
  assert.deepEqual(
    found.slice(0, 2).map(({ node, w }) => [node?.label, w]),
    [
      ["all layers", 300],
      ["/a", 300],
    ],
  );
  assert.deepEqual(
    found.filter(({ row }) => row === 3).map(({ w }) => Math.round(w)),
    [100, 200],
  );
});
