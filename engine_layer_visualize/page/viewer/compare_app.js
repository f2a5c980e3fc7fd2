// @ts-check
// The shown comparison, and what of it is selected, found and in the window; each change goes from here to the
// drawing, the table and the panel.

import * as camera from "./camera.js";
import { Camera } from "./camera.js";
import { shares } from "./compare_data.js";
import { arrange } from "./compare_layout.js";
import * as painting from "./compare_paint.js";
import { overview, told } from "./compare_panel.js";
import { GroupTable } from "./compare_table.js";
import { waterfall } from "./compare_waterfall.js";
import * as dom from "./dom.js";
import { Drawer } from "./drawer.js";
import { Address } from "./links.js";
import * as palette from "./palette.js";
import { SearchField } from "./search_field.js";

/** @import { Compared, Look, Palette } from "./types.d.ts" */

const SETTLED = 400; // milliseconds without a letter in the search field

export class CompareApp {
  canvas = dom.find("drawing", HTMLCanvasElement);
  /** The shown comparison, which the search looks through. @type {Compared} */
  engine = /** @type {any} */ (null);
  /** @type {Palette} */
  colors;
  /** @type {number | null} */
  selected = null;
  /** Nodes that a search found; null: no search. @type {Set<number> | null} */
  hits = null;
  /** The step of the waterfall whose groups are shown; null: all. @type {string | null} */
  cause = null;
  place = 0; // of the shown comparison among the page's
  address = new Address();
  #context = dom.contextOf(this.canvas, { alpha: false });
  #requested = 0;
  #ratio = 1;

  /**
   * @param {Look} look
   * @param {boolean} begun on the page of A
   */
  constructor(look, begun) {
    this.begun = begun;
    this.look = { ...look, search: { ...look.search, fields: look.pair.fields } };
    this.colors = palette.of(look, false);
    this.cam = new Camera(() => this.requestDraw());
    camera.wheel(this.canvas, this.cam);
    camera.drag(this.canvas, this.cam);
    this.table = new GroupTable(this);
    this.search = new SearchField(this);
    this.drawer = new Drawer({ tells: () => this.selected !== null, pane: () => !dom.find("table").hidden });
  }

  /**
   * @param {Compared} compared
   * @param {number} place among the page's comparisons
   */
  open(compared, place) {
    Object.assign(this, { engine: compared, place, selected: null, hits: null, cause: null });
    document.title = compared.title;
    const [ratio] = compared.headline;
    dom.fill(dom.find("title"), dom.el("b", { title: compared.title }, `${compared.called} ${ratio || "against A"}`));
    compared.sides.forEach((side, at) => {
      dom.fill(dom.find(`head-${"ab"[at]}`), `${"AB"[at]}: ${side.words} · ${side.engine}`);
    });
    arrange(compared);
    this.cam.drawing = { width: 1, height: compared.tall };
    this.size();
    this.cam.set(0, -8, 1);
    this.select(null, true);
  }

  // ---- drawing ----------------------------------------------------------------------------------

  /** Takes the size of the window. */
  size() {
    const { view } = this.cam;
    this.#ratio = this.cam.measure(this.canvas);
    this.cam.margins = { top: 12, left: 0, right: 0, bottom: 12 };
    this.cam.least = Math.min(0.5, (view.height - 24) / Math.max(1, this.cam.drawing.height));
    this.#draw();
  }

  #draw() {
    if (this.engine) painting.draw(this.#context, this.sight, this.#ratio);
  }

  requestDraw() {
    this.#requested ||= dom.later(() => {
      this.#requested = 0;
      this.#draw();
    });
  }

  /** What is drawn, and how. */
  get sight() {
    const { engine, cause, hits, colors, selected } = this;
    const step = cause === null ? null : shares(engine, cause);
    /** @param {number} node */
    const shown = (node) => {
      const own = engine.sides[engine.side(node)];
      return cause === null || engine.text(own.cause[engine.index(node)]) === cause;
    };
    /** @param {number} node */
    const lit = (node) => (!hits || hits.has(node)) && shown(node);
    const some = hits || cause !== null ? lit : null;
    return { compared: engine, colors, view: this.cam.view, selected, lit: some, step };
  }

  /** Draws and tells all anew, or only what the selection changes. */
  #changed(all = true) {
    const { engine, selected } = this;
    if (all) {
      dom.refill(dom.find("waterfall"), waterfall(this));
      dom.refill(dom.find("shown"), this.#told());
    }
    dom.refill(dom.find("panel"), selected === null ? overview(this) : told(this, selected));
    if (this.drawer.update()) this.size();
    if (all) this.table.update();
    else this.table.select();
    const words = selected === null ? engine.first : engine.label(selected);
    this.canvas.setAttribute("aria-label", `${engine.title}. ${words}`);
    this.requestDraw();
  }

  /** Ends what the panel tells. */
  close() {
    this.select(null);
  }

  // ---- what the page can do ----------------------------------------------------------------------

  /**
   * Tells everything of a layer and its group, and brings it into the window.
   * @param {number | null} node
   * @param {boolean} [all] something else changed, too
   */
  select(node, all = false) {
    const { engine } = this;
    if (node !== null && !(node >= 0 && node < engine.nodes)) {
      this.select(null, all);
      return;
    }
    this.selected = node;
    this.#changed(all);
    if (node !== null && !this.#inView(node)) this.#show(node);
    this.address.changed();
  }

  /** @param {number} node */
  #top(node) {
    return this.engine.sides[this.engine.side(node)].top[this.engine.index(node)];
  }

  /** @param {number} node @param {number} below pixels that it needs below its top */
  #inView(node, below = 40) {
    const { view } = this.cam;
    const y = (this.#top(node) - view.y) * view.scale;
    return y > 0 && y < view.height - below;
  }

  /** @param {number} node */
  #show(node) {
    const { view } = this.cam;
    const scale = Math.max(view.scale, 1);
    this.cam.glide(0, this.#top(node) - view.height / 3 / scale, scale);
  }

  /**
   * To the layer before (-1) or after (1) the selected one, on its side.
   * @param {number} by
   */
  step(by) {
    const { engine, selected } = this;
    if (selected === null) {
      this.select(0);
      return;
    }
    const side = engine.side(selected);
    const last = engine.sides[side].name.length - 1;
    this.select(engine.node(side, Math.max(0, Math.min(last, engine.index(selected) + by))));
  }

  /**
   * To the partner on that side, or what stands where it would.
   * @param {number} side
   */
  cross(side) {
    const { engine, selected } = this;
    if (selected === null || engine.side(selected) === side) return;
    const group = engine.groupOf(selected);
    const own = engine.sides[side];
    const near = painting.firstBelow(own, this.#top(selected));
    const to = group >= 0 ? engine.members[group][side][0] : Math.min(near, own.name.length - 1);
    if (to >= 0) this.select(engine.node(side, to));
  }

  /** @param {number[] | null} found */
  showHits(found) {
    this.hits = found && new Set(found);
    this.#changed();
    this.address.changed(SETTLED);
  }

  /**
   * Shows what a step of the waterfall sums, and brings the most of it into the window; the same again: everything.
   * @param {string | null} cause
   */
  showCause(cause) {
    const inside = dom.find("shown").contains(document.activeElement);
    this.cause = this.cause === cause ? null : cause;
    const { lit } = this.sight;
    if (this.selected !== null && lit && !lit(this.selected)) this.selected = null;
    this.#changed();
    if (inside) this.canvas.focus({ preventScroll: true });
    this.table.rewind();
    this.#reveal();
    this.address.changed();
  }

  /** Of what a step shows, the first row of the table comes into the window, unless some of it is there. */
  #reveal() {
    const { first } = this.table;
    const seen = first.some((node) => this.#inView(node, this.cam.view.height / 3));
    if (this.cause !== null && first.length && !seen) this.#show(first[0]);
  }

  /** Which step is shown, how much it is, and the way back. @returns {import("./types.d.ts").Child[]} */
  #told() {
    const { cause, engine, table } = this;
    if (cause === null) return [];
    const [, words, , sign] = engine.waterfall.find(([name]) => name === cause) ?? [];
    const back = dom.button({ on: { click: () => this.showCause(null) }, title: "Show everything (Esc)" }, "Show all");
    return [dom.el("span", {}, dom.el("b", {}, `${words}: ${sign}`), ` · ${table.words}`), back];
  }

  /** Ends what stands on top: the tip, the table if the focus is in it, the choice of a cause, the search, the selection. */
  clear() {
    const [tip, table] = [dom.find("tip"), dom.find("table")];
    if (!tip.hidden) tip.hidden = true;
    else if (table.contains(document.activeElement)) this.showTable(false);
    else if (this.cause !== null) this.showCause(null);
    else if (this.hits) this.search.clear();
    else if (this.selected !== null) {
      this.select(null);
      this.canvas.focus({ preventScroll: true });
    } else if (this.drawer.open) this.togglePanel();
    else if (!table.hidden) this.showTable(false);
  }

  /** @param {boolean} yes */
  showTable(yes) {
    const table = dom.find("table");
    const inside = table.contains(document.activeElement);
    table.hidden = !yes;
    if (inside && !yes) this.canvas.focus({ preventScroll: true });
    dom.find("show-table").setAttribute("aria-pressed", String(yes));
    this.table.update();
    if (yes) this.drawer.giveWay();
    if (this.drawer.update()) this.size();
  }

  /** Opens the panel in a small window, or ends what it tells. */
  togglePanel() {
    this.drawer.toggle({ end: () => this.select(null), closePane: () => this.showTable(false) });
    if (this.drawer.update()) this.size();
  }

  /** @param {boolean} yes */
  dark(yes) {
    this.colors = palette.of(this.look, yes);
    palette.apply(this.colors);
    dom.find("dark").setAttribute("aria-pressed", String(yes));
    if (this.engine) this.#changed();
  }
}
