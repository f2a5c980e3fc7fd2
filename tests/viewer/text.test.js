import assert from "node:assert/strict";
import { test } from "node:test";
import { cut, LEAD, TAIL } from "../../engine_layer_visualize/page/viewer/text.js";

/** @param {string} words */
const wide = (words) => words.length; // every character is 1 wide

test("what fits stays as it is", () => {
  for (const way of [LEAD, TAIL]) assert.equal(cut("Conv_1", 6, wide, way), "Conv_1");
});

test("of a path whole parts go, from its beginning", () => {
  assert.equal(cut("/encoder/layer.3/attention/query", 20, wide, TAIL), "…3/attention/query");
});

test("of operators whole ones go, from their end", () => {
  assert.equal(cut("Conv + Add + Relu", 15, wide, LEAD), "Conv + Add + …");
  assert.equal(cut("MatMul + BatchNormalization", 25, wide, LEAD), "MatMul + …");
});

test("a word alone is cut where it has to be", () => {
  assert.equal(cut("abcdefghijklmnopqrstuvwxyz", 11, wide, TAIL), "…qrstuvwxyz");
  assert.equal(cut("abc. ... defghijklm", 5, wide, LEAD), "abc…");
});

test("no half of a surrogate pair is left", () => {
  for (const way of [LEAD, TAIL])
    for (let room = 2; room < 40; room++) {
      const words = cut("😀".repeat(30), room, wide, way);
      assert.ok(words.isWellFormed(), `${room}: ${JSON.stringify(words)}`);
      assert.ok(words.length <= room);
    }
});

test("of a very long text only an end is measured", () => {
  let most = 0;
  const count = (/** @type {string} */ part) => {
    most = Math.max(most, part.length);
    return part.length;
  };
  assert.equal(cut("x".repeat(1e6), 100, count, TAIL).length, 100);
  assert.ok(most <= 401);
});
