// @ts-check
// An engine of a page, or its JSON -> what a comparison takes of it.

/** @import { Engine, Half, PlainLayer } from "./types.d.ts" */

const SERVING = /^(reformat|no-?op|reorder)/i;
const IDLE = /^(constant|shape|wait|signal)/i;

/** An engine of a page. @param {Engine} engine @returns {Half} */
export function ofEngine(engine) {
  const { head, layers, summed, text, tensors, now } = engine;
  /** @param {number} n */
  const tensor = (n) => [tensors.dtype, tensors.dims, tensors.format].map((column) => text(column[n]));
  return half({
    name: `engine ${head.index} of ${head.file}`,
    device: head.device,
    tensorrt: head.tensorrt,
    gpu: head.gpu,
    inputs: head.inputs,
    total: now.ms,
    summed,
    kind: head.estimated ? "estimated" : now.kind.split(",")[0],
    layers: layers.name.map((name, n) => ({
      name: text(name),
      type: text(layers.type[n]),
      title: engine.headline(n),
      part: text(layers.subtitle[n]),
      precision: text(layers.dtype[n]),
      kernel: text(layers.kernel[n]),
      ms: layers.ms[n],
      nodes: (layers.onnx.get(n) ?? []).map(text),
      reads: layers.in[n].map(tensor),
      writes: layers.out[n].map(tensor),
      from: layers.in[n].map((each) => text(tensors.name[each])),
      to: layers.out[n].map((each) => text(tensors.name[each])),
    })),
  });
}

/** `Conv + Relu` of `/stem/Conv + /stem/Relu_1`; empty where a name says none. @param {string | null} name */
function operators(name) {
  const last = (name ?? "").split(" + ").map((part) => /(?:^|\/)([A-Z][A-Za-z]+)(?:_\d+)?$/.exec(part)?.[1]);
  return last.every(Boolean) ? last.join(" + ") : "";
}

const FIXED = /^\d+(,\d+)*$/; // dims without an unknown one

/** @param {{ name: string }} measure */
const isOfGpu = ({ name }) => name === "GPU Compute Time";

/** An engine of its JSON, as docs/schemas/engine.schema.json has it. @param {any} data @returns {Half} */
export function ofJson({ engine, layers, inputs = [] }) {
  const estimated = engine.time?.kind === "estimated";
  const summed = Boolean(engine.time?.kind) && engine.time.total_ms === null;
  /** @param {any} tensor */
  const tensor = ({ dtype, dims, format }) => [dtype, dims?.replaceAll(",", "×"), format].map((part) => part ?? "");
  const { median, mean } = engine.facts?.performance?.measures.find(isOfGpu) ?? {};
  const read = declared(engine.facts?.inputs ?? [], inputs) ?? listed(layers, inputs);
  return half({
    name: `engine ${engine.index} of ${engine.source.file}`,
    device: engine.facts?.device?.name ?? null,
    tensorrt: engine.tensorrt,
    gpu: median ? [median, mean ?? null] : null,
    inputs: [read, read],
    total: engine.time?.total_ms ?? null,
    summed,
    kind: engine.time?.kind ?? "",
    layers: layers.map((/** @type {any} */ layer) => ({
      name: layer.name ?? "",
      type: layer.type,
      title: layer.facts?.onnx_operators?.join(" + ") || operators(layer.name) || layer.type,
      part: layer.scope || (layer.name ?? ""),
      precision: layer.facts?.precision ?? "",
      kernel: layer.kernel ?? "",
      ms: summed ? null : ((estimated ? layer.facts?.build_ms : layer.time?.average_ms) ?? null),
      nodes: layer.facts?.onnx_nodes ?? [],
      reads: layer.inputs.map(tensor),
      writes: layer.outputs.map(tensor),
      from: layer.inputs.map((/** @type {any} */ each) => each.name),
      to: layer.outputs.map((/** @type {any} */ each) => each.name),
    })),
  });
}

/** The shapes that the network has of the inputs; null where one is not known. @param {any[]} told @param {string[]} names */
function declared(told, names) {
  const dims = names.map((name) => told.find((each) => each.name === name)?.dims ?? "");
  const known = names.length > 0 && dims.every((each) => FIXED.test(each));
  return known ? dims.map((each) => each.split(",").map(Number)) : null;
}

/** The shapes that layers print of the inputs; null where one is not known. @param {any[]} layers @param {string[]} names */
function listed(layers, names) {
  const all = layers.flatMap(({ inputs }) => inputs);
  const printed = names.map((name) => new Set(all.filter((each) => each.name === name).map(({ shape }) => `${shape}`)));
  const known = names.length > 0 && printed.every((own) => own.size === 1 && FIXED.test([...own][0]));
  return known ? printed.map(([own]) => own.split(",").map(Number)) : null;
}

/** @param {Omit<Half, "layers"> & { layers: Omit<PlainLayer, "formats" | "serves" | "idle">[] }} told @returns {Half} */
function half(told) {
  /** @param {string[][]} tensors */
  const words = (tensors) => tensors.map((each) => [...new Set(each)].filter(Boolean).join(" ")).join("; ") || "–";
  const layers = told.layers.map((layer) => ({
    ...layer,
    formats: `${words(layer.reads)} → ${words(layer.writes)}`,
    serves: SERVING.test(layer.type),
    idle: IDLE.test(layer.type),
  }));
  return { ...told, layers };
}
