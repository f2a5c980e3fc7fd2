import assert from "node:assert/strict";
import { test } from "node:test";
import { cut } from "../../engine_layer_visualize/page/viewer/text.js";

/** @param {string} words */
const wide = (words) => words.length; // every character is 1 wide

test("what fits stays as it is", () => {
  assert.equal(cut("Conv_1", 6, wide), "Conv_1");
});

test("a text is cut in the middle, and more of its end is kept", () => {
  assert.equal(cut("abcdefghijklmnopqrstuvwxyz", 11, wide), "abcd…uvwxyz");
});

test("blanks and dots beside the cut are left out", () => {
  assert.equal(cut("abc. ... defghijklm nopqrstuvwx", 11, wide), "abc…rstuvwx");
});

test("no half of a surrogate pair is left", () => {
  for (let room = 2; room < 40; room++) {
    const words = cut("😀".repeat(30), room, wide);
    assert.ok(words.isWellFormed(), `${room}: ${JSON.stringify(words)}`);
    assert.ok(words.length <= room);
  }
});

test("of a very long text only the ends are measured", () => {
  let most = 0;
  const words = cut("x".repeat(1e6), 100, (part) => {
    most = Math.max(most, part.length);
    return part.length;
  });
  assert.equal(words.length, 100);
  assert.ok(most <= 300);
});
