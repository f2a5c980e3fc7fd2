// @ts-check
// Opens the page of a comparison: reads the data elements, connects the controls, the pointer and the keys.

import { CompareApp } from "./compare_app.js";
import { decode } from "./compare_data.js";
import * as painting from "./compare_paint.js";
import * as dom from "./dom.js";
import { el } from "./dom.js";
import * as help from "./help.js";
import * as links from "./links.js";
import { milliseconds } from "./numbers.js";

const elements = dom.json("comparison");
const app = new CompareApp(dom.parsed(dom.json("look")[0]));
const { cam, canvas } = app;

/**
 * @param {number} place among the comparisons
 * @param {number | null} node
 */
function open(place, node) {
  dom.find("engines", HTMLSelectElement).value = String(place);
  app.open(decode(dom.parsed(elements[place])), place, node);
  app.search.again();
}

/** Follows the address. */
function followAddress() {
  const { engine, layer } = links.read();
  const place = engine !== null && engine < elements.length ? engine : app.place;
  if (place !== app.place) open(place, layer);
  else if (layer !== app.selected) app.select(layer);
}

const showHelp = () => help.open(app.look.search, help.COMPARING, (query) => app.search.set(query));

const toggleTable = () => app.showTable(Boolean(dom.find("table").hidden));

/** @type {Map<string, () => void>} */
const KEYS = new Map([
  ["Escape", () => app.clear()],
  ["/", () => app.search.focus()],
  ["?", showHelp],
  ["+", () => cam.zoom(1.3)],
  ["=", () => cam.zoom(1.3)],
  ["-", () => cam.zoom(1 / 1.3)],
  ["0", () => cam.all()],
  ["n", () => app.step(1)],
  ["p", () => app.step(-1)],
  ["t", toggleTable],
]);

/** Of the drawing. @type {Map<string, () => void>} */
const MOVES = new Map([
  ["ArrowDown", () => app.step(1)],
  ["ArrowUp", () => app.step(-1)],
  ["ArrowLeft", () => app.cross(0)],
  ["ArrowRight", () => app.cross(1)],
  ["PageDown", () => cam.pan(0, cam.view.height * 0.8)],
  ["PageUp", () => cam.pan(0, -cam.view.height * 0.8)],
  ["Enter", () => dom.find("panel").focus()],
]);

/** @param {KeyboardEvent} event */
function pressed(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || dom.find("help", HTMLDialogElement).open) return;
  const { target, key } = event;
  if (target instanceof HTMLElement && /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName)) {
    if (key === "Escape") target.blur();
    return;
  }
  const call = (target === canvas && MOVES.get(key)) || KEYS.get(key);
  if (!call) return;
  if (key !== "Escape") event.preventDefault();
  call();
}

/** @param {PointerEvent} event */
function hover(event) {
  const tip = dom.find("tip");
  const node = event.buttons ? null : painting.at(app.sight, event.offsetX, event.offsetY);
  canvas.classList.toggle("over", node !== null);
  tip.hidden = node === null;
  if (node === null) return;
  const { engine } = app;
  const own = engine.sides[engine.side(node)];
  const at = engine.index(node);
  dom.fill(
    tip,
    el("b", {}, engine.label(node)),
    el("span", {}, engine.text(own.name[at]).slice(0, 300)),
    el("span", {}, milliseconds(own.ms[at]) || "no time"),
  );
  tip.style.left = `${Math.max(4, Math.min(event.offsetX + 14, canvas.clientWidth - tip.offsetWidth - 8))}px`;
  tip.style.top = `${Math.max(4, Math.min(event.offsetY + 14, canvas.clientHeight - tip.offsetHeight - 8))}px`;
}

function connect() {
  const several = dom.find("engines", HTMLSelectElement);
  dom.fill(
    several,
    elements.map((element, place) => el("option", { value: String(place) }, `B: ${dom.parsed(element).b}`)),
  );
  dom.find("switch").hidden = elements.length < 2;
  several.addEventListener("change", () => open(Number(several.value), null));
  /** @type {[string, () => void][]} */
  const buttons = [
    ["show-table", toggleTable],
    ["show-panel", () => app.togglePanel()],
    ["show-help", showHelp],
    ["dark", () => app.dark(!app.colors.dark)],
    ["in", () => cam.zoom(1.4)],
    ["out", () => cam.zoom(1 / 1.4)],
    ["all", () => cam.all()],
  ];
  for (const [id, call] of buttons) dom.find(id).addEventListener("click", call);
  const system = matchMedia("(prefers-color-scheme: dark)");
  system.addEventListener("change", (event) => app.dark(event.matches));
  canvas.addEventListener("pointermove", hover);
  canvas.addEventListener("pointerleave", () => {
    dom.find("tip").hidden = true;
  });
  canvas.addEventListener("click", (event) => {
    if (cam.dragged > 5) return;
    app.select(painting.at(app.sight, event.offsetX, event.offsetY));
  });
  addEventListener("keydown", pressed);
  addEventListener("hashchange", followAddress);
  app.dark(app.look.first === "dark" || system.matches);
  app.showTable(innerWidth > 900);
}

connect();
const asked = links.read();
open(asked.engine !== null && asked.engine < elements.length ? asked.engine : 0, asked.layer);
new ResizeObserver(() => app.size()).observe(canvas);
// For tests and the curious.
Object.assign(globalThis, { comparison: app });
performance.mark("ready");
document.documentElement.dataset.ready = "yes";
