// @ts-check
// Names, attributes and texts -> the page's elements, made or found. Text of a log goes through textContent or
// setAttribute alone: no markup is parsed.

/** @import { Attributes, Child } from "./types.d.ts" */

/**
 * el("a", {href: "#layer=1", on: {click}}, "text", child, …); null children are left out.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Attributes} attributes
 * @param {...(Child | Child[])} children
 */
export function el(tag, { on = {}, style = {}, ...attributes }, ...children) {
  const made = document.createElement(tag);
  for (const [event, call] of Object.entries(on)) made.addEventListener(event, /** @type {EventListener} */ (call));
  for (const [name, value] of Object.entries(style)) made.style.setProperty(name, value ?? null);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key === "href" && !String(value).startsWith("#")) throw new Error("links stay on the page");
    made.setAttribute(key, value === true ? "" : String(value));
  }
  return fill(made, ...children);
}

/**
 * @param {Attributes} attributes
 * @param {...(Child | Child[])} children
 */
export const button = (attributes, ...children) => el("button", { type: "button", ...attributes }, ...children);

/**
 * A table of these cells.
 * @param {Attributes} attributes
 * @param {HTMLElement[]} heads
 * @param {HTMLElement[][]} rows
 */
export const table = (attributes, heads, rows) => {
  /** @param {HTMLElement[]} cells */
  const line = (cells) => el("tr", {}, cells);
  return el("table", attributes, el("thead", {}, line(heads)), el("tbody", {}, rows.map(line)));
};

/** A paragraph of less weight. @param {...(Child | Child[])} children */
export const muted = (...children) => el("p", { class: "muted" }, ...children);

/**
 * A text whose numbers stay on one line with their units.
 * @param {string} text
 */
export function unbroken(text) {
  return text
    .split(/((?:≈ )?\d[\d.,]* (?:%|[nmµ]?s|[KMG]iB|B)(?![\w]))/)
    .map((part, at) => (at % 2 ? el("span", { class: "kept" }, part) : part))
    .filter(Boolean);
}

/**
 * A button that closes something, or takes it away.
 * @param {string} label
 * @param {() => void} click
 */
export const cross = (label, click) => button({ class: "close", "aria-label": label, on: { click } }, "×");

/** @param {string} text */
export const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/**
 * A sentence: what stands in backticks is set as code, numbers stay with their units. Where it is not clear which
 * backticks belong together, as of a name that has some, they stay as they are.
 * @param {string} text
 * @returns {Child[]}
 */
export function sentence(text) {
  const pieces = text.split("`");
  const clear = pieces.every((piece, at) =>
    at % 2 ? piece : /\s/.test(piece) || at === 0 || at === pieces.length - 1,
  );
  if (pieces.length % 2 === 0 || !clear) return unbroken(text);
  return pieces.flatMap((piece, at) =>
    at % 2 ? [el("code", { class: piece.length > 24 && "long" }, piece)] : unbroken(piece),
  );
}

/**
 * The element with this id, which is one of `kind`.
 * @template {HTMLElement} [T=HTMLElement]
 * @param {string} id
 * @param {new () => T} [kind]
 */
export function find(id, kind) {
  const found = document.getElementById(id);
  if (!(found instanceof (kind ?? HTMLElement))) throw new Error(`the page has no ${id}`);
  return /** @type {T} */ (found);
}

/**
 * Replaces what is in `parent`; null children are left out.
 * @template {Element} T
 * @param {T} parent
 * @param {...(Child | Child[])} children
 */
export function fill(parent, ...children) {
  const there = children.flat().filter((child) => child !== null && child !== undefined && child !== false);
  parent.replaceChildren(.../** @type {(Node | string)[]} */ (there));
  return parent;
}

/**
 * Replaces what is in `parent`. A focus inside goes to the control that has the same name as the one before, else
 * to `parent`.
 * @param {HTMLElement} parent
 * @param {...(Child | Child[])} children
 */
export function refill(parent, ...children) {
  const before = document.activeElement;
  const inside = before !== parent && parent.contains(before) && before instanceof HTMLElement;
  fill(parent, ...children);
  if (!inside) return;
  const same = [...parent.querySelectorAll("a, button, summary")].find(
    (each) => each instanceof HTMLElement && nameOf(each) === nameOf(before) && !each.matches(":disabled"),
  );
  if (same) /** @type {HTMLElement} */ (same).focus();
  else parent.focus({ preventScroll: true });
}

/** @param {HTMLElement} control */
const nameOf = (control) => control.dataset.key ?? control.getAttribute("aria-label") ?? control.textContent;

/**
 * The drawing context of a canvas.
 * @param {HTMLCanvasElement} canvas
 * @param {CanvasRenderingContext2DSettings} [settings]
 */
export function contextOf(canvas, settings) {
  const context = canvas.getContext("2d", settings);
  if (!context) throw new Error("this browser has no canvas");
  return context;
}

let ended = new AbortController();

/** Ends what `listen` and `resized` began: the page shows something else. */
export function end() {
  ended.abort();
  ended = new AbortController();
}

/**
 * Listens until the page shows something else.
 * @param {EventTarget} target
 * @param {string} type
 * @param {(event: any) => void} call
 */
export const listen = (target, type, call) => target.addEventListener(type, call, { signal: ended.signal });

/** The same for another size of an element. @param {Element} element @param {() => void} call */
export function resized(element, call) {
  const observer = new ResizeObserver(call);
  observer.observe(element);
  ended.signal.addEventListener("abort", () => observer.disconnect());
}

/**
 * Calls after so many milliseconds, or without a number at the next frame; not where the page shows something else then.
 * @param {() => void} call
 * @param {number} [wait]
 */
export function later(call, wait) {
  const { signal } = ended;
  const due = () => signal.aborted || call();
  return wait === undefined ? requestAnimationFrame(due) : window.setTimeout(due, wait);
}

/** The data elements of a class. @param {string} name @param {ParentNode} [page] */
export const json = (name, page = document) => [...page.querySelectorAll(`script.${name}`)];

/**
 * What stands in a data element; the caller knows its type.
 * @param {Element} element
 */
export const parsed = (element) => JSON.parse(element.textContent ?? "null");

/** The JSON that stands deflated in a data element. @param {Element} element */
export function inflated(element) {
  const bytes = Uint8Array.from(atob(element.textContent ?? ""), (letter) => letter.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).text();
}

/**
 * Puts a tooltip beside a point, where there is room for it.
 * @param {HTMLElement} tip
 * @param {number} x
 * @param {number} y
 * @param {{ width: number; height: number }} room
 */
export function beside(tip, x, y, room) {
  const [width, height] = [tip.offsetWidth, tip.offsetHeight];
  tip.style.left = `${Math.max(4, Math.min(x + 14, room.width - width - 8))}px`;
  tip.style.top = `${y + 18 + height > room.height ? y - height - 12 : y + 18}px`;
}
