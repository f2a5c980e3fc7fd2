// @ts-check
// Two engines -> the data of their comparison. Layers are paired by names and ONNX nodes,
// then by what they compute, in order.

import { count, milliseconds, signed, speed } from "./numbers.js";

/** @import { ComparisonData, GroupData, Half, Look, PlainLayer } from "./types.d.ts" */

const SHARED = 4; // layers of a side that may have a name in common; what more have says nothing of them
const [IN_GROUP, OVERHEAD, ALONE] = [0, 1, 2];
const ALIKE = 0.01; // ratios that differ by less are one, as in comparison/sentences.py
const MOST = 0.05; // of a median: as far as its mean may put it in doubt
const AGREED = 0.9; // of the pairs that names make: where fewer do the same work, the names are chance
const OF_PROFILE = / \[profile \d{1,9}\](?=$|[._])/; // as in trt/names.py

/** Layers of A and of B that belong together, and by what. @typedef {{ members: [number[], number[]]; confidence: "names" | "structure" }} Pair */

/** @param {[PlainLayer[], PlainLayer[]]} sides @returns {Pair[]} */
function paired(sides) {
  const main = sides.map((layers) => layers.flatMap(({ serves, idle }, at) => (serves || idle ? [] : [at])));
  const named = trusted(sides, joined(sides, main));
  const known = [0, 1].map((side) => new Set(named.flatMap((members) => members[side])));
  const left = main.map((own, side) => own.filter((at) => !known[side].has(at)));
  return [
    ...named.map((members) => /** @type {Pair} */ ({ members, confidence: "names" })),
    ...alike(sides, left).map((members) => /** @type {Pair} */ ({ members, confidence: "structure" })),
  ];
}

/**
 * Those that have a name or a node in common, over any number of steps.
 * @param {[PlainLayer[], PlainLayer[]]} sides
 * @param {number[][]} main
 */
function joined([a, b], main) {
  const parent = Array.from({ length: a.length + b.length }, (_, node) => node);
  /** @param {number} node */
  const root = (node) => {
    while (parent[node] !== node) node = parent[node] = parent[parent[node]];
    return node;
  };
  const keyed = held(main, (side, at) => {
    const { name, nodes } = [a, b][side][at];
    const [profile = ""] = OF_PROFILE.exec(name) ?? []; // each optimisation profile has all nodes again
    const plain = name.replace(OF_PROFILE, "");
    return new Set([plain, ...plain.split(" + "), ...nodes].filter(Boolean).map((each) => each + profile));
  });
  for (const [mine, yours] of keyed.values()) {
    if (!mine.length || !yours.length || Math.max(mine.length, yours.length) > SHARED) continue;
    const [first, ...rest] = [...mine, ...yours.map((at) => at + a.length)];
    for (const node of rest) parent[root(node)] = root(first);
  }
  return [...held(main, (side, at) => [root(side ? at + a.length : at)]).values()].filter((both) =>
    both.every((own) => own.length),
  );
}

/**
 * As `_trusted` of comparison/names.py: exporters number nodes anew, so names of another network join layers that do
 * other work. An axis may be larger by one factor in all: another batch or resolution.
 * @param {[PlainLayer[], PlainLayer[]]} sides
 * @param {[number[], number[]][]} groups
 */
function trusted([a, b], groups) {
  const pairs = groups
    .filter((members) => members.every((own) => own.length === 1))
    .map(([[mine], [yours]]) => [a[mine], b[yours]].map(({ writes: [[, dims] = ["", ""]] }) => shape(dims)))
    .filter(([mine, yours]) => mine.length === yours.length)
    .map(([mine, yours]) => mine.map((extent, axis) => [Number(extent), Number(yours[axis])])); // NaN: unknown
  /** @type {Map<string, number[]>} */
  const known = new Map();
  for (const extents of pairs)
    extents.forEach(([mine, yours], axis) => {
      const key = `${extents.length} ${axis}`;
      if (!known.has(key)) known.set(key, []);
      if (yours / mine) known.get(key)?.push(yours / mine);
    });
  const middle = new Map([...known].map(([key, all]) => [key, all.sort((p, q) => p - q)[all.length >> 1]]));
  const agreed = pairs.filter((extents) =>
    extents.every(([mine, yours], axis) => {
      const ratio = middle.get(`${extents.length} ${axis}`) ?? 1;
      return !(yours / mine) || yours === mine || Math.abs(yours - mine * ratio) <= 1; // strides round
    }),
  );
  return agreed.length >= AGREED * pairs.length ? groups : [];
}

/**
 * Those that compute the same on the same shapes, in order, where both sides have as many of them.
 * @param {[PlainLayer[], PlainLayer[]]} sides
 * @param {number[][]} left
 */
function alike(sides, left) {
  const signed = held(left, (side, at) => {
    const { type, reads, writes } = sides[side][at];
    return [JSON.stringify([type, ...[reads, writes].map((each) => each.map(([, dims]) => shape(dims)))])];
  });
  return [...signed.values()].flatMap(([mine, yours]) =>
    mine.length === yours.length
      ? mine.map((at, nth) => /** @type {[number[], number[]]} */ ([[at], [yours[nth]]]))
      : [],
  );
}

/** Without what is stored to a vector; unknown extents are alike. @param {string} dims */
const shape = (dims) => dims.split("×").map((extent) => (extent.startsWith("-") ? "?" : extent.replace(/:.*/, "")));

/**
 * How many samples a run of A and of B is, as `numbers_of_samples` of comparison/result.py; null where the inputs differ
 * in more.
 * @param {number[][] | null} a
 * @param {number[][] | null} b
 * @returns {[number, number] | null}
 */
function samples(a, b) {
  const [mine, yours] = [a, b].map((shapes) =>
    (shapes ?? [])
      .map(([first, ...rest]) => ({ first, rest: String(rest) }))
      .sort((p, q) => (p.rest < q.rest ? -1 : p.rest > q.rest ? 1 : p.first - q.first)),
  );
  if (!a || !b) return [1, 1];
  if (mine.length !== yours.length || mine.some(({ rest }, at) => rest !== yours[at].rest)) return null;
  const pairs = mine.map(({ first }, at) => [first, yours[at].first]).filter(([one, other]) => one !== other);
  const [[one, other] = [1, 1]] = pairs;
  return pairs.every(([p, q]) => p === one && q === other) && one > 0 && other > 0 ? [one, other] : null;
}

/**
 * The layers of both sides by their keys.
 * @template K
 * @param {number[][]} main
 * @param {(side: number, at: number) => Iterable<K>} keysOf
 */
function held(main, keysOf) {
  /** @type {Map<K, [number[], number[]]>} */
  const found = new Map();
  main.forEach((own, side) => {
    for (const at of own)
      for (const key of keysOf(side, at)) {
        const both = found.get(key) ?? [[], []];
        both[side].push(at);
        found.set(key, both);
      }
  });
  return found;
}

/**
 * The group of each layer: a reformat goes with what reads from it, else with what writes to it. -1: none.
 * @param {PlainLayer[]} layers
 * @param {number[][]} groups
 */
function placed(layers, groups) {
  const of = new Array(layers.length).fill(-1);
  groups.forEach((own, group) => {
    for (const at of own) of[at] = group;
  });
  /** @type {Map<string, number>[]} */
  const [readers, writers] = [new Map(), new Map()];
  layers.forEach(({ from, to }, at) => {
    for (const name of from) if (of[at] >= 0 && !readers.has(name)) readers.set(name, of[at]);
    for (const name of to) if (of[at] >= 0) writers.set(name, of[at]);
  });
  return layers.map(({ serves, from, to }, at) => {
    if (!serves) return of[at];
    const near = [...to.map((name) => readers.get(name)), ...from.map((name) => writers.get(name))];
    return near.find((group) => group !== undefined) ?? -1;
  });
}

/** The time of each group; null where that of a layer is not known. @param {PlainLayer[]} layers @param {number[]} groupOf @param {number} count */
function sums(layers, groupOf, count) {
  /** @type {(number | null)[]} */
  const found = new Array(count).fill(0);
  layers.forEach(({ ms }, at) => {
    const group = groupOf[at];
    const before = found[group];
    if (group >= 0 && before !== null) found[group] = ms === null ? null : before + ms;
  });
  return found;
}

/** @param {PlainLayer[]} mine @param {PlainLayer[]} yours @param {keyof PlainLayer} key */
const differ = (mine, yours, key) => {
  const [a, b] = [mine, yours].map((own) => [...new Set(own.map((layer) => layer[key]))].sort().join(", "));
  return a && b && a !== b ? `${a} → ${b}` : "";
};

/**
 * @param {Half} a
 * @param {Half} b
 * @param {Look["pair"]} look
 * @returns {ComparisonData}
 */
export function comparison(a, b, look) {
  /** @type {[PlainLayer[], PlainLayer[]]} */
  const layers = [a.layers, b.layers];
  /** @type {Map<string, number>} */
  const known = new Map();
  /** @param {string} words */
  const string = (words) => {
    if (!known.has(words)) known.set(words, known.size);
    return known.get(words) ?? -1;
  };
  const unknown = Object.entries({ A: a, B: b }).flatMap(([name, { summed }]) => (summed ? [name] : []));
  const untold = unknown.length
    ? `The times of ${unknown.join(" and ")} are sums over an unknown number of runs. `
    : "";
  const timed = a.total !== null && b.total !== null && (a.kind === "estimated") === (b.kind === "estimated");
  const all = paired(layers);
  const main = layers.map((own) => own.filter(({ serves, idle }) => !serves && !idle).length);
  const [found, fewer] = [0, 1]
    .map((side) => [all.reduce((sum, { members }) => sum + members[side].length, 0), main[side]])
    .sort((one, other) => one[1] - other[1])[0];
  const same = 2 * found >= fewer;
  const pairs = same ? all : []; // what two networks have in common by chance is compared by no one
  const groupOf = layers.map((own, side) =>
    placed(
      own,
      pairs.map(({ members }) => members[side]),
    ),
  );
  const took = layers.map((own, side) => sums(own, groupOf[side], pairs.length));
  const [of, ofRun] = [0, 1].map((which) => samples(a.inputs[which], b.inputs[which]));
  const groups = pairs.map(({ confidence, members }, group) => {
    const [mine, yours] = took.map((times) => times[group]);
    const delta = timed && mine !== null && yours !== null ? yours - mine : null;
    const { words, tone } = changed(
      members.map((own, side) => own.map((at) => layers[side][at])),
      look,
    );
    return /** @type {GroupData} */ ([
      mine,
      yours,
      delta,
      delta === null || !of
        ? timed
          ? 2 * look.same + 1
          : tone
        : look.same + steps((mine ?? 0) / of[0], (yours ?? 0) / of[1], look.speeds),
      string(words),
      string(confidence),
      delta !== null && of && mine && yours ? yours / of[1] / (mine / of[0]) : null,
    ]);
  });
  const last = look.tones.length - 1; // the tone of reformats; before it stands that of overhead, then of what is alone
  const sides = [a, b].map((engine, side) => {
    const told = engine.layers.map((layer, at) => {
      const group = groupOf[side][at];
      const place = group >= 0 ? IN_GROUP : layer.idle || layer.serves ? OVERHEAD : ALONE;
      const tone = layer.serves ? last : place === IN_GROUP ? groups[group][3] : last - place; // 1: overhead, 2: alone
      return { group, place, cause: timed ? string(layer.serves ? "reformats" : "") : -1, tone };
    });
    /** @param {"name" | "title" | "part" | "type" | "precision" | "formats"} key */
    const column = (key) => engine.layers.map((layer) => string(layer[key]));
    return {
      engine: engine.name,
      words: [count(engine.layers.length, "layer"), milliseconds(engine.total)].filter(Boolean).join(" · "),
      total: engine.total,
      scale: 1,
      name: column("name"),
      title: column("title"),
      part: column("part"),
      type: column("type"),
      precision: column("precision"),
      formats: column("formats"),
      kernel: engine.layers.map(({ kernel }) => (kernel ? string(kernel) : -1)),
      tf32: [],
      ms: engine.layers.map(({ ms }) => ms),
      group: told.map(({ group }) => group),
      place: told.map(({ place }) => place),
      reformat: engine.layers.map(({ serves }) => Number(serves)),
      tone: told.map(({ tone }) => tone),
      cause: told.map(({ cause }) => cause),
    };
  });
  const another = same
    ? ""
    : `B seems to be another network than A: ${found} of ${count(fewer, "layer")} do the same. `;
  const gpu = same && a.gpu && b.gpu ? [a.gpu, b.gpu] : null;
  const other = of ? "" : "They ran on inputs of other shapes: there is no ratio. ";
  const estimated = a.kind === "estimated";
  return {
    title: `B, ${b.name}, against A, ${a.name}`,
    b: b.name,
    called: "B",
    headline: headline(timed && same ? [a.total ?? 0, b.total ?? 0] : null, gpu, estimated, look, [of, ofRun]),
    first: `${another}${untold}${other}The layers were paired by this page: elv compare A B -f html tells the causes.`,
    timed,
    per_sample: Boolean(of && of[0] !== of[1]),
    delta: "",
    estimated,
    waterfall: [],
    totals: [
      ["sum of the layers", ...row([a.total, b.total], timed)],
      ...(gpu ? [["GPU compute time, median", ...row(gpu.map(([median]) => median))]] : []),
      ["layers", String(a.layers.length), String(b.layers.length), ""],
    ],
    builds: [
      ["TensorRT", a.tensorrt ?? "–", b.tensorrt ?? "–"],
      ["device", a.device ?? "–", b.device ?? "–"],
      ["times", a.kind || "–", b.kind || "–"],
    ].filter(([, one, other]) => one !== other),
    sides: /** @type {ComparisonData["sides"]} */ (/** @type {unknown} */ (sides)),
    tf32: -1,
    groups,
    strings: [...known.keys()],
  };
}

/** Of A, of B, and how much longer B takes. @param {(number | null)[]} took @param {boolean} [timed] */
const row = ([a, b], timed = true) => [
  milliseconds(a) || "–",
  milliseconds(b) || "–",
  timed ? signed((b ?? 0) - (a ?? 0)) : "",
];

/**
 * As `headline` of comparison/sentences.py: of the GPU compute time, unless measured times of the layers say the same.
 * @param {number[] | null} layers
 * @param {[median: number, mean: number | null][] | null} gpu
 * @param {boolean} estimated
 * @param {Look["pair"]} look
 * @param {([number, number] | null)[]} samples of a run of the layers, and of what trtexec ran
 * @returns {[string, string]}
 */
function headline(layers, gpu, estimated, { vary }, [ofLayers, ofRun]) {
  const run = gpu?.map(([median]) => median);
  const noise = Math.max(...(gpu ?? []).map(([median, mean]) => Math.abs((mean ?? median) - median) / median), vary[0]);
  const alike = (/** @type {number[]} */ [a, b], /** @type {number} */ within) =>
    Math.abs(b - a) <= within * Math.max(a, b);
  const known = Math.min(noise, MOST);
  const agree =
    layers &&
    run &&
    !estimated &&
    Math.abs((layers[0] / layers[1]) * run[1] - run[0]) <= ALIKE * run[0] &&
    alike(run, vary[0]) === alike(run, known);
  const took = run && !agree ? run : layers;
  const of = took === run ? ofRun : ofLayers;
  if (!took?.every(Boolean) || !of) return ["", ""];
  const guessed = estimated && took === layers;
  const [a, b] = took.map((ms, side) => ms / of[side]);
  const same = alike([a, b], took === run ? known : vary[Number(guessed)]);
  const ratio = same ? "is as fast as A" : `is ${guessed ? "≈ " : ""}${speed(b / a)}`;
  const what = took === run ? "GPU compute time, median" : "sum of the layers";
  const told = `${what}${guessed ? ", as the builder estimates" : ""}: ${took.map(milliseconds).join(" → ")}`;
  return [ratio + (of[0] === of[1] ? "" : " per sample"), told];
}

/**
 * What differs between the layers of a group: in words, and its tone without times.
 * @param {PlainLayer[][]} members
 * @param {Look["pair"]} look
 */
function changed([mine, yours], look) {
  /** @type {Record<string, string>} */
  const found = {
    fusion: mine.length === yours.length ? "" : `${mine.length} → ${yours.length} layers`,
    precision: differ(mine, yours, "precision"),
    kernel: differ(mine, yours, "kernel") && look.changes.kernel,
    format: differ(mine, yours, "formats") && look.changes.format,
  };
  const first = Object.keys(look.changes).findIndex((change) => found[change]);
  const words = Object.values(found).filter(Boolean).join("; ");
  return { words, tone: first < 0 ? look.same : 2 * look.same + 2 + first };
}

/**
 * How many steps of the scale B is faster; less than 0: slower.
 * @param {number} a
 * @param {number} b
 * @param {number[]} speeds
 */
function steps(a, b, speeds) {
  const [low, high] = [Math.min(a, b), Math.max(a, b)];
  const found = high ? speeds.filter((speed) => high >= low * speed).length : 0;
  return a > b ? found : -found;
}
