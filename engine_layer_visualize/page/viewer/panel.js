// @ts-check
// The selected node -> what the panel shows: everything that is known about a layer or an endpoint.

import { actions } from "./copying.js";
import * as dom from "./dom.js";
import { el } from "./dom.js";
import * as findings from "./findings.js";
import * as hierarchy from "./hierarchy.js";
import * as inside from "./inside.js";
import * as numbers from "./numbers.js";
import * as overview from "./overview.js";
import { close, fact, limits, list, long, pairs, row, rows, section } from "./parts.js";
import * as tensors from "./tensors.js";
import { sides, tensorItem } from "./tensors.js";
import { FONTS, tail } from "./text.js";

/** @import { App } from "./app.js" */
/** @import { Engine, Text } from "./types.d.ts" */

/**
 * @param {Engine} engine
 * @param {number} node
 */
function times(engine, node) {
  const { fields, layers, words } = engine;
  const [ms, time, total] = [layers.ms[node], words("ms", node), words("total", node)];
  if (!time && !total) {
    const why = layers.idle.has(node) ? "it runs no kernel" : engine.times.missing;
    const explained = layers.missing.has(node) || (engine.timed && layers.idle.has(node));
    return explained ? section("Time", dom.muted(why)) : null;
  }
  const exact = time === `${ms} ms` ? time : `${time}  (${ms} ms)`;
  return section(
    "Time",
    rows(
      time ? row(engine.now.label, exact) : null,
      row(fields.share.label, [words("share", node), shareOf(engine, node)].filter(Boolean).join(" ")),
      fact(engine, "median", node),
      layers.unsteady.has(node) ? row("unsteady", engine.times.unsteady) : null,
      time ? fact(engine, "total", node) : row(fields.total.label, `${total} in ${engine.times.sum}`),
    ),
  );
}

/**
 * What a layer's share is of, where that is not all.
 * @param {Engine} engine
 * @param {number} node
 */
function shareOf(engine, node) {
  const { profiles } = engine.times;
  const own = profiles[engine.layers.profile[node]];
  return [own.of, profiles.length > 1 ? `of optimisation profile ${own.number}` : ""].filter(Boolean).join(", ");
}

/**
 * @param {Engine} engine
 * @param {Text[] | undefined} flat
 * @param {string} title
 * @param {string[]} [above] keys of what is told above
 */
function told({ text }, flat, title, above = []) {
  const found = pairs(text, flat).filter(([key]) => !above.includes(key));
  return section(title, rows(...found.map(([key, value]) => row(key, parts(value)))));
}

/**
 * The entries of a list or an object as texts.
 * @param {object} value
 * @returns {string[]}
 */
function entriesOf(value) {
  if (Array.isArray(value)) return value.map(flat);
  return Object.entries(value).map(([key, inside]) => `${key.replaceAll("_", " ")} ${flat(inside)}`);
}

/** @param {unknown} value */
const flat = (value) => (value !== null && typeof value === "object" ? entriesOf(value).join(", ") : String(value));

/**
 * Values with an inside, an entry for each part.
 * @param {string} text
 */
function parts(text) {
  if (!/^[[{]/.test(text)) return long(text);
  let value;
  try {
    value = JSON.parse(text);
  } catch {
    return long(text);
  }
  const entries = entriesOf(value);
  return list({}, entries, (entry) => el("li", {}, long(entry)));
}

/**
 * The line of the log, and the blocks that the layer is in.
 * @param {App} app
 * @param {number} node
 */
function where(app, node) {
  const { engine } = app;
  const { file } = engine.head;
  /** @param {"line" | "also"} name */
  const words = (name) => `${file}:${engine.words(name, node)}`;
  return section(
    "Where",
    rows(
      row(engine.fields.line.label, words("line")),
      engine.layers.also.has(node) ? row(engine.fields.also.label, words("also")) : null,
      ...hierarchy.groupsAround(app, node),
    ),
  );
}

/**
 * @param {Engine} engine
 * @param {number} node
 */
function onnxNodes({ fields, layers, text }, node) {
  const onnx = layers.onnx.get(node) || [];
  const items = list({ class: "plain" }, onnx, (name) => el("li", { dir: "ltr" }, text(name)));
  return section(`${dom.capital(fields.onnx.label)} (${onnx.length})`, items);
}

/**
 * What a layer computes in, and from what that is known.
 * @param {Engine} engine
 * @param {number} node
 */
function precision({ fields, layers, words }, node) {
  return layers.source.has(node) ? row(fields.dtype.label, `${words("dtype", node)}, ${words("source", node)}`) : null;
}

/**
 * @param {App} app
 * @param {number} node
 */
function layer(app, node) {
  const { engine } = app;
  const { fields, layers, text, head, words } = engine;
  /**
   * @param {number} n
   * @param {string} title
   */
  const number = (n, title) =>
    dom.button(
      { disabled: n < 0 || n >= engine.count, title, "aria-label": title, on: { click: () => app.select(n) } },
      n < node ? "‹" : "›",
    );
  const beside = [number(node - 1, "Previous layer (p)"), number(node + 1, "Next layer (n)")];
  const cost = [words("type", node), numbers.about(head, layers.ms[node]), words("share", node)];
  const memory = layers.holds.has(node) ? text(layers.holds.get(node)) : engine.memory;
  return [
    el("div", { class: "top" }, dom.muted(`Layer ${node}`), beside, close(app)),
    el("h2", {}, engine.headline(node)),
    el("p", { class: "cost" }, cost.filter(Boolean).join("  ·  ")),
    ...limits(engine, node).map((words) => el("p", {}, dom.unbroken(dom.capital(words)))),
    el("p", { class: "whole", dir: "ltr" }, long(engine.name(node) || "(no name)")),
    section(
      "Record that could not be read",
      layers.raw.has(node) && el("p", { class: "whole", dir: "ltr" }, long(text(layers.raw.get(node)))),
    ),
    findings.ofLayer(app, node),
    actions(engine, node),
    app.lenses.controls(),
    times(engine, node),
    where(app, node),
    section(
      dom.capital(fields.reason.label),
      layers.reason.has(node) && el("p", {}, dom.sentence(words("reason", node))),
    ),
    hierarchy.inside(app, node),
    section("Kernel", rows(precision(engine, node), fact(engine, "kernel", node), fact(engine, "tactic", node))),
    ...sides(app, node),
    section(
      dom.capital(fields.bytes.label),
      layers.bytes[node] !== null && el("p", {}, dom.unbroken(`${words("bytes", node)}: ${memory}`)),
    ),
    onnxNodes(engine, node),
    told(engine, layers.facts.get(node), "From the build", [fields.best.label, fields.macs.label]),
    told(engine, engine.records[layers.attributes.get(node) ?? -1], dom.capital(fields.attributes.label)),
  ];
}

/**
 * @param {App} app
 * @param {number} node
 */
function port(app, node) {
  const { engine } = app;
  const at = engine.port(node);
  const entry = engine.ports.entry[at];
  const words = engine.text(engine.ports.words[at]);
  const tensor = engine.ports.tensor[at];
  const own = entry ? engine.out(node) : engine.into(node);
  const others = Array.from(own, (edge) => (entry ? engine.edges.to : engine.edges.from)[edge]);
  const item = () => tensorItem(app, tensor, others, entry ? "read by" : "written by", own[0] ?? null);
  return [
    el("div", { class: "top" }, dom.muted(dom.capital(words)), close(app)),
    el("h2", { dir: "ltr" }, engine.name(node) || "(no name)"),
    app.lenses.controls(),
    section("Tensor", tensor >= 0 && el("ul", {}, item())),
  ];
}

/**
 * @param {App} app
 * @param {number} node
 */
function ofNode(app, node) {
  if (!app.engine.isInner(node)) return (app.engine.isLayer(node) ? layer : port)(app, node);
  return inside.page(app, node, hierarchy.groupsAround(app, node));
}

/**
 * @param {App} app
 * @param {number | null} node
 */
export function show(app, node) {
  const place = dom.find("panel");
  place.scrollTop = 0;
  const lit = app.lenses.told(); // on top: what was just asked for
  if (node !== null) dom.refill(place, lit, hierarchy.block(app, node) ?? ofNode(app, node));
  else if (app.tensor !== null) dom.refill(place, lit, tensors.page(app, app.tensor));
  else dom.refill(place, lit, app.finding ? findings.page(app, app.finding) : overview.page(app));
  for (const { firstElementChild: name, clientWidth } of place.querySelectorAll(".module"))
    if (name && clientWidth) name.textContent = tail(name.textContent ?? "", FONTS.plain, clientWidth);
}
