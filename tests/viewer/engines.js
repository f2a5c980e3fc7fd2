// Small engines as the page's data holds them, for the tests.

import { decode } from "../../engine_layer_visualize/outputs/html/viewer/engine.js";

const HEAD = { index: 0, name: "x", layers: 0, edges: 0, ms: null, estimated: false, file: "x.log", lines: [1, 2] };

/** A table of strings: `text("a")` is the number of "a". */
export function table() {
  const strings = [];
  const text = (said) => {
    if (!strings.includes(said)) strings.push(said);
    return strings.indexOf(said);
  };
  return { strings, text };
}

/**
 * A chain of layers, each in its own row: 0 -> 1 -> 2 …; `groups` are spans [start, length].
 * @param {number} count
 * @param {number[][]} [groups]
 */
export function chain(count, groups = []) {
  const edges = Array.from({ length: count - 1 }, (_, n) => [n, n + 1]);
  return engine({
    row: Array.from({ length: count }, (_, n) => n),
    slot: new Array(count).fill(0),
    edges,
    lanes: edges.map(() => [null, 0]),
    groups,
  });
}

/**
 * An engine of layers alone. `edges` are [from, to], each a net of its own with the lane [gutter, track].
 */
export function engine({ row, slot, edges, lanes, groups = [], names = row.map((_, n) => `layer${n}`), onnx = [] }) {
  const { strings, text } = table();
  const count = row.length;
  const all = (value) => new Array(count).fill(value);
  const layers = {
    name: names.map(text),
    type: all(text("CaskConvolution")),
    title: all(text("Conv")),
    subtitle: all(-1),
    kind: all(text("layer")),
    line: names.map((_, n) => n + 1),
    kernel: all(-1),
    tactic: all(-1),
    raw: [],
    bytes: all(null),
    ms: all(null),
    dtype: all(text("unknown")),
    share: all(null),
    profile: all(0),
    in: all([]),
    out: all([]),
    onnx: onnx.flatMap((found, n) => (found ? [n, found.map(text)] : [])),
    idle: [1],
  };
  const forms = { raw: "sparse", onnx: "sparse", idle: "set" };
  const columns = Object.fromEntries(Object.keys(layers).map((name) => [name, [forms[name] ?? "list", ""]]));
  return decode(HEAD, {
    strings,
    columns,
    layers,
    memory: "",
    tensors: { name: [], dtype: [], dims: [], format: [], strides: [], precision: [] },
    ports: { name: [], kind: [], entry: [], tensor: [] },
    edges: { from: edges.map(([a]) => a), to: edges.map(([, b]) => b), tensor: edges.map(() => -1) },
    jumps: [],
    layout: {
      width: 232,
      flag: 74,
      height: all(46),
      row,
      slot,
      netOf: edges.map((_, n) => n),
      gutter: lanes.map(([gutter]) => gutter),
      track: lanes.map(([, track]) => track),
    },
    groups: groups.map((nodes, n) => ({ label: `block ${n}`, outer: false, nodes })),
    times: { kind: null, statistic: "", shown: 0, hottest: 0, unstable: [], profiles: [{ layers: count }] },
    problems: [],
    profile: null,
  });
}
