// @ts-check
// What a search may hold, and the keys -> a dialog; a click on an example searches for it.

import * as dom from "./dom.js";
import { el } from "./dom.js";

/** @import { Grammar } from "./types.d.ts" */

/**
 * @param {Grammar} grammar
 * @param {string[][]} keys
 * @param {(query: string) => void} search
 * @param {string[][]} [mouse]
 */
export function open({ fields, terms }, keys, search, mouse = []) {
  const dialog = dom.find("help", HTMLDialogElement);
  const close = () => dialog.close();
  /** @param {string} example */
  const take = (example) => () => {
    close();
    search(example);
  };
  /** @param {string[]} row */
  const term = ([example, about]) => [
    el("dt", {}, dom.button({ class: "plain", on: { click: take(example) } }, example)),
    el("dd", {}, about),
  ];
  /** @type {(title: string, rows: string[][]) => HTMLElement[]} */
  const pressed = (title, rows) => [
    el("h2", {}, title),
    el(
      "dl",
      {},
      rows.flatMap(([key, about]) => [el("dt", {}, el("kbd", {}, key)), el("dd", {}, about)]),
    ),
  ];
  dom.fill(
    dialog,
    dom.cross("Close the help", close),
    pressed("Keys", keys),
    mouse.length ? pressed("Mouse", mouse) : null,
    el("h2", {}, "Search"),
    el("dl", {}, terms.flatMap(term)),
    el("h2", {}, "Search one field"),
    el(
      "dl",
      {},
      Object.values(fields).flatMap(({ example, about }) => term([example, about])),
    ),
  );
  if (!dialog.open) dialog.showModal();
}
