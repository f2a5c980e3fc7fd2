// @ts-check
// An engine's groups -> the levels down to which they can be unfolded, the control that chooses one, and what folds
// and unfolds single ones. At level 0 the outermost groups are boxes, at level 1 those inside of them, …; at the last
// level every layer is a box.

import * as dom from "./dom.js";
import { el } from "./dom.js";
import * as numbers from "./numbers.js";

/** @import { App } from "./app.js" */
/** @import { Engine } from "./types.d.ts" */

/**
 * The groups that are collapsed at a level: those inside of others, too, for an outer one may be opened alone.
 * @param {Engine} engine
 * @param {number} level
 */
export function collapsedAt({ groups }, level) {
  return new Set(groups.flatMap((group, g) => (group.depth >= level || group.owner !== undefined ? [g] : [])));
}

/** The groups of layers. @param {Engine} engine */
const ofLayers = ({ groups }) => groups.filter((group) => group.owner === undefined);

/** The level that shows every layer. @param {Engine} engine */
export const lowest = (engine) => ofLayers(engine).reduce((most, group) => Math.max(most, group.depth + 1), 0);

/**
 * The level whose boxes are the outermost groups; optimisation profiles stay open around others.
 * @param {Engine} engine
 */
function highest(engine) {
  const groups = ofLayers(engine);
  return groups.some((group) => !group.profile) && groups.some((group) => group.profile) ? 1 : 0;
}

/**
 * How many boxes a level shows.
 * @param {Engine} engine
 * @param {number} level
 */
export const boxesAt = (engine, level) =>
  ofLayers(engine).reduce(
    (left, { depth, nodes }) =>
      depth === level ? left - nodes.filter((node) => !engine.marks.has(node)).length + 1 : left,
    engine.nodes - engine.marks.size,
  );

/** What is collapsed when an engine opens: analysis/groups.py decides. @param {Engine} engine */
export const opened = ({ groups }) => new Set(groups.flatMap((group, g) => (group.opened ? [] : [g])));

/** @type {(a: Set<number>, b: Set<number>) => boolean} */
export const equal = (a, b) => a.size === b.size && [...a].every((group) => b.has(group));

export class Levels {
  #app;
  #select = dom.find("level", HTMLSelectElement);
  /** What is chosen where single groups are folded otherwise. */
  #between = el("option", { value: "", disabled: true, hidden: true });
  /** What was collapsed before all were; null: all were from the first. @type {Set<number> | null} */
  #before = null;

  /** @param {App} app */
  constructor(app) {
    this.#app = app;
    this.#select.addEventListener("change", () => this.collapse(collapsedAt(app.engine, Number(this.#select.value))));
  }

  /** Lists the levels of the open engine. Gives what is collapsed at first. */
  open() {
    const { engine } = this.#app;
    this.#before = null;
    dom.find("levels").hidden = !ofLayers(engine).length;
    const last = lowest(engine);
    const list = Array.from({ length: last + 1 }, (_, level) => {
      const name = level === last ? "all" : `level ${level + 1}`;
      return el("option", { value: String(level) }, `${name}: ${numbers.count(boxesAt(engine, level), "box", "es")}`);
    });
    dom.fill(this.#select, list, this.#between);
    return opened(engine);
  }

  /** Shows the level that is drawn. */
  show() {
    const { engine, collapsed } = this.#app;
    const levels = Array.from({ length: lowest(engine) + 1 }, (_, level) => level);
    const found = levels.find((level) => equal(collapsed, collapsedAt(engine, level)));
    this.#between.textContent = numbers.count(this.#app.folded.size, "box", "es");
    this.#select.value = String(found ?? "");
  }

  /** All to the highest level, and back to what was before. */
  toggle() {
    const { engine, collapsed } = this.#app;
    const all = collapsedAt(engine, highest(engine));
    if (!equal(collapsed, all)) {
      this.#before = collapsed;
      this.collapse(all);
    } else if (this.#before) this.collapse(this.#before);
  }

  /**
   * Expands what a node is collapsed into.
   * @param {number} node
   */
  reveal(node) {
    const app = this.#app;
    const inside = [...app.collapsed].filter((g) => app.engine.groups[g].members.includes(node));
    if (!inside.length) return;
    for (const g of inside) app.collapsed.delete(g);
    app.layOut(node);
    this.show();
  }

  /**
   * Collapses or expands a group.
   * @param {number} group
   */
  toggleGroup(group) {
    const app = this.#app;
    if (!app.collapsed.delete(group)) app.collapsed.add(group);
    const { owner, top, nodes } = app.engine.groups[group];
    app.layOut((top ? owner : undefined) ?? nodes[0]);
    app.foldsChanged();
  }

  /**
   * Unfolds the block, or the layer, whose box stands for a node, and shows it; of another box folds what is around it.
   * @param {number | null} node
   */
  unfold(node) {
    const { engine, cam, collapsed, drawing, folded, selected } = this.#app;
    if (node === null) return;
    const shown = folded.node[folded.of[node]];
    const around = engine.groups.findLastIndex(({ members }, g) => members.includes(node) && !collapsed.has(g));
    const group = shown < 0 ? -1 - shown : (engine.topOf.get(shown) ?? around);
    if (group < 0) return;
    const { owner, top, nodes } = engine.groups[group];
    const [whole, layer] = [cam.seesAll, top ? owner : undefined];
    if (layer !== undefined && selected !== null && nodes.includes(selected)) this.#app.select(layer, false);
    this.toggleGroup(group);
    if (whole) cam.all();
    else if (!collapsed.has(group)) drawing.showAll([...(layer === undefined ? [] : [layer]), ...nodes]);
    else drawing.show(node);
  }

  /** Collapses these groups, and no other. @param {Set<number>} groups */
  collapse(groups) {
    const app = this.#app;
    app.collapsed = groups;
    app.layOut();
    app.cam.all();
    app.foldsChanged();
  }
}
