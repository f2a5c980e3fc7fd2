// @ts-check
// Connects the controls that every page has: the choice of an engine, zoom, light or dark, keys, the menu.

import * as dom from "./dom.js";
import { el } from "./dom.js";
import * as keys from "./keys.js";

/** @import { Key, Look, Palette } from "./types.d.ts" */

/**
 * @typedef {object} Page
 * @property {import("./camera.js").Camera} cam
 * @property {Look} look
 * @property {Palette} colors
 * @property {(yes: boolean) => void} dark
 */

/**
 * @param {Page} page
 * @param {object} parts
 * @param {string[]} parts.engines what the choice of an engine says of each
 * @param {(place: number) => void} parts.open shows the engine at this place
 * @param {[id: string, click: () => void][]} parts.buttons of this page alone
 * @param {Key[]} parts.keys
 * @param {Map<HTMLElement, Key[]>} parts.keysOf elements, while they have the focus
 */
export function connect(page, { engines, open, buttons, keys: pageKeys, keysOf }) {
  const { cam } = page;
  const several = dom.find("engines", HTMLSelectElement);
  dom.fill(
    several,
    engines.map((words, place) => el("option", { value: String(place) }, words)),
  );
  dom.find("switch").hidden = engines.length < 2;
  several.addEventListener("change", () => open(Number(several.value)));
  const turn = () => {
    page.dark(!page.colors.dark);
    keep(page.colors.dark ? "dark" : "light");
  };
  /** @type {[string, () => void][]} */
  const all = [
    ...buttons,
    ["dark", turn],
    ["in", () => cam.zoom(1.4)],
    ["out", () => cam.zoom(1 / 1.4)],
    ["all", () => cam.all()],
  ];
  for (const [id, click] of all) dom.find(id).addEventListener("click", click);
  const system = matchMedia("(prefers-color-scheme: dark)");
  dom.listen(system, "change", (event) => page.dark(event.matches));
  keys.connect(pageKeys, keysOf);
  connectMenu();
  const chosen = document.documentElement.dataset.theme ?? page.look.first ?? kept();
  page.dark(chosen ? chosen === "dark" : system.matches);
}

const THEME = "engine_layer_visualize.theme";

/** The theme that was chosen on any page; null: none, or the browser keeps nothing. */
function kept() {
  try {
    return localStorage.getItem(THEME);
  } catch {
    return null;
  }
}

/** @param {"dark" | "light"} theme */
function keep(theme) {
  try {
    localStorage.setItem(THEME, theme);
  } catch {
    // it holds for this page alone
  }
}

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
function connectMenu() {
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

/**
 * Says that the page can be used.
 * @param {string} name under which tests and the curious find the page
 * @param {object} page
 */
export function ready(name, page) {
  Object.assign(globalThis, { [name]: page });
  performance.mark("ready");
  document.documentElement.dataset.ready = "yes";
}
