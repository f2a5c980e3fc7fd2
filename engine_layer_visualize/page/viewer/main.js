// @ts-check
// What the page holds, engines or comparisons -> what it shows; an engine that is dropped on one begins a comparison.

import * as compared from "./compare_main.js";
import * as dom from "./dom.js";
import { decode } from "./engine.js";
import * as engines from "./engine_main.js";
import { ofEngine, ofJson } from "./halves.js";
import * as notice from "./notice.js";
import { comparison } from "./pairing.js";

/** @import { Half, Look } from "./types.d.ts" */

const BEGINNING = 4096; // bytes that tell a page or JSON from a log
const WANTED = "Wanted is a file of elv draw LOG -f json or html; elv compare A B -f html compares logs.";

/** @type {Look} */
const look = dom.parsed(dom.json("look")[0]);
/** The page's elements as they are in the file. */
const fresh = [...document.body.children]
  .filter((each) => each.tagName !== "SCRIPT")
  .map((each) => each.cloneNode(true));
/** A of the comparisons that began here. @type {Half | null} */
let first = null;
/** @type {Half[]} */
const others = [];

/** The JSON of the engines that the page holds. @type {string[]} */
let bodies = [];
/** What shows engines. @type {import("./app.js").App | null} */
let app = null;

/** Leaves the elements of one mode, and lets files be chosen where none can be dropped. @param {"engine" | "pair"} mode */
function only(mode) {
  document.body.className = mode;
  for (const each of document.querySelectorAll("[data-of]"))
    if (/** @type {HTMLElement} */ (each).dataset.of !== mode) each.remove();
  const input = dom.find("others", HTMLInputElement);
  dom.find("compare").addEventListener("click", () => input.click());
  input.addEventListener("change", () => void take([...(input.files ?? [])]));
}

/** Shows something else in place of what was shown. @param {"engine" | "pair"} mode @param {string} hash */
function anew(mode, hash) {
  dom.end();
  for (const each of [...document.body.children]) if (each.tagName !== "SCRIPT") each.remove();
  document.body.prepend(...fresh.map((each) => each.cloneNode(true)));
  only(mode);
  history.replaceState(null, "", hash);
}

/** The engines of a page. @param {ParentNode} page */
const enginesOf = (page) =>
  Promise.all(
    dom.json("engine-data", page).map(async (body, at) => {
      return decode(dom.parsed(dom.json("engine-head", page)[at]), JSON.parse(await dom.inflated(body)));
    }),
  );

/** The engines in a file; none: it is neither a page nor JSON of one. @param {File} file @returns {Promise<Half[]>} */
async function taken(file) {
  const begins = (await file.slice(0, BEGINNING).text()).trimStart()[0];
  if (begins !== "<" && begins !== "{") return [];
  const text = await file.text();
  try {
    if (begins === "{") return [ofJson(JSON.parse(text))];
    return (await enginesOf(new DOMParser().parseFromString(text, "text/html"))).map(ofEngine);
  } catch {
    return [];
  }
}

/** Shows A beside each of the others, first the one of the new ones that fits best. @param {ReturnType<typeof comparison>[]} pairs @param {number} dropped how many are new */
function compare(pairs, dropped) {
  const fits = pairs.slice(-dropped).map(({ groups }) => groups.length);
  anew("pair", `#engine=${others.length - dropped + fits.indexOf(Math.max(...fits))}`);
  const alone = () => {
    anew("engine", "#");
    [first, others.length] = [null, 0];
    app = engines.start(bodies, look);
  };
  compared.start(pairs, look, alone);
}

/** Takes files: engines are compared with the open one; logs go to the site around, which reads them. @param {File[]} files */
async function take(files) {
  const each = await Promise.all(files.map(taken));
  const found = each.flat();
  const [rest, read] = [false, true].map((some) =>
    files.filter((_, at) => some === each[at].length > 0).map(({ name }) => name),
  );
  if (found.length) first ??= app && ofEngine(app.engine);
  if (found.length && first) {
    const a = first;
    try {
      const pairs = [...others, ...found].map((b) => comparison(a, b, look.pair));
      others.push(...found);
      compare(pairs, found.length);
      if (rest.length) notice.say([`Left out, as no page or JSON of an engine: ${rest.join(", ")}.`]);
    } catch {
      notice.say([`The layers of ${read.join(", ")} cannot be read. ${WANTED}`]);
    }
  } else if (!found.length && location.protocol === "blob:")
    parent.postMessage({ files }, new URL(location.pathname).origin); // the site that made this page
  else if (found.length) notice.say(["This page holds no engine: drop both on the page of an engine."]);
  else notice.say([`No page or JSON of an engine: ${rest.join(", ")}. ${WANTED}`]);
}

addEventListener("dragover", (event) => event.preventDefault());
addEventListener("drop", (event) => {
  event.preventDefault();
  const files = [...(event.dataTransfer?.files ?? [])];
  if (files.length) void take(files);
});

async function begin() {
  const held = dom.json("comparison");
  only(held.length ? "pair" : "engine");
  bodies = await Promise.all((held.length ? held : dom.json("engine-data")).map(dom.inflated));
  if (held.length)
    compared.start(
      bodies.map((text) => JSON.parse(text)),
      look,
    );
  else app = engines.start(bodies, look);
}

begin().catch((error) => {
  notice.say([`This browser cannot show the page: ${error.message}`]);
  throw error;
});
