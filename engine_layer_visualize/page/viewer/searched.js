// @ts-check
// An engine -> what a search looks at: the texts of each node by field, as numbers, and its numbers.

/** @import { Engine, Searched, Text } from "./types.d.ts" */

/**
 * @param {Omit<Engine, keyof Searched> & Pick<Searched, "nodes" | "strings" | "isLayer">} engine
 * @returns {Pick<Searched, "index" | "label" | "texts" | "number">}
 */
export function searched({ layers, tensors, ports, found, count, inside, isLayer, isInner, inner, port, headline }) {
  /** @type {(column: Text[]) => (node: number) => Text[]} */
  const one = (column) => (node) => (isLayer(node) ? [column[node]] : []);
  /** The same, with what stands of a box inside of a layer. @type {(column: Text[], own: Text[]) => (node: number) => Text[]} */
  const both = (column, own) => (node) => (isInner(node) ? [own[inner(node)]] : one(column)(node));
  /** The tensors that a node reads and writes. @param {number} node */
  const touched = (node) => {
    if (isLayer(node)) return [...layers.in[node], ...layers.out[node]];
    if (isInner(node)) return [];
    const tensor = ports.tensor[port(node)];
    return tensor < 0 ? [] : [tensor];
  };
  /** @type {(...columns: Text[][]) => (node: number) => Text[]} */
  const ofTensors =
    (...columns) =>
    (node) =>
      touched(node).flatMap((tensor) => columns.map((column) => column[tensor]));
  const names = ofTensors(tensors.name);
  return {
    index: (node) => (isLayer(node) ? node : -1),
    label: (node) => (isLayer(node) ? `${node}  ${headline(node)}` : headline(node)),
    texts: {
      name: (node) =>
        isLayer(node) || isInner(node) ? both(layers.name, inside.name)(node) : [ports.name[port(node)]],
      type: one(layers.type),
      op: both(layers.title, inside.title),
      kernel: one(layers.kernel),
      tactic: one(layers.tactic),
      onnx: (node) => (isInner(node) ? [inside.name[inner(node)]] : (layers.onnx.get(node) ?? [])),
      tensor: (node) => (isLayer(node) || isInner(node) ? names(node) : [ports.name[node - count]]),
      reads: (node) => (isLayer(node) ? layers.in[node].map((tensor) => tensors.name[tensor]) : []),
      writes: (node) => (isLayer(node) ? layers.out[node].map((tensor) => tensors.name[tensor]) : []),
      record: (node) => [layers.raw.get(node) ?? -1],
      scope: both(layers.scope, inside.name),
      prec: (node) => (isLayer(node) ? [layers.dtype[node], layers.tf32.get(node) ?? -1] : []),
      dtype: ofTensors(tensors.dtype),
      dims: ofTensors(tensors.dims),
      format: ofTensors(tensors.layout, tensors.format),
      code: (node) => found.of(node).flatMap(({ rule }) => rule.texts),
    },
    number(field, unit, node) {
      if (!isLayer(node)) return null;
      if (field === "bytes") return layers.bytes[node];
      if (field === "macs") return layers.macs.get(node) ?? null;
      return unit === "%" ? layers.share[node] : layers.ms[node];
    },
  };
}
