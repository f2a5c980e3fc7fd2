// @ts-check
// The view as a list of parts -> the address's fragment, #engine=0&layer=12&q=type:conv, and back. A change of a
// part is an entry of the browser's history; going back and forward sets the parts that differ.

import * as dom from "./dom.js";

/** @import { Part } from "./types.d.ts" */

const REST = 220; // milliseconds without a change, after which it is written
const READABLE = /%(?:2C|2F|3A|3B|3D|3F|40|24|7C)/g; // , / : ; = ? @ $ | may stand in a fragment's value

/** @param {string} value */
const encoded = (value) =>
  encodeURIComponent(value.toWellFormed()).replace(READABLE, decodeURIComponent).replaceAll("%20", "+");

/** @param {[key: string, value: string][]} pairs */
const written = (pairs) => `#${pairs.map(([key, value]) => `${key}=${encoded(value)}`).join("&")}`;

/** What is said of a part of a link. @param {string} pair */
const fault = (pair) => `The link says “${pair.slice(0, 60)}”, which cannot be shown here.`;

/**
 * The parts that an address names, and what is wrong with it.
 * @param {string} hash
 */
export function parsed(hash) {
  /** @type {Map<string, string>} */
  const values = new Map();
  const wrong = [];
  for (const pair of hash.replace(/^#/, "").split("&").filter(Boolean)) {
    const [, key, value = ""] = /^([^=]*)=?(.*)$/s.exec(pair) ?? ["", pair];
    try {
      values.set(key, decodeURIComponent(value.replaceAll("+", " ")));
    } catch {
      wrong.push(fault(pair));
    }
  }
  return { values, wrong };
}

/**
 * The address of a layer.
 * @param {number} engine
 * @param {number | null} layer
 */
export const to = (engine, layer) =>
  written([
    ["engine", String(engine)],
    .../** @type {[string, string][]} */ (layer === null ? [] : [["layer", String(layer)]]),
  ]);

export class Address {
  /** @type {Part[]} */
  #parts = [];
  /** @type {(wrong: string[]) => void} */
  #tell = () => {};
  /** What the address says now. @type {Map<string, string>} */
  #said = new Map();
  #hash = "";
  #restoring = false;
  #changed = 0; // when something was changed last
  /** @type {number | undefined} */
  #timer;

  /**
   * Follows the address from now on. What it says already is set.
   * @param {Part[]} parts in an order in which they can be set; the first says what is open
   * @param {(wrong: string[]) => void} tell says what is wrong with a link
   */
  connect(parts, tell) {
    [this.#parts, this.#tell] = [parts, tell];
    const follow = () => {
      if (location.hash !== this.#hash) this.#restore(false);
    };
    dom.listen(window, "popstate", follow);
    dom.listen(window, "hashchange", follow);
    this.#restore(true);
  }

  /** The address of the view. */
  get hash() {
    return written([...this.#values()]);
  }

  /**
   * A part may have changed. The first of several quick changes is written at once, the rest when they end.
   * @param {number} [wait] milliseconds to wait in any case, for what is still being typed
   */
  changed(wait = 0) {
    if (!this.#parts.length || this.#restoring) return;
    const now = performance.now();
    const quick = now - this.#changed < REST;
    if (!wait) this.#changed = now;
    clearTimeout(this.#timer);
    if (wait || quick) this.#timer = dom.later(() => this.#write(), Math.max(wait, REST));
    else queueMicrotask(() => this.#write()); // what was called last may change more
  }

  /** Whether a change is not yet written; for tests. */
  get waiting() {
    return this.#timer !== undefined;
  }

  #values() {
    /** @type {Map<string, string>} */
    const values = new Map();
    for (const part of this.#parts) {
      const value = part.read();
      if (value !== null) values.set(part.key, value);
    }
    return values;
  }

  /** @param {boolean} [over] in place of the entry that is open */
  #write(over = false) {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const values = this.#values();
    const differs = this.#parts.filter(({ key }) => values.get(key) !== this.#said.get(key));
    if (!differs.length && !over) return;
    this.#said = values;
    this.#hash = written([...values]);
    const replace = over || differs.every((part) => part.quiet);
    try {
      if (replace) history.replaceState(null, "", this.#hash);
      else history.pushState(null, "", this.#hash);
    } catch {
      // Some browsers keep files from having a history, and all of them limit how often it is written.
      if (replace) location.replace(this.#hash);
      else location.hash = this.#hash;
    }
  }

  /**
   * Sets what the address says; what it leaves out becomes as it is at first.
   * @param {boolean} fresh the page has just been opened
   */
  #restore(fresh) {
    clearTimeout(this.#timer);
    const { values, wrong } = parsed(location.hash);
    const focus = document.activeElement;
    this.#restoring = true;
    try {
      const known = new Set(this.#parts.map((part) => part.key));
      for (const [key, value] of values) if (!known.has(key)) wrong.push(fault(`${key}=${value}`));
      const [first, ...others] = this.#parts;
      const there = first.apply(values.get(first.key) ?? null);
      if (!there) wrong.unshift(fault(`${first.key}=${values.get(first.key)}`));
      for (const part of others) this.#set(part, values.get(part.key) ?? null, wrong);
      if (!there) for (const part of others) part.apply(null); // they are of another engine
    } finally {
      this.#restoring = false;
    }
    if (focus instanceof HTMLElement && focus.isConnected && !fresh) focus.focus({ preventScroll: true });
    this.#write(true);
    this.#tell(wrong);
  }

  /**
   * @param {Part} part
   * @param {string | null} value
   * @param {string[]} wrong
   */
  #set(part, value, wrong) {
    const before = part.read();
    if (value === before) return;
    if (part.apply(value)) return;
    wrong.push(fault(`${part.key}=${value}`));
    if (before !== null && part.read() === before) part.apply(null); // nothing that the link does not say
  }
}
