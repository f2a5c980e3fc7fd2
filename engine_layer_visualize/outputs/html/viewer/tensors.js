// @ts-check
// A node -> the sections of the panel that show its tensors, each with links to the nodes at their other ends.

import { el } from "./dom.js";
import { append } from "./maps.js";
import { link, section, several } from "./parts.js";

/** @import { App } from "./app.js" */
/** @import { Text } from "./types.d.ts" */

/**
 * @param {App} app
 * @param {number} number
 * @param {number[]} others
 * @param {string} word
 */
export function tensorItem(app, number, others, word) {
  const { engine, colors } = app;
  const { tensors, text } = engine;
  const dtype = text(tensors.dtype[number]);
  const format = text(tensors.format[number]);
  const strides = text(tensors.strides[number]);
  return el(
    "li",
    { class: "tensor" },
    el(
      "div",
      { class: "name", dir: "ltr" },
      el("i", { class: "edge", style: { background: colors.precisions[tensors.precision[number]][1] } }),
      text(tensors.name[number]) || "(no name)",
    ),
    el(
      "div",
      { class: "meta" },
      [
        dtype || "unknown precision",
        engine.dims(number),
        format !== dtype ? format : "",
        strides ? `strides ${strides}` : "",
      ]
        .filter(Boolean)
        .join("  ·  "),
    ),
    others.length
      ? el(
          "div",
          { class: "ends" },
          el("span", {}, word),
          several(others, (node) => link(app, node)),
        )
      : null,
  );
}

/**
 * @param {App} app
 * @param {number} node
 */
export function sides(app, node) {
  const { engine } = app;
  const { edges, tensors } = engine;
  /**
   * The nodes at the other ends of edges, by the name of the tensor.
   * @param {Int32Array} list
   * @param {number[]} end
   */
  const named = (list, end) => {
    /** @type {Map<Text, number[]>} */
    const found = new Map();
    for (const edge of list) append(found, tensors.name[edges.tensor[edge]], end[edge]);
    return (/** @type {number} */ tensor) => found.get(tensors.name[tensor]) || [];
  };
  const from = named(engine.into(node), edges.from);
  const to = named(engine.out(node), edges.to);
  const ins = engine.isLayer(node) ? engine.layers.in[node] : [];
  const outs = engine.isLayer(node) ? engine.layers.out[node] : [];
  return [
    ins.length
      ? section(
          `Inputs (${ins.length})`,
          el(
            "ul",
            {},
            several(ins, (number) => tensorItem(app, number, from(number), "from")),
          ),
        )
      : null,
    outs.length
      ? section(
          `Outputs (${outs.length})`,
          el(
            "ul",
            {},
            several(outs, (number) => tensorItem(app, number, to(number), "to")),
          ),
        )
      : null,
  ];
}
