// @ts-check
// A text -> the clipboard, and what is said where the browser refuses.

import * as dom from "./dom.js";

const TOLD = 1500; // milliseconds

/** Whether it was copied: over http, and where a person forbids it, it is not. @param {string} text */
export const copy = (text) =>
  (navigator.clipboard?.writeText(text) ?? Promise.reject(new Error("no clipboard"))).then(
    () => true,
    () => false,
  );

/** @param {boolean} done @param {string} words */
export const told = (done, words) => (done ? words : "The browser keeps this page from the clipboard.");

/**
 * A button that copies, and says when it has.
 * @param {string} label
 * @param {() => string} text
 * @param {import("./types.d.ts").Attributes} [attributes]
 */
export function copyButton(label, text, attributes = {}) {
  const click = () =>
    void copy(text()).then((done) => {
      button.textContent = told(done, "Copied");
      setTimeout(() => {
        button.textContent = label;
      }, TOLD);
    });
  const button = dom.button({ ...attributes, on: { click } }, label);
  return button;
}
