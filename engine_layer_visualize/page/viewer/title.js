// @ts-check
// An engine -> what the bar says of it: the title, its optimisation profiles and what may colour its boxes.

import * as dom from "./dom.js";
import { el } from "./dom.js";
import { MODES } from "./fills.js";
import { foldedInto } from "./hierarchy.js";
import * as numbers from "./numbers.js";

/** @import { App } from "./app.js" */
/** @import { Mode } from "./types.d.ts" */

/** What this asks of the app. @typedef {Pick<App, "canvas" | "engine" | "folded" | "look" | "selected">} Host */

/** @param {string[]} parts */
const joined = (parts) => parts.filter(Boolean).join("  ·  ");

/** @param {Host["engine"]} engine */
const total = ({ now, times }) =>
  [times.profiles.length > 1 ? `profile ${now.number}` : "", now.total].filter(Boolean).join(": ");

/** @param {Host} app */
export function show({ engine }) {
  const { head, now } = engine;
  const brief = now.brief && `  ·  ${now.brief}`;
  const [first, ...rest] = [
    joined([head.title, total(engine)]),
    head.size,
    head.tensorrt ? `TensorRT${head.tensorrt.startsWith("RTX ") ? "-" : " "}${head.tensorrt}` : "",
    head.file,
  ];
  dom.fill(
    dom.find("title"),
    el(
      "b",
      { title: joined([first + brief, head.size, now.coverage]) },
      el("span", {}, head.title),
      el("i", {}, dom.unbroken(first.slice(head.title.length))),
      brief && el("i", {}, brief),
    ),
    el(
      "span",
      {},
      rest.filter(Boolean).map((part) => el("i", {}, part)),
    ),
  );
  document.title = `${head.name}: engine ${head.index}`;
}

/**
 * Names the drawing for screen readers: the engine, and what is selected.
 * @param {Host} app
 */
export function describe(app) {
  const { engine, canvas, selected } = app;
  const { head, now } = engine;
  const parts = [head.title, head.size, total(engine), now.brief, numbers.count(head.edges, "edge")];
  if (selected !== null) {
    const share = engine.share(selected);
    const number = engine.isLayer(selected) ? `layer ${selected}: ` : "";
    const took = share === null ? "" : `, ${numbers.percent(share)}`;
    const block = foldedInto(app, selected);
    const words = `${number}${engine.headline(selected)} ${engine.within(selected)}${took}`;
    parts.push(`selected: ${block ? `block ${block.path}` : words}`);
  }
  canvas.setAttribute("aria-label", parts.filter(Boolean).join(", "));
}

/**
 * Fills the bar for the open engine. Gives what colours the boxes at first.
 * @param {Host} app
 * @returns {Mode}
 */
export function choices(app) {
  const { engine, look } = app;
  const { profiles } = engine.times;
  dom.find("profile-switch").hidden = profiles.length < 2;
  const profile = dom.fill(
    dom.find("profile", HTMLSelectElement),
    profiles.map((one, at) =>
      el("option", { value: String(at) }, [String(one.number), one.total].filter(Boolean).join(": ")),
    ),
  );
  profile.value = String(engine.shown);
  show(app);
  const moves = [...engine.layers.traffic.values()].some(Boolean);
  const modes = MODES.filter(([mode]) => (mode !== "time" || engine.timed) && (mode !== "memory" || moves));
  const color = dom.fill(
    dom.find("color", HTMLSelectElement),
    modes.map(([mode, words]) => el("option", { value: mode }, words)),
  );
  color.value = modes.find(([mode]) => mode === look.color)?.[0] ?? (engine.timed ? "time" : "type");
  return /** @type {Mode} */ (color.value);
}
