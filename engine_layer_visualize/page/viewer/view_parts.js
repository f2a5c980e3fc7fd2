// @ts-check
// The app -> the parts of its view that the address holds, in an order in which they can be set. A part that is as
// at first is null, and left out.

import * as dom from "./dom.js";
import * as levels from "./levels.js";
import { count } from "./numbers.js";
import { ranged, ranges } from "./ranges.js";
import { WAYS } from "./time_tree.js";

/** @import { App } from "./app.js" */
/** @import { Engine, Head, Part } from "./types.d.ts" */

const LONGEST = 2000; // characters of a query or of folded groups; a longer one is left out

/** @param {string} value */
export const quoted = (value) => `“${value.slice(0, 60)}”`;

/** @param {string} value */
const number = (value) => (/^\d{1,9}$/.test(value) ? Number(value) : -1);

/** What is in one of both. @type {(a: Set<number>, b: Set<number>) => Set<number>} */
const differing = (a, b) => new Set([...a, ...b].filter((n) => a.has(n) !== b.has(n)));

/**
 * Which engine is open.
 * @param {App} app
 * @param {Head[]} heads
 * @param {(place: number) => void} open
 * @returns {Part}
 */
function engine(app, heads, open) {
  const held = heads.map((head) => head.index);
  const words = held.length > 1 ? `engines ${held.slice(0, -1).join(", ")} and ${held.at(-1)}` : `engine ${held[0]}`;
  return {
    key: "engine",
    read: () => String(app.engine.head.index),
    apply(value) {
      const place = value === null ? -1 : held.indexOf(number(value));
      if (place < 0 && !app.engine) open(0);
      else if (place >= 0 && app.engine?.head !== heads[place]) open(place);
      return value !== null && place < 0 ? `The link names engine ${quoted(value)}; this page holds ${words}.` : null;
    },
  };
}

/** @param {App} app @returns {Part} */
const profile = (app) => ({
  key: "profile",
  read: () => (app.engine.shown === app.engine.times.shown ? null : String(app.engine.now.number)),
  apply(value) {
    const { profiles, shown } = app.engine.times;
    const at = value === null ? shown : profiles.findIndex((one) => String(one.number) === value);
    if (at < 0) return `The link names optimisation profile ${quoted(value ?? "")}, which this engine does not have.`;
    app.profile(at);
    return null;
  },
});

/**
 * The level whose boxes are drawn, or the one that is nearest and the groups in which the drawing differs from it.
 * @param {App} app
 * @returns {Part}
 */
const blocks = (app) => ({
  key: "blocks",
  read() {
    const { engine, collapsed, folded, selected } = app;
    const last = levels.lowest(engine);
    const mark = selected !== null && folded.marks.get(folded.of[selected])?.includes(selected);
    const hidden = selected !== null && !mark && folded.node[folded.of[selected]] !== selected; // a link would unfold it
    const all = Array.from({ length: last + 1 }, (_, level) => {
      const at = levels.collapsedAt(engine, level);
      return { level, others: [...differing(at, collapsed)].sort((a, b) => a - b) };
    });
    const { level, others } = all.reduce((best, each) => (each.others.length < best.others.length ? each : best));
    if (!hidden && levels.equal(collapsed, levels.opened(engine))) return null;
    const name = level === last ? "all" : String(level + 1);
    const more = others.length ? `~${ranges(others)}` : "";
    return name + (more.length > LONGEST ? "" : more);
  },
  apply(value) {
    const { engine } = app;
    const last = levels.lowest(engine);
    const [name, others] = (value ?? "").split("~", 2);
    if (value === null) {
      app.levels.collapse(levels.opened(engine));
      return null;
    }
    const level = name === "all" ? last : number(name) - 1;
    const list = others === undefined ? [] : ranged(others, engine.groups.length);
    if (level < 0 || level > last || !list)
      return `The link folds blocks to ${quoted(value ?? "")}; this engine has ${count(last + 1, "level")} and ${count(engine.groups.length, "group")}.`;
    app.levels.collapse(differing(levels.collapsedAt(engine, level), new Set(list)));
    return null;
  },
});

/** Folds what the parts before it have unfolded to show what is selected. @param {App} app @returns {Part} */
const folds = (app) => {
  const part = blocks(app);
  return {
    ...part,
    apply(value) {
      if (value !== null) part.apply(value);
      return null;
    },
  };
};

/** Whether layers without a kernel are boxes, where they are marks at first. @param {App} app @returns {Part} */
const idle = (app) => ({
  key: "idle",
  read: () => (app.engine.boxed ? "boxes" : null),
  apply(value) {
    app.levels.box(value === "boxes");
    return value === null || value === "boxes" ? null : `The link names ${quoted(value)} of layers without a kernel.`;
  },
});

/** @param {App} app @returns {Part} */
const color = (app) => ({
  key: "color",
  read: () => (app.mode === app.firstMode ? null : app.mode),
  apply(value) {
    const modes = [...dom.find("color", HTMLSelectElement).options].map((option) => option.value);
    const mode = value ?? app.firstMode;
    if (!modes.includes(mode)) return `The link names the colour ${quoted(mode)}; this engine has ${modes.join(", ")}.`;
    app.colorBy(/** @type {import("./types.d.ts").Mode} */ (mode));
    return null;
  },
});

/** What the rows of the times go by. @param {App} app @returns {Part} */
const time = (app) => ({
  key: "time",
  read: () => (app.panes.open === "time" && app.time.way !== WAYS[0][0] ? app.time.way : null),
  apply(value) {
    const ways = WAYS.map(([way]) => way);
    const there = value === null || ways.includes(value);
    if (there) app.time.choose(value ?? ways[0]);
    return there ? null : `The link shows times by ${quoted(value)}; there is ${ways.join(", ")}.`;
  },
});

/** @param {App} app @returns {Part} */
const pane = (app) => ({
  key: "pane",
  read: () => app.panes.open,
  apply(value) {
    if (value !== null && !app.panes.ids.includes(value))
      return `The link names the view ${quoted(value)}; there is ${app.panes.ids.join(", ")}.`;
    app.panes.show(value);
    return null;
  },
});

/** What the table is sorted by. @param {{ table: { sorting: string | null; sort(sorting: string | null): boolean } }} app @returns {Part} */
export const sort = ({ table }) => ({
  key: "sort",
  read: () => table.sorting,
  apply: (value) =>
    table.sort(value) ? null : `The link sorts the table by ${quoted(value ?? "")}, which is no column of it.`,
});

/**
 * The finding that the panel tells of, by its code: an engine has one of each.
 * @param {App} app
 * @returns {Part}
 */
const finding = (app) => ({
  key: "finding",
  read: () => app.finding?.rule.code ?? null,
  apply(value) {
    const [code] = (value ?? "").split(".", 1); // older links number the findings of a rule: F02.3
    const one = app.engine.found.profiles[app.engine.shown]?.find(({ rule }) => rule.code === code) ?? null;
    if (value !== null && !one) return `The link names the finding ${quoted(value)}, which this engine does not have.`;
    app.showFinding(one);
    return null;
  },
});

/** @param {{ search: import("./search_field.js").SearchField }} app @returns {Part} */
export const query = ({ search }) => ({
  key: "q",
  read: () => (search.query && search.query.length <= LONGEST ? search.query : null),
  apply(value) {
    search.set(value ?? "");
    return search.problem && `The link's search cannot be read. ${search.problem}`;
  },
});

/**
 * What is selected, of these nodes, as a number from 0.
 * @param {string} key
 * @param {string} words one of them
 * @param {(engine: Engine) => [first: number, end: number]} among
 * @returns {(app: App) => Part}
 */
const selected = (key, words, among) => (app) => ({
  key,
  read() {
    const [first, end] = among(app.engine);
    return app.selected !== null && app.selected >= first && app.selected < end ? String(app.selected - first) : null;
  },
  apply(value) {
    const [first, end] = among(app.engine);
    const node = value === null ? null : number(value) + first;
    const there = node === null || (node >= first && node < end);
    if (there) app.select(node);
    return there
      ? null
      : `The link names ${key} ${quoted(value ?? "")}; this engine has ${count(end - first, words)}, from 0.`;
  },
});

const layer = selected("layer", "layer", (engine) => [0, engine.count]);
/** An input, an output or a loose tensor. */
const end = selected("end", "end", (engine) => [engine.count, engine.nodes]);
/** A box inside of a ForeignNode. */
const inside = selected("inside", "part", (engine) => [engine.nodes, engine.all]);

/**
 * What is lit: all above a layer, a path, a trace.
 * @param {App} app
 * @returns {Part}
 */
const lit = (app) => ({
  key: "lit",
  read: () => app.lens?.link ?? null,
  apply(value) {
    if (value === null) app.light(null);
    if (value === null || app.lenses.restore(value)) return null;
    if (app.lens) app.light(null);
    return `The link lights ${quoted(value)}, which this engine does not have.`;
  },
});

/** A tensor, by its name. @param {App} app @returns {Part} */
const tensor = (app) => {
  /** @param {number} edge */
  const name = (edge) => app.engine.text(app.engine.tensors.name[app.engine.edges.tensor[edge]]);
  return {
    key: "tensor",
    read: () => (app.tensor === null ? null : name(app.tensor)),
    apply(value) {
      const edge = value === null ? -1 : app.engine.edges.tensor.findIndex((_, at) => name(at) === value);
      if (edge >= 0) app.selectTensor(edge);
      else if (value === null) app.select(null);
      return value === null || edge >= 0
        ? null
        : `The link names the tensor ${quoted(value)}, which is between no two layers.`;
    },
  };
};

/**
 * The selected node, else that nearest to the window's middle, how far its box is from the window's corner, and the
 * scale: windows of other sizes have other columns. It is left out where the window shows the whole drawing, as at first.
 * @param {App} app
 * @returns {Part}
 */
const place = (app) => ({
  key: "at",
  quiet: true,
  read: () => app.drawing.where,
  apply(value) {
    const { drawing, cam, selected, hits, finding, lens } = app;
    app.size(); // what the other parts show may take room
    cam.stop();
    const [, node, x, y, scale] = /^(\d{1,9}),(-?\d{1,7}),(-?\d{1,7}),(\d{1,3}(?:\.\d{1,4})?)$/.exec(value ?? "") ?? [];
    if (value === null) {
      drawing.first();
      if (selected !== null) drawing.show(selected);
      else if ((finding || lens) && hits) drawing.showAll(hits);
      return null;
    }
    if (value === "all") cam.all(true);
    if (value === "all") return null;
    if (node === undefined || Number(node) >= app.engine.all || !Number(scale))
      return `The link names the place ${quoted(value)}, which the drawing does not have.`;
    drawing.moveTo(Number(node), Number(x), Number(y), Number(scale));
    return null;
  },
});

/**
 * @param {App} app
 * @param {Head[]} heads
 * @param {(place: number) => void} open opens the engine at this place
 * @returns {Part[]}
 */
export const partsOf = (app, heads, open) => [
  engine(app, heads, open),
  ...[
    profile,
    idle,
    blocks,
    color,
    time,
    pane,
    sort,
    finding,
    query,
    lit,
    layer,
    end,
    inside,
    tensor,
    folds,
    place,
  ].map((part) => part(app)),
];
