// @ts-check
// The pointer over the drawing -> the tooltip beside it, and what a click selects, collapses or expands.

import { signWidth } from "./cards.js";
import * as dom from "./dom.js";
import { el } from "./dom.js";
import { cutEdges } from "./flags.js";
import { tensorEdges } from "./graph.js";
import { groupTip } from "./hierarchy.js";
import { sign } from "./inside.js";
import * as marks from "./marks.js";
import { edgeAt } from "./near.js";
import * as numbers from "./numbers.js";
import { FAR } from "./paint_edges.js";
import { LEAD } from "./spacing.js";
import { endsOf, factsInLine } from "./tensors.js";
import * as text from "./text.js";

/** @import { App } from "./app.js" */
/** @import { Engine } from "./types.d.ts" */

/**
 * What the tooltip says of a box.
 * @param {App} app
 * @param {number} box
 */
function boxTip(app, box) {
  const { engine, folded, scene } = app;
  const group = scene.group(box);
  if (group) return groupTip(engine, group);
  const node = folded.node[box];
  const words = scene.text(box);
  const found = engine.found.of(node).map(({ rule }) => `${rule.code} ${rule.name}`);
  return [
    el("b", {}, words.head),
    engine.isLayer(node) ? el("span", {}, `layer ${node}`) : null,
    el("span", {}, [words.time, words.share].filter(Boolean).join("  ·  ")),
    engine.isInner(node) ? el("span", {}, engine.text(engine.inside.kernel[engine.inner(node)])) : null,
    found.length ? el("span", {}, [...new Set(found)].slice(0, 3).join(", ")) : null,
    el("span", { dir: "ltr" }, text.tail(engine.name(node), text.FONTS.plain, 520)),
  ];
}

const NAMED = 3; // nodes that a tooltip names

/**
 * What the tooltip says of a line between boxes.
 * @param {App} app
 * @param {import("./near.js").Found} found
 */
function edgeTip({ engine, scene }, { edge, box }) {
  /** @type {(sign: string, nodes: number[]) => HTMLElement} */
  const names = (sign, nodes) => {
    const shown = nodes.slice(0, NAMED).map((node) => engine.label(node).replace("  ", " "));
    const more = nodes.length > NAMED ? [`and ${numbers.grouped(nodes.length - NAMED)} more`] : [];
    return el("span", { dir: "ltr" }, `${sign} ${[...shown, ...more].join(", ")}`);
  };
  if (edge < 0) {
    const count = numbers.count(cutEdges(scene, box).length, "box", "es");
    return [el("b", {}, "Lines that are not drawn"), el("span", {}, `to and from ${count}; a click lists them`)];
  }
  const { writers, readers } = endsOf(engine, edge);
  const number = engine.edges.tensor[edge];
  return [
    el("b", { dir: "ltr" }, text.tail(engine.text(engine.tensors.name[number]) || "(no name)", text.FONTS.bold, 520)),
    el("span", {}, factsInLine(engine, number)),
    names("written by", writers),
    names("read by", readers),
  ];
}

/**
 * What the tooltip says of layers that stand as a mark.
 * @param {Engine} engine
 * @param {number[]} nodes
 */
const marksTip = (engine, nodes) => [
  el("b", {}, `${numbers.count(nodes.length, "layer")} ${marks.ofMarks(engine, nodes)}`),
  ...nodes.slice(0, NAMED).map((node) => el("span", { dir: "ltr" }, engine.label(node))),
  nodes.length > NAMED ? el("span", {}, `and ${numbers.grouped(nodes.length - NAMED)} more`) : null,
];

/**
 * @param {App} app
 */
export function connect(app) {
  const { cam, canvas } = app;
  const tip = dom.find("tip");
  /** @type {(event: MouseEvent) => [x: number, y: number]} */
  const place = ({ offsetX, offsetY }) => [
    cam.view.x + offsetX / cam.view.scale,
    cam.view.y + offsetY / cam.view.scale,
  ];
  /**
   * What is under the pointer: a box, else an edge, else the first line of an open group's frame, with its fold sign.
   * @param {MouseEvent} event
   */
  const under = (event) => {
    const [x, y] = place(event);
    const near = 12 / cam.view.scale;
    const marked = marks.at(
      app.scene,
      cam.view.scale < FAR ? [] : app.scene.grid.boxes(x - near, y - near, x + near, y + near),
      x,
      y,
      cam.view.scale,
    );
    if (marked.length) return { box: -1, line: null, frame: undefined, marked };
    const box = app.scene.grid.at(x, y) ?? -1;
    const line = box < 0 ? edgeAt(app.scene, x, y, cam.view.scale) : null;
    const frame =
      box < 0 && !line
        ? app.scene.frames.find(
            (each) => !each.part && x >= each.x && x <= each.x + each.w && y >= each.y && y <= each.y + LEAD,
          )
        : undefined;
    return { box, line, frame, marked };
  };
  /** @type {(found: ReturnType<typeof under>) => (HTMLElement | null)[] | null} */
  const told = ({ box, line, frame, marked }) => {
    if (marked.length) return marksTip(app.engine, marked);
    if (box >= 0) return boxTip(app, box);
    if (line) return edgeTip(app, line);
    return frame ? groupTip(app.engine, app.engine.groups[frame.group]) : null;
  };
  let last = "";
  canvas.addEventListener("pointermove", (event) => {
    const found = under(event);
    const { box, line, frame, marked } = found;
    canvas.classList.toggle("over", box >= 0 || marked.length > 0 || Boolean(line ?? frame));
    const key = event.buttons > 0 ? "" : [box, line?.edge, line?.box, frame?.group, marked[0]].join();
    if (key !== last) {
      const words = key ? told(found) : null;
      tip.hidden = !words;
      if (words) dom.fill(tip, words);
      app.point(box, line && line.edge >= 0 ? tensorEdges(app.engine, line.edge) : []);
      last = key;
    }
    if (tip.hidden) return;
    dom.beside(tip, event.offsetX, event.offsetY, cam.view);
  });
  const hide = () => {
    [tip.hidden, last] = [true, ""]; // what it told may be elsewhere now
  };
  canvas.addEventListener("wheel", hide, { passive: true });
  canvas.addEventListener("pointerleave", () => {
    hide();
    app.point(-1);
  });
  /** Keys that were held when the button went down: who lets go of both at once means them. */
  let down = new MouseEvent("pointerdown");
  canvas.addEventListener("pointerdown", (event) => {
    down = event;
  });
  canvas.addEventListener("click", (event) => {
    if (cam.dragged > 4) return;
    const { box, line, frame, marked } = under(event);
    hide();
    if ([event, down].some(({ ctrlKey, metaKey }) => ctrlKey || metaKey)) {
      const nodes = marked.length || box < 0 ? marked : app.scene.nodes(box);
      const group = frame && app.engine.groups[frame.group].nodes;
      if (nodes.length || group) app.lenses.toggle(group ?? nodes); // a miss takes nothing of the sum
    } else if (marked.length) app.select(marked[(marked.indexOf(app.selected ?? -1) + 1) % marked.length], false);
    else if (line) clickLine(app, line);
    else if (box >= 0) clickBox(app, box, event, event.shiftKey || down.shiftKey);
    else if (frame && cam.view.scale >= FAR) app.levels.toggleGroup(frame.group);
    else app.select(null);
  });
  canvas.addEventListener("dblclick", (event) => {
    const { box } = under(event);
    if (box >= 0 && sign(app.scene, box)) app.levels.unfold(app.folded.node[box]);
    else cam.zoom(1.8, [event.offsetX, event.offsetY]);
  });
}

/**
 * Whether the pointer is where a layer unfolds.
 * @param {App} app
 * @param {number} box
 * @param {MouseEvent} event
 */
function onSign({ scene, cam: { view } }, box, event) {
  const { x, w } = scene.folded;
  const from = view.x + event.offsetX / view.scale - x[box] + w[box] / 2;
  return Boolean(sign(scene, box)) && view.scale >= FAR && from < signWidth(view.scale);
}

/**
 * Selects a layer, or unfolds a block; with Shift lights all above and below the layer, or adds up the block.
 * @param {App} app
 * @param {number} box
 * @param {MouseEvent} event
 * @param {boolean} shift
 */
function clickBox(app, box, event, shift) {
  const node = app.folded.node[box];
  if (node < 0 && shift) app.lenses.toggle(app.scene.nodes(box));
  else if (node < 0) app.levels.toggleGroup(-1 - node);
  else if (onSign(app, box, event)) app.levels.unfold(node);
  else {
    app.select(node, false);
    if (shift) app.lenses.cone("both");
  }
}

/**
 * Selects a tensor; a flag leads to the box that it names, or lists all of them.
 * @param {App} app
 * @param {import("./near.js").Found} line
 */
function clickLine(app, { edge, box, node }) {
  if (edge < 0) app.lenses.cut(box);
  else if (node >= 0 && app.folded.node[app.folded.of[node]] >= 0) app.select(node);
  else {
    app.selectTensor(edge);
    if (node >= 0) app.drawing.show(node);
  }
}
