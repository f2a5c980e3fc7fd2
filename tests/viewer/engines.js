// Small engines as the page's data holds them, for the tests.

import { decode } from "../../engine_layer_visualize/page/viewer/engine.js";

/** @import { Engine, Form, Head, ProfileTimes, Raw } from "../../engine_layer_visualize/page/viewer/types.d.ts" */

/** @type {Head} */
const HEAD = {
  index: 0,
  name: "x",
  title: "Engine 0 of x",
  size: "0 layers",
  layers: 0,
  edges: 0,
  ms: null,
  estimated: false,
  file: "x.log",
  lines: [1, 2],
  node: "ONNX node",
  tensorrt: null,
  device: null,
  gpu: null,
  inputs: [null, null],
  constrains: true,
  profiling: "--exportProfile=prof.json",
};

/**
 * Layers alone. `edges` are [from, to], each a net of its own with the lane [gutter, track]; `onnx` are the
 * ONNX nodes of each layer.
 * @typedef {object} Given
 * @property {number[]} row
 * @property {number[]} slot
 * @property {number[][]} edges
 * @property {[gutter: number | null, track: number][]} lanes
 * @property {number[][]} [groups] spans [start, length]
 * @property {number[]} [depths] of the groups
 * @property {string[]} [names]
 * @property {(string[] | undefined)[]} [onnx]
 * @property {string[]} [tensors] of each edge its name; else all carry one tensor
 * @property {number[]} [hosts] a layer that is a mark, its host …
 * @property {(number | null)[]} [ms]
 * @property {{ path: string[]; parent: number[]; of: number[] }} [scopes] `of` as in the data
 */

/** A table of strings: `text("a")` is the number of "a". */
export function table() {
  /** @type {string[]} */
  const strings = [];
  /** @param {string} string */
  const text = (string) => {
    if (!strings.includes(string)) strings.push(string);
    return strings.indexOf(string);
  };
  return { strings, text };
}

/**
 * A chain of layers, each in its own row: 0 -> 1 -> 2 …; `groups` are spans [start, length].
 * @param {number} count
 * @param {number[][]} [groups]
 * @param {number[]} [depths]
 * @param {number[]} [hosts] a layer that is a mark, its host …
 * @returns {Engine}
 */
export function chain(count, groups = [], depths = [], hosts = []) {
  const edges = Array.from({ length: count - 1 }, (_, n) => [n, n + 1]);
  return engine({
    row: Array.from({ length: count }, (_, n) => n),
    slot: new Array(count).fill(0),
    edges,
    lanes: edges.map(() => /** @type {[null, number]} */ ([null, 0])),
    groups,
    depths,
    hosts,
  });
}

/**
 * @param {Given} given
 * @returns {Engine}
 */
export function engine({ row, slot, edges, lanes, groups = [], depths = [], names, onnx = [], ...given }) {
  const { ms, scopes } = given;
  const { strings, text } = table();
  const count = row.length;
  const called = [...new Set(given.tensors ?? [])];
  const carried = edges.map((_, n) => (given.tensors ? called.indexOf(given.tensors[n]) : 0));
  /** The tensors at one end of a layer. @type {(end: 0 | 1) => number[][]} */
  const at = (end) =>
    row.map((_, n) => [...new Set(carried.filter((_, edge) => given.tensors && edges[edge][end] === n))]);
  /** @param {unknown} value */
  const all = (value) => new Array(count).fill(value);
  /** @type {Record<string, unknown[]>} */
  const layers = {
    scope: all(-1),
    name: row.map((_, n) => text(names?.[n] ?? `layer${n}`)),
    type: all(text("CaskConvolution")),
    title: all(text("Conv")),
    subtitle: all(-1),
    kind: all(text("layer")),
    line: row.map((_, n) => n + 1),
    kernel: row.map(() => -1),
    tactic: all(-1),
    raw: [],
    holds: [],
    bytes: all(null),
    ms: row.map((_, n) => ms?.[n] ?? null),
    dtype: all(text("unknown")),
    share: all(null),
    profile: all(0),
    in: at(1),
    out: at(0),
    tf32: [],
    macs: [],
    onnx: onnx.flatMap((found, n) => (found ? [n, found.map(text)] : [])),
    idle: [1],
    host: given.hosts ?? [],
  };
  /** @type {Record<string, Form>} */
  const forms = {
    raw: "sparse",
    holds: "sparse",
    onnx: "sparse",
    tf32: "sparse",
    macs: "sparse",
    idle: "set",
    host: "sparse",
  };
  const texts = ["scope", "name", "type", "title", "subtitle", "kind", "kernel", "tactic", "dtype"];
  const unit = (/** @type {string} */ name) =>
    texts.includes(name) ? "text" : ["ms", "share", "bytes"].includes(name) ? name : "";
  /** @type {Raw["columns"]} */
  const columns = Object.fromEntries(Object.keys(layers).map((name) => [name, [forms[name] ?? "list", unit(name)]]));
  const fields = /** @type {Raw["fields"]} */ (
    Object.fromEntries(
      ["index", ...Object.keys(layers)].map((key) => [key, { key, unit: unit(key), label: key, doc: "" }]),
    )
  );
  return decode(HEAD, {
    strings,
    columns,
    fields,
    layers,
    records: [],
    types: [],
    card: { words: [], groups: [] },
    memory: "",
    tensors: {
      fields: [],
      name: called.map(text),
      dtype: [],
      dims: [],
      format: [],
      strides: [],
      layout: [],
      bytes: [],
      precision: [],
    },
    ports: { name: [], kind: [], entry: [], word: [], words: [], tensor: [] },
    edges: { from: edges.map(([a]) => a), to: edges.map(([, b]) => b), tensor: carried, instead: [] },
    inside: {
      of: [],
      title: [],
      subtitle: [],
      name: [],
      ms: [],
      share: [],
      estimate: [],
      kernel: [],
      precision: [],
      runs: [],
    },
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
    groups: groups.map((nodes, n) => ({
      path: `/block.${n}`,
      label: `block ${n}`,
      depth: depths[n] ?? 0,
      profile: false,
      nodes,
    })),
    scopes: scopes
      ? { ...scopes, path: scopes.path.map(text), label: scopes.path.map(text) }
      : { path: [], label: [], parent: [], of: [-1, count] },
    times: {
      kind: null,
      sum: "",
      shown: 0,
      hottest: 0,
      missing: "",
      unsteady: "",
      unstable: [],
      profiles: [/** @type {ProfileTimes} */ (/** @type {unknown} */ ({ layers: count, ms: ms ? 1 : null }))],
    },
    findings: {
      rules: [],
      list: {
        rule: [],
        stake: [],
        share: [],
        saves: [],
        shown: [],
        layers: [],
        about: [],
        message: [],
        advice: [],
        evidence: [],
        badge: [],
      },
      counts: [0],
      gains: [[null, null]],
    },
    rooflines: [],
    problems: [],
    profile: null,
    unmatched: [],
  });
}
