// @ts-check
// The selected node -> what the panel shows: everything that is known about a layer or an endpoint.

import * as dom from "./dom.js";
import { el } from "./dom.js";
import * as findings from "./findings.js";
import * as hierarchy from "./hierarchy.js";
import * as inside from "./inside.js";
import { actions } from "./layer_copies.js";
import * as numbers from "./numbers.js";
import * as overview from "./overview.js";
import { close, long, row, rows, section, several } from "./parts.js";
import * as tensors from "./tensors.js";
import { sides, tensorItem } from "./tensors.js";

/** @import { App } from "./app.js" */
/** @import { Engine, Text } from "./types.d.ts" */

/**
 * @param {Engine} engine
 * @param {number} node
 */
function times(engine, node) {
  const { layers } = engine;
  const { estimated } = engine.head;
  if (layers.ms[node] === null && layers.total.has(node)) {
    const share = [numbers.percent(engine.share(node)), shareOf(engine, node)].filter(Boolean).join(" ");
    const total = `${numbers.milliseconds(layers.total.get(node))} in an unknown number of runs`;
    return section("Time", rows(row("share", share), row("total", total)));
  }
  if (layers.ms[node] === null) {
    const why = layers.idle.has(node) ? "it runs no kernel" : engine.times.missing;
    const explained = layers.missing.has(node) || (engine.timed && layers.idle.has(node));
    return explained ? section("Time", el("p", { class: "muted" }, why)) : null;
  }
  const parts = layers.parts.get(node);
  const median = engine.times.statistic === "median" && layers.median.has(node); // what totals go by
  return section(
    "Time",
    rows(
      row(
        estimated ? "builder's estimate" : median ? "median" : engine.now.mean,
        numbers.milliseconds(layers.ms[node]) === `${layers.ms[node]} ms`
          ? `${layers.ms[node]} ms`
          : `${numbers.milliseconds(layers.ms[node])}  (${layers.ms[node]} ms)`,
      ),
      row("share", [numbers.percent(engine.share(node)), shareOf(engine, node)].filter(Boolean).join(" ")),
      median ? row("average", numbers.milliseconds(layers.mean.get(node) ?? layers.ms[node])) : null,
      !median && layers.median.has(node) ? row("median", numbers.milliseconds(layers.median.get(node))) : null,
      layers.unsteady.has(node) ? row("unsteady", engine.times.unsteady) : null,
      layers.total.has(node) ? row("total", numbers.milliseconds(layers.total.get(node))) : null,
      parts ? row("kernels", `sum of ${parts} rows of the profile`) : null,
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
 */
function pairs(engine, flat, title) {
  if (!flat) return null;
  const list = [];
  for (let at = 0; at < flat.length; at += 2) list.push([engine.text(flat[at]), engine.text(flat[at + 1])]);
  return section(title, rows(...list.map(([key, value]) => row(key, parts(value)))));
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
  const list = entriesOf(value);
  return el(
    "ul",
    {},
    several(list, (entry) => el("li", {}, long(entry))),
  );
}

/**
 * The line of the log, and the blocks that the layer is in.
 * @param {App} app
 * @param {number} node
 */
function where(app, node) {
  const { engine } = app;
  const { layers, head } = engine;
  const also = layers.also.get(node);
  return section(
    "Where",
    rows(
      row("log", `${head.file}:${layers.line[node]}`),
      also ? row("also", `${head.file}:${also}`) : null,
      engine.kind(node) === "hidden" ? row("listed", "no: only an `Adding reformat layer` line tells of it") : null,
      ...hierarchy.groupsAround(app, node),
    ),
  );
}

/**
 * @param {Engine} engine
 * @param {number} node
 */
function kernel({ layers, text }, node) {
  if (layers.kernel[node] < 0 && layers.tactic[node] < 0) return null;
  return section(
    "Kernel",
    rows(
      layers.kernel[node] >= 0 ? row("kernel", long(text(layers.kernel[node]))) : null,
      layers.tactic[node] >= 0 ? row("tactic", text(layers.tactic[node])) : null,
    ),
  );
}

/**
 * @param {Engine} engine
 * @param {number} node
 */
function onnxNodes({ layers, text, head }, node) {
  const onnx = layers.onnx.get(node) || [];
  if (!onnx.length) return null;
  return section(
    `${head.node}s (${onnx.length})`,
    el(
      "ul",
      { class: "plain" },
      several(onnx, (name) => el("li", { dir: "ltr" }, text(name))),
    ),
  );
}

/**
 * @param {App} app
 * @param {number} node
 */
function layer(app, node) {
  const { engine } = app;
  const { layers, text, head } = engine;
  /**
   * @param {number} n
   * @param {string} words
   */
  const number = (n, words) =>
    el(
      "button",
      {
        type: "button",
        disabled: n < 0 || n >= engine.count,
        title: words,
        "aria-label": words,
        on: { click: () => app.select(n) },
      },
      n < node ? "‹" : "›",
    );
  const share = engine.share(node);
  return [
    el(
      "div",
      { class: "top" },
      el("p", { class: "muted" }, `Layer ${node}`),
      number(node - 1, "Previous layer (p)"),
      number(node + 1, "Next layer (n)"),
      close(app),
    ),
    el("h2", {}, engine.headline(node)),
    el(
      "p",
      { class: "cost" },
      [text(layers.type[node]), numbers.about(head, layers.ms[node]), numbers.percent(share)]
        .filter(Boolean)
        .join("  ·  "),
    ),
    el("p", { class: "whole", dir: "ltr" }, long(engine.name(node) || "(no name)")),
    actions(app, node),
    layers.raw.has(node)
      ? section(
          "Record that could not be read",
          el("p", { class: "whole", dir: "ltr" }, long(text(layers.raw.get(node)))),
        )
      : null,
    app.lenses.told(),
    app.lenses.controls(),
    findings.ofLayer(app, node),
    where(app, node),
    times(engine, node),
    layers.reason.has(node)
      ? section("Why it is there", el("p", {}, dom.sentence(text(layers.reason.get(node)))))
      : null,
    hierarchy.inside(app, node),
    kernel(engine, node),
    ...sides(app, node),
    layers.bytes[node] === null
      ? null
      : section(
          "Memory",
          el(
            "p",
            {},
            dom.unbroken(
              `${numbers.bytes(layers.bytes[node])}: ${layers.holds.has(node) ? text(layers.holds.get(node)) : engine.memory}`,
            ),
          ),
        ),
    onnxNodes(engine, node),
    pairs(engine, layers.facts.get(node), "From the build"),
    pairs(engine, engine.records[layers.attributes.get(node) ?? -1], "Attributes"),
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
  const list = entry ? engine.out(node) : engine.into(node);
  const others = Array.from(list, (edge) => (entry ? engine.edges.to : engine.edges.from)[edge]);
  return [
    el("div", { class: "top" }, el("p", { class: "muted" }, words[0].toUpperCase() + words.slice(1)), close(app)),
    el("h2", { dir: "ltr" }, engine.name(node) || "(no name)"),
    app.lenses.told(),
    app.lenses.controls(),
    tensor >= 0
      ? section(
          "Tensor",
          el("ul", {}, tensorItem(app, tensor, others, entry ? "read by" : "written by", list[0] ?? null)),
        )
      : null,
  ];
}

/**
 * @param {App} app
 * @param {number | null} node
 */
export function show(app, node) {
  const place = dom.find("panel");
  const { engine } = app;
  place.scrollTop = 0;
  if (node !== null)
    dom.refill(place, (engine.isLayer(node) ? layer : engine.isInner(node) ? inside.page : port)(app, node));
  else if (app.tensor !== null) dom.refill(place, tensors.page(app, app.tensor));
  else dom.refill(place, app.lenses.told(), app.rule ? findings.ofRule(app, app.rule) : overview.page(app));
}
