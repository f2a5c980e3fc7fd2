import assert from "node:assert/strict";
import { test } from "node:test";
import { find, where } from "../../engine_layer_visualize/outputs/html/viewer/search.js";
import { engine } from "./engines.js";

const made = engine({
  row: [0, 1, 2],
  slot: [0, 0, 0],
  edges: [],
  lanes: [],
  names: ["Conv_1 + Relu_2", "a.*b", `${"x".repeat(60)}needle`],
  onnx: [["/backbone/Conv"], undefined, undefined],
});

test("all words must be there, in any case and in any text", () => {
  assert.deepEqual(find(made, "conv RELU"), [0]);
  assert.deepEqual(find(made, "caskconvolution"), [0, 1, 2]);
  assert.deepEqual(find(made, "backbone"), [0]);
  assert.deepEqual(find(made, "conv nothing"), []);
});

test("no word is no search, and a word is no pattern", () => {
  assert.equal(find(made, "  "), null);
  assert.deepEqual(find(made, ".*"), [1]);
  assert.deepEqual(find(made, "("), []);
});

test("where a hit stands", () => {
  assert.deepEqual(where(made, 0, "BACKBONE"), ["ONNX node", "/backbone/Conv"]);
  assert.deepEqual(where(made, 2, "needle"), ["name", `…${"x".repeat(24)}needle`]);
  assert.deepEqual(where(made, 0, "nothing"), ["", ""]);
});
