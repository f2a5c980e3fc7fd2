import assert from "node:assert/strict";
import { test } from "node:test";
import * as numbers from "../../engine_layer_visualize/outputs/html/viewer/numbers.js";

test("milliseconds have three digits and the unit that fits", () => {
  const said = [0, 1e-6, 0.0123, 0.9996, 1, 2.5964, 15.55, 999.6, 61234].map(numbers.milliseconds);
  assert.deepEqual(said, [
    "0 µs",
    "1.00 ns",
    "12.3 µs",
    "1.00 ms",
    "1.00 ms",
    "2.60 ms",
    "15.6 ms",
    "1.00 s",
    "61.2 s",
  ]);
});

test("no time is no text, and an estimate is marked", () => {
  assert.equal(numbers.milliseconds(null), "");
  assert.equal(numbers.milliseconds(undefined), "");
  assert.equal(numbers.about({ estimated: true }, 2), "≈ 2.00 ms");
  assert.equal(numbers.about({ estimated: true }, null), "");
});

test("a share that is not zero is not shown as zero", () => {
  assert.deepEqual([0, 0.00001, 0.0005, 0.1234, 1, null].map(numbers.percent), [
    "0 %",
    "<0.1 %",
    "0.1 %",
    "12.3 %",
    "100.0 %",
    "",
  ]);
});

test("what stands between two goes to the even one", () => {
  assert.equal(numbers.percent(0.00125), "0.1 %");
  assert.equal(numbers.milliseconds(0.125), "125 µs");
  assert.equal(numbers.milliseconds(2.125), "2.12 ms");
  assert.equal(numbers.milliseconds(2.375), "2.38 ms");
});

test("bytes", () => {
  assert.deepEqual([0, 999, 1000, 1024, 10035, 1 << 20, 2 ** 31, null].map(numbers.bytes), [
    "0 B",
    "999 B",
    "1.0 KiB",
    "1.0 KiB",
    "9.8 KiB",
    "1.0 MiB",
    "2.0 GiB",
    "",
  ]);
});

test("counts", () => {
  assert.deepEqual(
    [1, 2, 1234567].map((n) => numbers.count(n, "layer")),
    ["1 layer", "2 layers", "1,234,567 layers"],
  );
});
