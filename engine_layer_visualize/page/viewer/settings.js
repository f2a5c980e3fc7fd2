// @ts-check
// What a person chose for every page -> kept by the browser, where it keeps anything.

const PREFIX = "engine_layer_visualize.";

/** @typedef {"theme" | "wheel"} Setting */

/** What was chosen; null: nothing, or the browser keeps nothing. @param {Setting} name */
export function kept(name) {
  try {
    return localStorage.getItem(PREFIX + name);
  } catch {
    return null;
  }
}

/** @param {Setting} name @param {string} value */
export function keep(name, value) {
  try {
    localStorage.setItem(PREFIX + name, value);
  } catch {
    // it holds for this page alone
  }
}
