// @ts-check
// A layer -> buttons that copy its name, its kernel, and trtexec's option for its precision.

import { copyButton } from "./copying.js";
import * as dom from "./dom.js";
import { el } from "./dom.js";
import * as numbers from "./numbers.js";

/** @import { Engine } from "./types.d.ts" */

const PRECISIONS = ["fp32", "fp16", "bf16", "int8"];

/**
 * trtexec splits at commas and colons, takes * for any text and quotes for its own; a backslash may stand for a
 * character that this page spells.
 */
const UNFIT = /[,:'"*\\]|\s$|^\s/;

/**
 * The options that hold the layers of these nodes in a precision, for a shell; and the names that trtexec
 * cannot take.
 * @param {string[]} nodes
 * @param {string} precision
 */
export function precisionOptions(nodes, precision) {
  const unfit = nodes.filter((name) => !name || UNFIT.test(name));
  const fit = nodes.filter((name) => name && !UNFIT.test(name));
  const list = fit.map((name) => `${name}:${precision}`).join(",");
  return { line: fit.length ? `'--layerPrecisions=${list}' --precisionConstraints=obey` : "", unfit };
}

/**
 * @param {Engine} engine
 * @param {number} node
 */
function precisions(engine, node) {
  const nodes = (engine.layers.onnx.get(node) ?? []).map(engine.text);
  if (!nodes.length)
    return dom.muted(`No --layerPrecisions line: the log does not tell all ${engine.head.node}s of this layer.`);
  const { line, unfit } = precisionOptions(nodes, PRECISIONS[0]);
  const select = el(
    "select",
    { "aria-label": "Precision of the line for trtexec" },
    PRECISIONS.map((name) => el("option", { value: name }, name)),
  );
  const title = `For ${numbers.count(nodes.length - unfit.length, engine.head.node)} of this layer; not of a strongly typed network`;
  const button = copyButton("Copy --layerPrecisions", () => precisionOptions(nodes, select.value).line, { title });
  const names = numbers.count(unfit.length, "name");
  return [
    line ? el("span", { class: "with" }, select, button) : null,
    unfit.length
      ? dom.muted(
          `--layerPrecisions cannot take ${names} with commas, colons, quotes, backslashes or *: ${unfit[0].slice(0, 80)}${unfit.length > 1 ? ", …" : ""}`,
        )
      : null,
  ];
}

/**
 * @param {Engine} engine
 * @param {number} node
 */
export function actions(engine, node) {
  const { layers, text } = engine;
  const name = engine.name(node);
  return el(
    "div",
    { class: "actions" },
    name ? copyButton("Copy name", () => name) : null,
    layers.kernel[node] >= 0 ? copyButton("Copy kernel", () => text(layers.kernel[node])) : null,
    precisions(engine, node),
  );
}
