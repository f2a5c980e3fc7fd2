// @ts-check
// What a search may hold, and the keys -> a dialog; a click on an example searches for it.

import * as dom from "./dom.js";
import { el } from "./dom.js";

/** @import { Grammar } from "./types.d.ts" */

/**
 * @param {Grammar} grammar
 * @param {string[][]} keys
 * @param {(query: string) => void} search
 */
export function open({ fields, terms }, keys, search) {
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
  dom.fill(
    dialog,
    dom.cross("Close the help", close),
    el("h2", { id: "help-title" }, "Search"),
    el("dl", {}, terms.flatMap(term)),
    el("h2", {}, "Search one field"),
    el(
      "dl",
      {},
      Object.values(fields).flatMap(({ example, about }) => term([example, about])),
    ),
    el("h2", {}, "Keys"),
    el(
      "dl",
      {},
      keys.flatMap(([key, about]) => [el("dt", {}, el("kbd", {}, key)), el("dd", {}, about)]),
    ),
  );
  if (!dialog.open) dialog.showModal();
}
