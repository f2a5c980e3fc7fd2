// @ts-check
// The two data elements of an engine -> an `Engine`: decoded columns, texts, and the edges of each node.

import * as found from "./found.js";
import * as insides from "./inside.js";
import { inUnit } from "./numbers.js";
import { searched } from "./searched.js";

/** @import { Engine, FactName, Form, Head, Layers, Raw, Tensors, Text, Value } from "./types.d.ts" */

/**
 * A column of the data as the page keeps it.
 * @param {Form} form
 * @param {unknown[]} flat
 */
function column(form, flat) {
  if (form === "set") return new Set(flat);
  if (form === "list") return flat;
  if (form === "full") return new Map(flat.flatMap((value, at) => (value === null ? [] : [[at, value]])));
  const found = new Map();
  for (let at = 0; at < flat.length; at += 2) found.set(flat[at], flat[at + 1]);
  return found;
}

/**
 * value, length, value, length … -> values
 * @param {number[]} flat
 */
const runs = (flat) => flat.flatMap((value, at) => (at % 2 ? [] : new Array(flat[at + 1]).fill(value)));

/**
 * The table of tensors, with columns that are empty as no text of each.
 * @param {Tensors} tensors
 * @returns {Tensors}
 */
const filled = (tensors) =>
  /** @type {any} */ (
    Object.fromEntries(
      Object.entries(tensors).map(([name, column]) => [
        name,
        column.length ? column : new Array(tensors.precision.length).fill(-1),
      ]),
    )
  );

/**
 * @param {Head} head
 * @param {Raw} raw
 * @returns {Engine}
 */
export function decode(head, raw) {
  const { strings, ports, times } = raw;
  const tensors = filled(raw.tensors);
  /** @type {Record<string, any>} */
  const decoded = Object.fromEntries(
    Object.entries(raw.columns).map(([name, [form]]) => [name, column(form, raw.layers[name])]),
  );
  const layers = /** @type {Layers} */ (/** @type {unknown} */ (decoded));
  /** @param {Text | undefined} number */
  const text = (number) => (number === undefined || number < 0 ? "" : strings[number]);
  const count = layers.name.length;
  const nodes = count + ports.name.length;
  const { inside } = raw;
  const all = nodes + inside.of.length;
  /** @param {number} node */
  const isInner = (node) => node >= nodes;
  /** @param {number} node */
  const inner = (node) => node - nodes;
  const { out, into, groups, topOf, wires } = insides.decode(raw, nodes, all);
  /** @param {number} node */
  const port = (node) => node - count;
  /** @param {number} node */
  const isLayer = (node) => node < count;
  /** @param {number} node */
  const kind = (node) => (isInner(node) ? "inner" : text(isLayer(node) ? layers.kind[node] : ports.kind[port(node)]));
  /** @param {number} node */
  const name = (node) =>
    text(isLayer(node) ? layers.name[node] : isInner(node) ? inside.name[inner(node)] : ports.name[port(node)]);

  /** @param {number} node */
  function headline(node) {
    if (isInner(node)) return text(inside.title[inner(node)]);
    return isLayer(node) ? text(layers.title[node]) : name(node) || "(no name)";
  }

  /** The innermost group of each node. @type {Map<number, string>} */
  const around = new Map();
  for (const group of groups) for (const node of group.nodes) around.set(node, group.path);

  /** @param {number} node */
  function within(node) {
    if (isLayer(node)) {
      const places = text(layers.subtitle[node]).split(" + ");
      const rest = places
        .map((place) => beyond(place, around.get(node) ?? ""))
        .filter(Boolean)
        .join(" + ");
      return rest || name(node).split(" + ")[0].replace(/^.*\//, "");
    }
    if (isInner(node)) return text(inside.subtitle[inner(node)]);
    const tensor = ports.tensor[port(node)];
    const word = text(ports.word[port(node)]);
    return [word === name(node) ? "" : word, tensor < 0 ? "" : dims(tensor)].filter(Boolean).join("  ");
  }

  /** @param {number} tensor */
  const dims = (tensor) => text(tensors.dims[tensor]);
  /**
   * Of its own optimisation profile; all totals and shares were made when the file was written.
   * @param {number} node
   */
  const share = (node) => (isLayer(node) ? layers.share[node] : (inside.share[inner(node)] ?? null));
  /** @param {number} node */
  const owner = (node) => (isInner(node) ? inside.of[inner(node)] : node);

  /** @type {(name: FactName, node: number) => Value} */
  const value = (name, node) => {
    if (name === "index") return node;
    const own = decoded[name];
    const found = own instanceof Map ? own.get(node) : own[node];
    return raw.columns[name][1] === "text" ? text(found) : (found ?? null);
  };

  const engine = {
    head,
    marks: layers.host,
    strings,
    fields: raw.fields,
    value,
    /** @type {(name: FactName, node: number) => string} */
    words: (name, node) => inUnit(value(name, node), raw.fields[name].unit),
    text,
    layers,
    records: raw.records,
    memory: raw.memory,
    types: raw.types,
    tensors,
    ports,
    count,
    nodes,
    times,
    shown: times.shown, // which of the optimisation profiles: by its place
    get now() {
      return times.profiles[this.shown];
    },
    /** @param {number} node */
    isShown(node) {
      return isLayer(owner(node)) && layers.profile[owner(node)] === this.shown;
    },
    inside,
    all,
    isInner,
    inner,
    owner,
    topOf,
    wires,
    edges: raw.edges,
    jumps: raw.jumps,
    layout: raw.layout,
    groups,
    card: { words: raw.card.words, engine: () => decode(head, { ...raw, groups: raw.card.groups }) },
    scopes: { ...raw.scopes, of: runs(raw.scopes.of) },
    rooflines: raw.rooflines,
    problems: raw.problems,
    profile: raw.profile,
    unmatched: raw.unmatched,
    found: found.decode(raw.findings, text),
    timed: times.kind !== null,
    summed: times.sum !== "",
    top: times.hottest,
    out,
    into,
    isLayer,
    port,
    kind,
    name,
    headline,
    within,
    dims,
    share,
  };
  return Object.assign(engine, searched(engine));
}

/**
 * What a place in the network says beyond this scope, or beyond its end, with which it may begin.
 * @param {string} place
 * @param {string} scope
 */
export function beyond(place, scope) {
  for (let end = scope; end; end = end.slice(end.indexOf("/") + 1 || end.length)) {
    if (place === end) return "";
    if (!place.startsWith(end) || !/^[/.]/.test(place.slice(end.length))) continue;
    const last = /(?<![^/.])[^/.]*[^/.\d][^/.]*(?:[/.]\d+)*$/.exec(end); // before a number stands what it is a number of
    return place.slice(/^\D/.test(place.slice(end.length + 1)) ? end.length + 1 : (last?.index ?? 0));
  }
  return scope ? place.replaceAll(`${scope}/`, "") : place;
}
