import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import * as numbers from "../../engine_layer_visualize/page/viewer/numbers.js";

/** What core/text.py writes, too: test_viewer.py reads the same table. @type {Record<string, [number, string][]>} */
const cases = JSON.parse(readFileSync(new URL("numbers.json", import.meta.url), "utf8"));

/** @type {Record<string, (value: number) => string>} */
const formats = {
  milliseconds: numbers.milliseconds,
  percent: numbers.percent,
  bytes: numbers.bytes,
  large: numbers.large,
  count: (value) => numbers.count(value, "layer"),
};

for (const [name, format] of Object.entries(formats)) {
  test(`${name} are written as Python writes them`, () => {
    assert.ok(cases[name].length > 5);
    assert.deepEqual(
      cases[name].map(([value]) => [value, format(value)]),
      cases[name],
    );
  });
}

test("no value is no text, and an estimate is marked", () => {
  assert.deepEqual([null, undefined].map(numbers.milliseconds), ["", ""]);
  assert.deepEqual([null].map(numbers.percent), [""]);
  assert.deepEqual([null].map(numbers.bytes), [""]);
  assert.equal(numbers.about({ estimated: true }, 2), "≈ 2.00 ms");
  assert.equal(numbers.about({ estimated: false }, 2), "2.00 ms");
  assert.equal(numbers.about({ estimated: true }, null), "");
});

test("a sum is of what is known, without what adding adds", () => {
  assert.deepEqual([[0.1, null, 0.2, undefined], [null], []].map(numbers.sumOf), [0.3, null, null]);
});
