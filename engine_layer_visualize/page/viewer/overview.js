// @ts-check
// An engine -> what the panel shows while no layer is selected: totals, time by type and by precision, slowest
// layers, findings, problems. Sums and shares come from the data, where they are added up.

import * as dom from "./dom.js";
import { el } from "./dom.js";
import * as findings from "./findings.js";
import { collapsedAt, lowest } from "./levels.js";
import * as numbers from "./numbers.js";
import { link, list, row, rows, section } from "./parts.js";
import { hasRoofline } from "./roofline_axes.js";

/** @import { App } from "./app.js" */
/** @import { Color, Engine, Text, TimeRow } from "./types.d.ts" */

const BARS = 8; // that stand open

/**
 * One row as a bar of this length, from 0 to 1.
 * @param {App} app
 * @param {TimeRow} row
 * @param {number} length
 * @param {(key: Text) => string} label
 * @param {(key: Text) => Color} color
 * @param {(key: Text) => void} pick
 */
function bar({ engine }, row, length, label, color, pick) {
  const [key, layers, count, ms, share, idle] = row;
  const timed = engine.now.ms !== null || engine.summed;
  const name = label(key);
  const untimed = idle === layers ? "runs no kernel" : "not timed";
  const time = share === null ? untimed : took(ms, share);
  const style = { width: `${100 * length}%`, background: color(key) };
  const inside = [
    el("span", { class: "label", dir: "ltr" }, name),
    el("span", { class: "value" }, timed ? time : numbers.count(layers, "layer")),
    el("span", { class: "track", "aria-hidden": "true" }, el("i", { style })),
  ];
  const title = [
    `${name}: ${numbers.count(layers, "layer")}`,
    timed && `${count} timed`,
    ms !== null && numbers.milliseconds(ms),
  ];
  return el("li", {}, dom.button({ title: title.filter(Boolean).join(", "), on: { click: () => pick(key) } }, inside));
}

/**
 * Rows of [text, layers, timed, ms, share, without a kernel], the largest first; without times, by number.
 * @param {App} app
 * @param {TimeRow[]} all
 * @param {(key: Text) => string} label
 * @param {(key: Text) => Color} color
 * @param {(key: Text) => void} pick
 */
function bars(app, all, label, color, pick) {
  const { engine } = app;
  const timed = engine.now.ms !== null || engine.summed;
  /** @param {TimeRow} row */
  const size = (row) => (timed ? row[4] || 0 : row[1]);
  const most = Math.max(...all.map(size), 1e-12);
  return list({ class: "bars" }, all, (row) => bar(app, row, size(row) / most, label, color, pick), BARS);
}

/** @param {Engine} engine */
function noTimes(engine) {
  if (engine.profile) return section("No times", el("p", {}, "The profile matched no layer."));
  const { profiling } = engine.head;
  return section(
    "No times",
    el("p", {}, "The log holds no profile. Measure the engine, then draw again with the profile:"),
    profiling && el("pre", {}, `trtexec --loadEngine=model.engine \\\n  ${profiling}`),
    el("pre", {}, "elv --format html \\\n  --log_file build.log --profile_file prof.json"),
  );
}

/** @param {App} app */
function slowest(app) {
  const { engine } = app;
  const { now, times } = engine;
  /** @param {number} n */
  const item = (n) => {
    const module = el("bdi", { dir: "ltr" }, engine.text(engine.layers.subtitle[n]));
    const what = el("span", { class: "what" }, link(app, n), el("span", { class: "module" }, module));
    return el("li", {}, what, el("span", { class: "value" }, took(engine.layers.ms[n], engine.share(n))));
  };
  return section(
    now.ranked ? "Slowest layers" : "Timed layers, the longest first",
    now.ranked ? null : dom.muted("Too little is timed to call one the slowest."),
    el("ol", { class: "ranking" }, now.ranking.map(item)),
    times.unstable.map((words) => el("p", { class: "small" }, dom.unbroken(`trtexec warns: ${engine.text(words)}`))),
  );
}

/** @param {App} app */
function notes(app) {
  const { engine } = app;
  const found = engine.problems.map(([severity, code, message, place]) =>
    el("li", { class: severity }, dom.sentence(`${severity} ${code}, ${place}: ${message}`)),
  );
  const rows = engine.unmatched;
  const loose = rows.map((row) => el("li", { dir: "ltr" }, row));
  /** @param {HTMLElement[]} items */
  const plain = (items) => list({ class: "plain" }, items, (one) => one);
  return [
    section(`Problems (${found.length})`, plain(found)),
    section(`Rows of the profile without a layer (${rows.length})`, plain(loose)),
  ];
}

/** @param {App} app */
function facts({ engine, scene }) {
  const { lines } = scene;
  const { head, now, times } = engine;
  const several = times.profiles.length > 1;
  return rows(
    row("layers", numbers.grouped(now.layers)),
    row(several ? "all edges" : "edges", numbers.grouped(head.edges)),
    lines.cut
      ? row("lines", `${numbers.grouped(lines.all)} between boxes, ${numbers.grouped(lines.cut)} of them as flags`)
      : null,
    head.tensorrt ? row("TensorRT", head.tensorrt) : null,
    row("log", `${head.file}, lines ${head.lines[0]} to ${head.lines[1]}`),
    engine.profile ? row("profile", engine.profile) : null,
  );
}

/** @param {App} app */
function collapsed(app) {
  const { engine } = app;
  if (![...app.collapsed].some((group) => engine.groups[group].owner === undefined)) return null;
  const unfold = () => app.levels.collapse(collapsedAt(engine, lowest(engine)));
  const words = `Blocks are folded: ${numbers.grouped(app.folded.size)} boxes stand for all layers. `;
  return el("p", { class: "small" }, words, dom.button({ class: "plain", on: { click: unfold } }, "Unfold"));
}

/**
 * Time, else layers, by type and by precision.
 * @param {App} app
 */
function shares(app) {
  const { engine, colors, scene } = app;
  const { now } = engine;
  const timed = now.ms !== null || engine.summed;
  const of = now.of && timed ? `, ${now.of}` : "";
  const by = !timed ? "Layers" : engine.head.estimated ? "Estimated time" : "Time";
  /** @param {Text} key */
  const typed = (key) =>
    app.mode === "type" ? (scene.types.of.get(engine.text(key)) ?? colors.marks.reformat[1]) : colors.hot;
  /** @param {Text} key */
  const precise = (key) => colors.precisions[engine.layers.precision[engine.layers.dtype.indexOf(key)]][1];
  const type = (/** @type {Text} */ key) => engine.text(key) || "(no type)";
  return [
    section(
      `${by} by layer type${of}`,
      bars(app, now.types, type, typed, (key) => searchFor(app, "type", key)),
    ),
    section(
      `${by} by precision${of}`,
      bars(app, now.precisions, engine.text, precise, (key) => searchFor(app, "prec", key)),
    ),
  ];
}

/**
 * Searches for the layers of one type or precision, and shows the table.
 * @param {App} app
 * @param {"type" | "prec"} field
 * @param {Text} value
 */
function searchFor(app, field, value) {
  app.panes.show("table");
  app.search.set(`${field}:"${app.engine.text(value).replaceAll('"', '""')}"`);
}

/** Number, time and share of all reformats; a click lights them. @param {App} app */
const reformats = ({ engine: { now }, search }) =>
  dom.button({ class: "plain", on: { click: () => search.set("type:reformat") } }, now.reformats);

/** What the roofline shows, where there is one. @param {App} app */
function roofline({ engine, panes }) {
  if (!hasRoofline(engine)) return null;
  const click = () => panes.show("roofline");
  return section(
    "Roofline",
    dom.muted(dom.unbroken(`${engine.rooflines[engine.shown].shown}.`)),
    dom.button({ title: "FLOP per second over FLOP per byte (r)", on: { click } }, "Show the roofline"),
  );
}

/**
 * `1.23 ms  4.5 %`; of sums over an unknown number of runs the share alone.
 * @param {number | null} ms
 * @param {number | null} share
 */
const took = (ms, share) => (ms === null ? "" : `${numbers.milliseconds(ms)}  `) + numbers.percent(share);

/** @param {App} app */
export function page(app) {
  const { engine } = app;
  const { head } = engine;
  const { now, times } = engine;
  const gain = findings.gain(engine);
  const one = `${times.profiles.length} optimisation profiles, of which one runs: this is profile ${now.number}, ${numbers.count(now.layers, "layer")} of ${numbers.grouped(engine.count)}.`;
  const how = head.estimated ? "the builder's estimates: nothing was measured" : now.ms === null ? "" : now.kind;
  return [
    el("h2", { class: "total" }, now.total || numbers.count(now.layers, "layer")),
    now.inference ? el("p", {}, dom.unbroken(`${dom.capital(now.inference)}.`)) : null,
    gain ? el("p", { class: "gain", title: "No layer is in two findings" }, dom.unbroken(gain)) : null,
    dom.muted(dom.capital([head.device, how].filter(Boolean).join("  ·  "))),
    now.coverage ? el("p", { class: "small" }, dom.unbroken(`${now.coverage}.`)) : null,
    now.reformats === "none" ? null : el("p", {}, reformats(app)),
    times.profiles.length > 1 && el("p", { class: "small" }, one),
    collapsed(app),
    engine.timed ? null : noTimes(engine),
    findings.ofEngine(app),
    now.ranking.length ? slowest(app) : null,
    ...shares(app),
    section("Engine", facts(app)),
    ...notes(app),
    roofline(app),
  ];
}
