// @ts-check
// A text -> the clipboard; where the browser refuses, a field that holds the text, selected.

import * as dom from "./dom.js";
import { el } from "./dom.js";

const TOLD = 1500; // milliseconds

/** Shows the text in a field, selected. @param {string} text */
function ask(text) {
  const dialog = dom.find("copy", HTMLDialogElement);
  const field = el("textarea", { readonly: true, rows: "6", "aria-label": "The text" });
  field.value = text;
  dom.fill(
    dialog,
    dom.cross("Close", () => dialog.close()),
    el("h2", { id: "copy-title" }, "Copy this text"),
    dom.muted("The browser keeps this page from the clipboard. The text is selected: press Ctrl+C, or ⌘C."),
    field,
  );
  if (!dialog.open) dialog.showModal();
  field.focus();
  field.select();
}

/**
 * Gives whether it was copied; if not, the text is shown.
 * @param {string} text
 */
export function copy(text) {
  const copied = navigator.clipboard?.writeText(text) ?? Promise.reject(new Error("no clipboard"));
  return copied.then(
    () => true,
    () => {
      ask(text);
      return false;
    },
  );
}

/**
 * A button that copies, and says when it has.
 * @param {string} label
 * @param {() => string} text
 * @param {import("./types.d.ts").Attributes} [attributes]
 */
export function copyButton(label, text, attributes = {}) {
  const click = () =>
    void copy(text()).then((done) => {
      if (!done) return;
      button.textContent = "Copied";
      setTimeout(() => {
        button.textContent = label;
      }, TOLD);
    });
  const button = dom.button({ ...attributes, on: { click } }, label);
  return button;
}
