// @ts-check
// Sentences -> a line over the drawing, which stays until it is closed.

import * as dom from "./dom.js";
import { el } from "./dom.js";

/**
 * @param {string[]} sentences none: the line goes
 * @param {HTMLElement | null} [choice] what can be done about it
 */
export function say(sentences, choice = null) {
  const place = dom.find("notice");
  const close = () => {
    place.hidden = true;
    dom.find("drawing").focus({ preventScroll: true });
  };
  place.hidden = !sentences.length;
  dom.fill(
    place,
    el(
      "div",
      {},
      sentences.slice(0, 6).map((words) => el("p", {}, words)),
    ),
    choice,
    dom.cross("Close the message", close),
  );
}
