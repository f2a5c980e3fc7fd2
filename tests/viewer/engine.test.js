import assert from "node:assert/strict";
import { test } from "node:test";
import { beyond } from "../../engine_layer_visualize/page/viewer/engine.js";
import { badges, decode } from "../../engine_layer_visualize/page/viewer/found.js";
import { inUnit } from "../../engine_layer_visualize/page/viewer/numbers.js";
import { columnsWithValues, sorted } from "../../engine_layer_visualize/page/viewer/table_columns.js";
import { chain, engine } from "./engines.js";

test("columns are decoded by the forms that the data names", () => {
  const made = engine({ row: [0, 1], slot: [0, 0], edges: [], lanes: [], onnx: [undefined, ["a", "b"]] });
  assert.deepEqual(made.layers.line, [1, 2]);
  assert.deepEqual([...made.layers.idle], [1]);
  assert.deepEqual(made.layers.onnx.get(1)?.map(made.text), ["a", "b"]);
  assert.equal(made.layers.onnx.has(0), false);
});

test("a group's nodes are spelled out", () => {
  assert.deepEqual(chain(9, [[1, 2, 5, 3]]).groups[0].nodes, [1, 2, 5, 6, 7]);
});

test("the table shows the columns that hold something, and sorts what is empty last", () => {
  assert.deepEqual(
    columnsWithValues(chain(2)).map(({ key }) => key),
    ["index", "head", "type", "name", "dtype", "line"],
  );
  for (const [sorting, first] of /** @type {const} */ ([
    ["k", [1, 2, 3]],
    ["-k", [3, 2, 1]],
  ]))
    assert.deepEqual(sorted([3, null, 1, "", 2], (row) => row, sorting).slice(0, 3), first);
});

test("a column has the key, words and unit of its field", () => {
  const made = engine({ row: [0], slot: [0], edges: [], lanes: [], ms: [0.5] });
  made.fields.ms = { key: "k", unit: "ms", label: "what it took", doc: "its time" };
  const column = columnsWithValues(made).find(({ key }) => key === "k");
  assert.deepEqual(
    [column?.title, column?.doc, column?.right, column?.value(0)],
    ["What it took", "its time", true, 0.5],
  );
  assert.deepEqual([column?.format(0.5), made.words("ms", 0)], ["500 µs", "500 µs"]);
  for (const [unit, words] of Object.entries({ bytes: "1.0 KiB", share: "102400.0 %", "": "1024" }))
    assert.equal(inUnit(1024, unit), words);
  assert.deepEqual([inUnit("text", "ms"), inUnit(null, "bytes")], ["text", ""]);
});

test("a mark is rare, and of those of a box the one with the most to gain is first, as in a picture", () => {
  const strings = ["U01", "H01", "P01", ""];
  const layers = [[0], [1, 2], [0, 1]];
  const found = decode(
    {
      rules: [0, 1, 2].map((code) => [code, 3, 3, 3, 3]),
      list: {
        rule: [2, 1, 0],
        stake: [3, 3, 3],
        share: [null, null, null],
        saves: [2, 1, null],
        shown: [true, true, true],
        layers: layers.toReversed(),
        about: [[3], [], []],
        message: [3, 3, 3],
        advice: [3, 3, 3],
        evidence: [[], [], []],
        badge: layers.toReversed(),
      },
      counts: [3],
      gains: [[3, null]],
    },
    (number) => strings[number],
  );
  const boxes = (/** @type {number[]} */ of, /** @type {number} */ count) => {
    const { of: words, above } = badges(found, of, count);
    return [Object.fromEntries(words), above.map(({ rule }) => rule.code)];
  };
  assert.deepEqual(boxes([0, 1, 2, 3], 20), [{ 0: "P01 +1", 1: "P01 +1", 2: "H01" }, []]);
  assert.deepEqual(boxes([0, 0, 0, 0], 7), [{ 0: "P01 +2" }, []], "a folded box, too");
  // Of 14 boxes two may be marked: H01 would mark a third.
  assert.deepEqual(boxes([0, 1, 2, 3], 14), [{ 0: "P01 +1", 1: "P01" }, ["H01"]]);
  assert.deepEqual(found.all[0].layers, [0, 1, 3], "those whose time it does not touch, too");
  assert.deepEqual(found.of(3), [found.all[0]]);
});

test("a place leaves out the scope around it, but for what a number is a number of", () => {
  assert.equal(beyond("layer1.conv", "layer1"), "conv");
  assert.equal(beyond("/features.0", "/features"), "features.0");
  assert.equal(beyond("a.blocks.0.12", "/a/a.blocks.0"), "blocks.0.12");
  assert.equal(beyond("/a/3x3/0", "/a/3x3"), "3x3/0");
});
