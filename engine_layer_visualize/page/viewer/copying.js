// @ts-check
// A text -> the clipboard, and what is said where the browser refuses; a layer -> buttons that copy its name, its kernel,
// and trtexec's options for FP32.

import * as dom from "./dom.js";
import { el } from "./dom.js";

/** @import { Engine } from "./types.d.ts" */

const TOLD = 1500; // milliseconds

/**
 * A button that copies, and says when it has: over http, and where a person forbids it, nothing is copied.
 * @param {string} label
 * @param {() => string} text
 * @param {import("./types.d.ts").Attributes} [attributes]
 */
export function copyButton(label, text, attributes = {}) {
  /** @param {string} words */
  const tell = (words) => {
    button.textContent = words;
    setTimeout(() => {
      button.textContent = label;
    }, TOLD);
  };
  const click = () =>
    (navigator.clipboard?.writeText(text()) ?? Promise.reject()).then(
      () => tell("Copied"),
      () => tell("The browser keeps this page from the clipboard."),
    );
  const button = dom.button({ ...attributes, on: { click } }, label);
  return button;
}

/**
 * trtexec splits at commas and colons, takes * for any text and quotes for its own; a backslash may stand for a
 * character that this page spells.
 */
const UNFIT = /[,:'"*\\]|\s$|^\s|^$/;

/** The options that hold the layers of these nodes in FP32, for a shell; empty where trtexec cannot take a name. @param {string[]} nodes */
export const precisionOptions = (nodes) =>
  nodes.length && !nodes.some((name) => UNFIT.test(name))
    ? `'--layerPrecisions=${nodes.map((name) => `${name}:fp32`).join(",")}' --precisionConstraints=obey`
    : "";

/**
 * @param {Engine} engine
 * @param {number} node
 */
export function actions(engine, node) {
  const { layers, text } = engine;
  const name = engine.name(node);
  const options = engine.head.constrains && precisionOptions((layers.onnx.get(node) ?? []).map(text));
  return el(
    "div",
    { class: "actions" },
    name ? copyButton("Copy name", () => name) : null,
    layers.kernel[node] >= 0 ? copyButton("Copy kernel", () => text(layers.kernel[node])) : null,
    options ? copyButton("Copy --layerPrecisions", () => options, { title: "Holds it in FP32" }) : null,
  );
}
