// @ts-check
// Lines of the log in the program around the page, such as an editor, where that says that it shows them.

import * as dom from "./dom.js";

/** @import { Child } from "./types.d.ts" */

/** Where lines are shown. @type {{ program: Window, origin: string } | null} */
let shows = null;

export function listen() {
  addEventListener("message", ({ source, origin, data }) => {
    if (source !== parent || source === window || data?.shows !== "lines") return;
    shows = { program: parent, origin };
  });
}

/**
 * Words that show a line of a file; as they are where nothing shows it.
 * @param {string} file
 * @param {number | null} line
 * @param {string} words
 * @returns {Child[]}
 */
export function linked(file, line, words) {
  if (!shows || !line) return dom.unbroken(words);
  const { program, origin } = shows;
  const click = () => program.postMessage({ file, line }, { targetOrigin: origin });
  return [dom.button({ class: "plain", on: { click } }, ...dom.unbroken(words))];
}
