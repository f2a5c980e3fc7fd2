import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { QueryError } from "../../engine_layer_visualize/page/viewer/query.js";
import { Search } from "../../engine_layer_visualize/page/viewer/search.js";
import { engine } from "./engines.js";

/** @import { Grammar } from "../../engine_layer_visualize/page/viewer/types.d.ts" */

/** As the data has it: test_viewer.py holds the file to it. @type {Grammar} */
const grammar = JSON.parse(readFileSync(new URL("grammar.json", import.meta.url), "utf8"));

const made = engine({
  row: [0, 1, 2],
  slot: [0, 0, 0],
  edges: [],
  lanes: [],
  names: ["Conv_1 + Relu_2", "a.*b", `${"x".repeat(60)}needle`],
  onnx: [["/backbone/Conv"], undefined, undefined],
});

/** @param {string} query */
const search = (query) => new Search(made, grammar, query);

test("all words must be there, in any case and in any text", () => {
  assert.deepEqual(search("conv RELU").find(), [0]);
  assert.deepEqual(search("caskconvolution").find(), [0, 1, 2]);
  assert.deepEqual(search("backbone").find(), [0]);
  assert.deepEqual(search("conv nothing").find(), []);
});

test("no word is no search, and a word is no pattern", () => {
  assert.equal(search("  ").find(), null);
  assert.equal(search("|").find(), null);
  assert.deepEqual(search(".*").find(), [1]);
  assert.deepEqual(search("(").find(), []);
});

test("where a hit stands", () => {
  assert.deepEqual(search("BACKBONE").where(0), ["onnx", "/backbone/Conv"]);
  assert.deepEqual(search("/need.e/").where(2), ["name", `…${"x".repeat(24)}needle`]);
  assert.deepEqual(search("-type:a needle").where(2), ["name", `…${"x".repeat(24)}needle`]);
  assert.deepEqual(search("nothing").where(0), ["", ""]);
});

test("a word may look like what this data has not; a field that it has not is an error", () => {
  const { name, type, onnx } = made.texts;
  const less = { ...made, texts: { name, type, onnx } };
  const { fields, ...rest } = grammar;
  const known = { name: fields.name, type: fields.type, onnx: fields.onnx };
  const asked = (/** @type {string} */ query) => new Search(less, { ...rest, fields: known }, query);
  assert.deepEqual(asked("1x384").find(), []);
  assert.deepEqual(asked("F02").find(), []);
  assert.throws(() => asked("kernel:x"), QueryError);
  assert.throws(() => asked("/(/"), { message: /^not a regular expression: [^(/]+$/ });
});
