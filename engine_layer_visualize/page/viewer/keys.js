// @ts-check
// Keys with their words -> what a press does. The help lists the same keys.

import * as dom from "./dom.js";

/** @import { Key } from "./types.d.ts" */

/**
 * Whether a key is the element's own. A choice that was made keeps the focus: its arrows choose again, letters are the
 * page's.
 * @param {EventTarget | null} target
 * @param {string} key
 */
const isOwn = (target, key) =>
  target instanceof HTMLElement && target.matches(/^[^ ]$/.test(key) ? "input, textarea" : "input, textarea, select");

/**
 * Calls what belongs to a key: first those of the element that has the focus.
 * @param {Key[]} keys of the page
 * @param {Map<HTMLElement, Key[]>} [of] of elements
 */
export function connect(keys, of = new Map()) {
  /** @type {(list: Key[], event: KeyboardEvent) => Key | undefined} */
  const among = (list, event) =>
    list.find((one) => one.keys.includes(event.shiftKey && event.key.length > 1 ? `Shift+${event.key}` : event.key));
  dom.listen(window, "keydown", (/** @type {KeyboardEvent} */ event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    const { target, key } = event;
    if (isOwn(target, key)) {
      if (key === "Escape") document.getElementById("drawing")?.focus({ preventScroll: true });
      return;
    }
    const own = of.get(/** @type {HTMLElement} */ (target));
    const found = (own && among(own, event)) ?? among(keys, event);
    if (!found) return;
    if (key !== "Escape") event.preventDefault();
    found.call();
  });
}

/**
 * For the help: the keys that belong together, and what they do.
 * @param {Key[]} keys
 * @returns {string[][]}
 */
export const words = (keys) => keys.filter((key) => key.about).map((key) => [key.shown ?? key.keys[0], key.about]);

/**
 * Keys of the drawing while it has the focus: the arrows pan, and with `walk` they go along edges, where it says that
 * they did; with Shift they always pan.
 * @param {import("./camera.js").Camera} cam
 * @param {(way: import("./arrows.js").Way) => boolean} walk
 * @returns {Key[]}
 */
export function ofDrawing(cam, walk) {
  const page = () => cam.view.height * 0.8;
  /** @type {[way: import("./arrows.js").Way, dx: number, dy: number][]} */
  const arrows = [
    ["left", -1, 0],
    ["right", 1, 0],
    ["up", 0, -1],
    ["down", 0, 1],
  ];
  const lists = arrows.map(([way, dx, dy]) => {
    const key = `Arrow${way[0].toUpperCase()}${way.slice(1)}`;
    const call = () => {
      if (!walk(way)) cam.pan(80 * dx, 80 * dy);
    };
    return [
      { keys: [key], about: "", call },
      { keys: [`Shift+${key}`], about: "", call: () => cam.pan(200 * dx, 200 * dy) },
    ];
  });
  const [first, ...rest] = lists.flat();
  return [
    { ...first, shown: "↓, ↑", about: "in the drawing: to a layer that reads from the selected one, or writes to it" },
    {
      ...rest[0],
      shown: "←, →",
      about: "to the neighbour in the row, then in the row beside",
    },
    { ...rest[1], shown: "Shift+arrow", about: "moves the drawing; so do the arrows while nothing is selected" },
    ...rest.slice(2),
    { keys: ["PageUp"], about: "", call: () => cam.pan(0, -page()) },
    { keys: ["PageDown"], about: "", call: () => cam.pan(0, page()) },
  ];
}

/**
 * Keys of every page: zoom and search.
 * @param {{ cam: import("./camera.js").Camera; search: { focus(): void }; showHelp(): void }} page
 * @returns {Key[]}
 */
export const common = ({ cam, search, showHelp }) => [
  { keys: ["/"], about: "search; Enter and the arrows go through the results", call: () => search.focus() },
  { keys: ["+", "="], shown: "+, -, 0", about: "zoom in, zoom out, show all", call: () => cam.zoom(1.3) },
  { keys: ["-"], about: "", call: () => cam.zoom(1 / 1.3) },
  { keys: ["0"], about: "", call: () => cam.all() },
  { keys: ["?"], about: "this help", call: showHelp },
];
