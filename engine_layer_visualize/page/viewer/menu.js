// @ts-check
// A button and what it shows or hides: the controls that the bar has no room for, the legend in a small window.

import * as dom from "./dom.js";

/**
 * Opens and closes the element with this id by the button `show-ID`. Gives what does it.
 * @param {string} id
 */
export function toggled(id) {
  const [button, place] = [dom.find(`show-${id}`), dom.find(id)];
  /** @param {boolean} [yes] */
  const show = (yes) => button.setAttribute("aria-expanded", String(place.classList.toggle("open", yes)));
  button.addEventListener("click", () => show());
  return show;
}

/** The same for the menu, which closes on Escape, on a press elsewhere, and when the focus leaves it. */
export function connect() {
  const [button, place] = [dom.find("show-more"), dom.find("more")];
  const around = /** @type {HTMLElement} */ (button.parentElement);
  const show = toggled("more");
  /** @param {EventTarget | null} target */
  const outside = (target) => !around.contains(/** @type {Node | null} */ (target));
  around.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !place.classList.contains("open")) return;
    event.stopPropagation();
    show(false);
    button.focus();
  });
  around.addEventListener("focusout", ({ relatedTarget }) => {
    const within = relatedTarget === null || !outside(relatedTarget) || document.querySelector("dialog[open]");
    if (!within) show(false);
  });
  dom.listen(window, "pointerdown", ({ target }) => {
    if (outside(target)) show(false);
  });
}
