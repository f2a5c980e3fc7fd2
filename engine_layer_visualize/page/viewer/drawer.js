// @ts-check
// The panel in a small window, where it takes its room from the drawing: when it is open, and its button.

import * as dom from "./dom.js";

const [NARROW, PHONE] = [900, 600].map((px) => matchMedia(`(max-width: ${px}px)`)); // as in page.css

export class Drawer {
  #state;
  #wanted = false; // the overview
  #panel = dom.find("panel");
  #button = dom.find("show-panel");

  /** @param {{ tells(): boolean; pane(): boolean }} state whether a layer or finding is told of; whether a view below is open */
  constructor(state) {
    this.#state = state;
  }

  get open() {
    return this.#panel.classList.contains("open");
  }

  /** Width and height that it takes from the drawing. */
  get taken() {
    const { offsetWidth: wide, offsetHeight: tall } = this.#panel;
    return PHONE.matches ? [0, tall] : [NARROW.matches ? wide : 0, 0];
  }

  /** After a change of what it tells. Gives whether the drawing has other room now; a focus in it goes to the drawing then. */
  update() {
    const { tells, pane } = this.#state;
    const was = this.open;
    const open = this.#wanted || (tells() && !(PHONE.matches && pane()));
    const inside = this.#panel.contains(document.activeElement);
    this.#panel.classList.toggle("open", open);
    this.#button.setAttribute("aria-pressed", String(open));
    this.#button.textContent = tells() ? "Details" : "Overview";
    if (inside && !this.#panel.getClientRects().length) dom.find("drawing").focus({ preventScroll: true });
    return open !== was && NARROW.matches;
  }

  /** The button: another view below gives way on a phone. @param {{ end(): void; closePane(): void }} app */
  toggle({ end, closePane }) {
    const { open } = this;
    if (open) end();
    else if (PHONE.matches) closePane();
    this.#wanted = !open && !this.#state.tells();
  }

  /** Another view was opened below. */
  giveWay() {
    if (PHONE.matches) this.#wanted = false;
  }
}
