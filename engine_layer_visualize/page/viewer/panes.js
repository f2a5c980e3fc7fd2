// @ts-check
// The views below the drawing, one at a time: which one is open, and who is told of a change.

import * as dom from "./dom.js";

/** @import { Pane } from "./types.d.ts" */

export class Panes {
  #panes;
  #moved;
  /** What had the focus before one was opened. @type {Element | null} */
  #before = null;

  /**
   * @param {Pane[]} panes
   * @param {(open: boolean) => void} moved called when one was opened, or the open one closed
   */
  constructor(panes, moved) {
    this.#panes = panes;
    this.#moved = moved;
  }

  /** The id of the open one; null: none. */
  get open() {
    return this.#panes.find((pane) => !dom.find(pane.id).hidden)?.id ?? null;
  }

  /** Of those that the open engine has. */
  get ids() {
    return this.#panes.filter((pane) => pane.there ?? true).map((pane) => pane.id);
  }

  /** Opens this one in place of another; null: closes it. @param {string | null} id */
  show(id) {
    const found = this.#panes.find((pane) => pane.id === id && (pane.there ?? true));
    const { open } = this;
    const inside = open !== null && dom.find(open).contains(document.activeElement);
    if (found && !inside) this.#before = document.activeElement;
    for (const pane of this.#panes) {
      dom.find(pane.id).hidden = pane !== found;
      document.getElementById(`show-${pane.id}`)?.setAttribute("aria-pressed", String(pane === found));
    }
    found?.update(); // it may take more room then
    this.#moved(Boolean(found));
    if (found) found.focus();
    else if (inside) this.#back();
  }

  /** The focus goes to where it was before, else to the drawing. */
  #back() {
    const before = this.#before instanceof HTMLElement ? this.#before : null;
    before?.focus({ preventScroll: true });
    if (!before || document.activeElement !== before) dom.find("drawing").focus({ preventScroll: true });
  }

  /** Nothing, where the open engine has no such view. @param {string} id */
  toggle(id) {
    if (this.ids.includes(id)) this.show(this.open === id ? null : id);
  }

  /** Another engine was opened. */
  reset() {
    if (this.open && !this.ids.includes(this.open)) this.show(null);
    for (const pane of this.#panes) pane.reset();
  }

  /** What they show has changed: hits, optimisation profile, colours. */
  update() {
    for (const pane of this.#panes) pane.update();
  }

  /** The pointer is on another box of the drawing. */
  point() {
    for (const pane of this.#panes) pane.point?.();
  }

  /** Another node was selected. @param {number | null} node */
  select(node) {
    for (const pane of this.#panes) pane.select(node);
  }
}
