import assert from "node:assert/strict";
import { test } from "node:test";
import { decode } from "../../engine_layer_visualize/page/viewer/compare_data.js";
import { arrange } from "../../engine_layer_visualize/page/viewer/compare_layout.js";
import { ofJson } from "../../engine_layer_visualize/page/viewer/halves.js";
import { speed } from "../../engine_layer_visualize/page/viewer/numbers.js";
import { comparison } from "../../engine_layer_visualize/page/viewer/pairing.js";

const LOOK = {
  fields: {},
  tones: new Array(21).fill(""),
  untimed: [],
  same: 5,
  speeds: [1.05, 1.2, 1.5, 2, 4],
  vary: [0.01, 0.05],
  changes: {
    fusion: "fusion",
    precision: "precision",
    kernel: "kernel",
    format: "formats",
    shape: "shape",
    reformats: "reformats",
  },
};

/** A layer of the JSON: name, ms, from, to. @type {(name: string, ms: number, from: string, to: string, more?: Record<string, any>) => object} */
const layer = (
  name,
  ms,
  from,
  to,
  { type = "Convolution", nodes = [name], precision = "Half", kernel = "k" } = {},
) => ({
  name,
  type,
  kernel,
  scope: null,
  inputs: [{ name: from, dtype: precision, dims: "1,8", format: null }],
  outputs: [{ name: to, dtype: precision, dims: "1,8", format: null }],
  time: { average_ms: ms },
  facts: { precision, onnx_nodes: nodes, onnx_operators: ["Conv"] },
});

/** @param {string} file @param {any[]} layers */
const half = (file, layers) =>
  ofJson({
    engine: {
      index: 0,
      tensorrt: "10.3",
      source: { file },
      time: { kind: "measured", total_ms: layers.reduce((sum, each) => sum + each.time.average_ms, 0) },
      facts: {},
    },
    layers,
  });

const A = half("a.log", [
  layer("x", 2, "in", "p"),
  layer("y + z", 4, "p", "q", { nodes: ["y", "z"] }),
  layer("s", 1, "q", "out", { nodes: [] }),
]);
const B = half("b.log", [
  layer("Reformat 1", 0.5, "in", "r", { type: "Reformat", nodes: [] }),
  layer("x", 1, "r", "p", { precision: "Int8" }),
  layer("y", 1, "p", "m"),
  layer("z", 1, "m", "q"),
  layer("t", 1, "q", "out", { nodes: [] }),
]);

test("layers are paired by names, nodes and what they compute; a reformat goes with its reader", () => {
  const found = comparison(A, B, LOOK);
  assert.deepEqual(
    found.sides.map(({ group }) => group),
    [
      [0, 1, 2],
      [0, 0, 1, 1, 2],
    ],
  );
  assert.deepEqual(
    found.groups.map(([a, b, delta, tone, changes, by]) => [
      a,
      b,
      delta,
      tone,
      found.strings[changes],
      found.strings[by],
    ]),
    [
      [2, 1.5, -0.5, 7, "Half → Int8; formats", "names"],
      [4, 2, -2, 9, "1 → 2 layers", "names"],
      [1, 1, 0, 5, "", "structure"],
    ],
  );
});

test("a layer of JSON is called by its operators, else by those that its name has", () => {
  const titles = [{ onnx_operators: ["Gemm"] }, {}, {}].map((facts, at) => {
    const name = ["x", "/stem/Conv_3 + /stem/Relu", "myelin1"][at];
    return half("a.log", [{ ...layer(name, 1, "p", "q"), facts }]).layers[0].title;
  });
  assert.deepEqual(titles, ["Gemm", "Conv + Relu", "Convolution"]);
  assert.equal(
    half("a.log", [layer("x", 1, "p", "q")]).layers[0].part,
    "x",
    "and stands beside its name, without a module",
  );
});

/** As a log of trtexec has it. @param {import("../../engine_layer_visualize/page/viewer/types.d.ts").Half} engine @param {number} median @param {number} [mean] @returns {import("../../engine_layer_visualize/page/viewer/types.d.ts").Half} */
const measured = (engine, median, mean) => ({ ...engine, gpu: [median, mean ?? null] });

test("the headline takes the times that compare takes, where runs vary by 1 %, or by what a mean says", () => {
  const none = comparison(A, B, LOOK);
  assert.deepEqual(none.headline, ["is 1.56 × faster", "sum of the layers: 7.00 ms → 4.50 ms"]);
  const alike = comparison(measured(A, 14), measured(B, 9), LOOK);
  assert.deepEqual(alike.headline, none.headline);
  const other = comparison(measured(A, 6), measured(B, 4), LOOK);
  assert.deepEqual(other.headline, ["is 1.50 × faster", "GPU compute time, median: 6.00 ms → 4.00 ms"]);
  assert.deepEqual(other.totals[1], ["GPU compute time, median", "6.00 ms", "4.00 ms", "−2.00 ms"]);
  const near = comparison(measured(A, 6), measured(B, 6.05), LOOK);
  assert.equal(near.headline[0], "is as fast as A");
  assert.equal(comparison(measured(A, 6), measured(B, 6.2), LOOK).headline[0], "is 1.03 × slower");
  assert.equal(comparison(measured(A, 6, 6.3), measured(B, 6.2), LOOK).headline[0], "is as fast as A");
});

test("of other batches the ratios are of a sample; of other shapes there is none", () => {
  /** @param {Record<string, any>} engine @param {number[][]} shapes @returns {any} */
  const run = (engine, ...shapes) => ({ ...engine, inputs: [shapes, shapes] });
  const found = comparison(run(A, [1, 3], [2, 5]), run(B, [2, 5], [4, 3]), LOOK);
  assert.deepEqual(found.headline, ["is 6.22 × faster per sample", "sum of the layers: 7.00 ms → 4.50 ms"]);
  assert.ok(found.per_sample);
  assert.equal(found.groups[2][6], 1 / 4);
  assert.equal(comparison(run(A, [1, 3], [2, 5]), run(B, [4, 3], [4, 5]), LOOK).headline[0], "");
  const other = comparison(run(A, [1, 3]), run(B, [1, 4]), LOOK);
  assert.deepEqual([other.headline[0], other.groups[2][6], other.groups[2][2]], ["", null, 0]);
  assert.ok(other.first.startsWith("They ran on inputs of other shapes: there is no ratio."));
});

test("layers are alike by their shapes, whatever a page prints of them", () => {
  const [one, other] = ["1,64:8,-3", "1,64,-1"].map((dims, side) => {
    const own = layer(`s${side}`, 1, "q", "out", { nodes: [] });
    return half(`${side}.log`, [{ ...own, inputs: [{ name: "q", dtype: "Half", dims, format: null }] }]);
  });
  assert.equal(comparison(one, other, LOOK).groups.length, 1);
});

test("estimates are told as such, and 5 % are no difference of them", () => {
  const [a, b] = [A, B].map((engine) => ({ ...engine, kind: "estimated" }));
  const words = "sum of the layers, as the builder estimates: 7.00 ms → 4.50 ms";
  assert.deepEqual(comparison(a, b, LOOK).headline, ["is ≈ 1.56 × faster", words]);
  assert.equal(comparison(a, { ...b, total: 6.7 }, LOOK).headline[0], "is as fast as A");
});

test("the page tells no causes", () => {
  const { waterfall, first } = comparison(A, B, LOOK);
  assert.deepEqual(waterfall, []);
  assert.ok(first.endsWith("elv compare A B -f html tells the causes."));
});

test("another network is called so", () => {
  const other = half("c.log", [
    layer("x", 1, "in", "p"),
    ...["k", "l", "m"].map((name) => layer(name, 1, name, name, { type: name })),
  ]);
  const found = comparison(A, other, LOOK);
  assert.ok(found.first.startsWith("B seems to be another network than A: 1 of 3 layers do the same. "));
  assert.deepEqual([found.waterfall, found.groups], [[], []]);
  assert.ok(found.sides.every(({ group }) => group.every((each) => each < 0)));
  assert.equal(found.headline[0], "", "two networks have no ratio");
});

/** Convolutions of one after the other. @param {string} file @param {number[]} widths @param {number} [extent] @param {string} [of] end of the names */
const chain = (file, widths, extent = 8, of = "") =>
  half(
    file,
    widths.map((width, at) => {
      const own = layer(`Conv_${at}${of}`, 1, `x${at}`, `x${at + 1}`, { nodes: [`Conv_${at}`] });
      return { ...own, outputs: [{ name: `x${at + 1}`, dtype: "Half", dims: `1,${width},${extent}`, format: null }] };
    }),
  );

test("names that exporters number anew pair no layers of another network, but those of another resolution", () => {
  const a = chain("a.log", [8, 16, 32]);
  assert.equal(comparison(a, chain("b.log", [8, 16, 32], 16), LOOK).groups.length, 3);
  const other = comparison(a, chain("c.log", [4, 24, 48]), LOOK);
  assert.deepEqual([other.groups, other.headline[0]], [[], ""]);
});

test("layers of two optimisation profiles are no one layer", () => {
  const both = chain("a.log", [8, 16]);
  both.layers.push(...chain("a.log", [8, 16], 8, " [profile 1]").layers.map((each) => ({ ...each, ms: null })));
  const { groups, sides } = comparison(both, both, LOOK);
  assert.deepEqual(sides[0].group, [0, 1, 2, 3]);
  assert.deepEqual(groups[0].slice(0, 3), [1, 1, 0]);
});

test("sums over an unknown number of runs are no times of a run", () => {
  const time = { n: null, average_ms: 300, total_ms: 300 };
  const summed = ofJson({
    engine: { index: 0, source: { file: "t.log" }, time: { kind: "measured", total_ms: null } },
    layers: [{ ...layer("x", 2, "in", "p"), time }],
  });
  const found = comparison(A, summed, LOOK);
  assert.ok(found.first.includes("The times of B are sums over an unknown number of runs. "));
  assert.deepEqual([found.timed, found.waterfall, found.sides[1].ms], [false, [], [null]]);
});

test("estimates are not compared with measured times", () => {
  const found = comparison(A, { ...B, kind: "estimated" }, LOOK);
  assert.deepEqual([found.timed, found.waterfall, found.headline], [false, [], ["", ""]]);
  assert.deepEqual(
    found.groups.map(([, , delta, tone]) => [delta, tone]),
    [
      [null, 13],
      [null, 12],
      [null, 5],
    ],
  );
});

test("heights are times down to a floor, and what belongs together is level where the order allows it", () => {
  const compared = decode(comparison(A, B, LOOK), LOOK);
  arrange(compared);
  const [a, b] = compared.sides;
  assert.equal(a.height[1] / a.height[0], 2);
  assert.ok(Math.min(...a.height, b.height[1]) >= 16);
  assert.deepEqual(
    compared.bands.map((band) => [band.group, a.top[band.a[0]] === b.top[band.b[0]]]),
    [
      [0, true],
      [1, true],
      [2, true],
    ],
  );
  for (const { top, height } of compared.sides)
    top.slice(1).forEach((y, at) => {
      assert.ok(y >= top[at] + height[at]);
    });
});

test("of crossing pairs the longest part that rises is level", () => {
  const names = ["a", "b", "c", "d"];
  const [one, other] = [names, ["d", "a", "b", "c"]].map((list, side) =>
    half(
      `${side}.log`,
      list.map((name) => layer(name, 1, `${name}0`, `${name}1`)),
    ),
  );
  const compared = decode(comparison(one, other, LOOK), LOOK);
  arrange(compared);
  const level = compared.members.map(([[a], [b]]) => compared.sides[0].top[a] === compared.sides[1].top[b]);
  assert.deepEqual(level, [true, true, true, false]);
});

test("a larger time is said to be slower", () => {
  assert.deepEqual([1 / 1.8, 1 / 0.15, 1, null].map(speed), ["1.80 × faster", "6.67 × slower", "as fast", ""]);
});
