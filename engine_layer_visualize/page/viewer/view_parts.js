// @ts-check
// The app -> the parts of its view that the address holds, in an order in which they can be set. A part that is as
// at first is null, and left out; `apply` gives whether there is such a value.

import * as dom from "./dom.js";
import { equal, opened } from "./levels.js";
import { ranged, ranges } from "./ranges.js";

/** @import { App } from "./app.js" */
/** @import { Engine, Head, Mode, Part } from "./types.d.ts" */

const LONGEST = 2000; // characters of a query or of folded groups; a longer one is left out

/** @param {string | null} value */
const number = (value) => (/^\d{1,9}$/.test(value ?? "") ? Number(value) : -1);

/**
 * Which engine is open.
 * @param {App} app
 * @param {Head[]} heads
 * @param {(place: number) => void} open
 * @returns {Part}
 */
const engine = (app, heads, open) => ({
  key: "engine",
  read: () => String(app.engine.head.index),
  apply(value) {
    const place = heads.findIndex(({ index }) => index === number(value));
    if (place < 0 && !app.engine) open(0);
    else if (place >= 0 && app.engine?.head !== heads[place]) open(place);
    return value === null || place >= 0;
  },
});

/** @param {App} app @returns {Part} */
const profile = (app) => ({
  key: "profile",
  read: () => (app.engine.shown === app.engine.times.shown ? null : String(app.engine.now.number)),
  apply(value) {
    const { profiles, shown } = app.engine.times;
    const at = value === null ? shown : profiles.findIndex((one) => String(one.number) === value);
    if (at >= 0) app.profile(at);
    return at >= 0;
  },
});

/** The groups that are folded. @param {App} app @returns {Part} */
const blocks = (app) => ({
  key: "blocks",
  read() {
    const { engine, collapsed, folded, selected } = app;
    const mark = selected !== null && folded.marks.get(folded.of[selected])?.includes(selected);
    const hidden = selected !== null && !mark && folded.node[folded.of[selected]] !== selected; // a link would unfold it
    if (!hidden && equal(collapsed, opened(engine))) return null;
    const list = ranges([...collapsed].sort((a, b) => a - b));
    return list.length > LONGEST ? null : list;
  },
  apply(value) {
    const { groups } = app.engine;
    const list = value ? ranged(value, groups.length) : [];
    if (list) app.levels.collapse(value === null ? opened(app.engine) : new Set(list));
    return Boolean(list);
  },
});

/** Folds what the parts before it have unfolded to show what is selected. @param {App} app @returns {Part} */
const folds = (app) => {
  const part = blocks(app);
  return { ...part, apply: (value) => value === null || part.apply(value) || true };
};

/** @param {App} app @returns {Part} */
const color = (app) => ({
  key: "color",
  read: () => (app.mode === app.firstMode ? null : app.mode),
  apply(value) {
    const modes = [...dom.find("color", HTMLSelectElement).options].map((option) => option.value);
    const mode = value ?? app.firstMode;
    if (modes.includes(mode)) app.colorBy(/** @type {Mode} */ (mode));
    return modes.includes(mode);
  },
});

/** @param {App} app @returns {Part} */
const pane = (app) => ({
  key: "pane",
  read: () => app.panes.open,
  apply(value) {
    const there = value === null || app.panes.ids.includes(value);
    if (there) app.panes.show(value);
    return there;
  },
});

/** What the table is sorted by. @param {{ table: { sorting: string | null; sort(sorting: string | null): boolean } }} app @returns {Part} */
export const sort = ({ table }) => ({
  key: "sort",
  read: () => table.sorting,
  apply: (value) => table.sort(value),
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
    const one = app.engine.found.profiles[app.engine.shown]?.find(({ rule }) => rule.code === value) ?? null;
    if (value === null || one) app.showFinding(one);
    return value === null || one !== null;
  },
});

/** @param {{ search: import("./search_field.js").SearchField }} app @returns {Part} */
export const query = ({ search }) => ({
  key: "q",
  read: () => (search.query && search.query.length <= LONGEST ? search.query : null),
  apply(value) {
    search.set(value ?? "");
    return !search.problem;
  },
});

/**
 * What is selected, of these nodes, as a number from 0.
 * @param {string} key
 * @param {(engine: Engine) => [first: number, end: number]} among
 * @returns {(app: App) => Part}
 */
const selected = (key, among) => (app) => ({
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
    return there;
  },
});

const layer = selected("layer", (engine) => [0, engine.count]);
/** An input, an output or a loose tensor. */
const end = selected("end", (engine) => [engine.count, engine.nodes]);
/** A box inside of a ForeignNode. */
const inside = selected("inside", (engine) => [engine.nodes, engine.all]);

/** What is lit: all above a layer, several layers. @param {App} app @returns {Part} */
const lit = (app) => ({
  key: "lit",
  read: () => app.lens?.link ?? null,
  apply(value) {
    const there = value !== null && app.lenses.restore(value);
    if (!there && app.lens) app.light(null);
    return there || value === null;
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
      return value === null || edge >= 0;
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
    if (value === "all") cam.all(true);
    if (value === "all") return true;
    if (value === null) {
      drawing.first();
      if (selected !== null) drawing.show(selected);
      else if ((finding || lens) && hits) drawing.showAll(hits);
      return true;
    }
    const there = Number(node) < app.engine.all && Number(scale) > 0;
    if (there) drawing.moveTo(Number(node), Number(x), Number(y), Number(scale));
    return there;
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
  ...[profile, blocks, color, pane, sort, finding, query, lit, layer, end, inside, tensor, folds, place].map((part) =>
    part(app),
  ),
];
