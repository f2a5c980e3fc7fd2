// @ts-check
// The program in a tab of the editor: the site's own, in a worker that may load no file, and its findings.

import { given, tell, tellFindings } from "./tab.js";
import { Engine as InBrowser } from "./web/engine.js";

export { ENDS_WITH_TAB, EXAMPLE, WHERE } from "./web/engine.js";

const PAGE = "--format=html";
const PYODIDE = ["pyodide/pyodide.asm.wasm", "pyodide/python_stdlib.zip", "pyodide/pyodide-lock.json"];

export class Engine extends InBrowser {
  /** The files of the page that is to be shown. @type {string[] | null} */
  #shows = null;

  async open() {
    worker ??= joined();
    return new Worker(await worker, { type: "module" });
  }

  /** @param {{ path: string, file: File }[]} files */
  give(files) {
    given(files);
    return super.give(files);
  }

  /** @param {any} question @param {import("./web/engine.js").Tell} [tell] */
  async ask(question, tell) {
    const { words } = question;
    if (words?.at(-1) !== PAGE || words[0] === "compare") return super.ask(question, tell);
    // Of two logs with one name the page then says which.
    const answer = await super.ask({ ...question, words: [...words, "--full_paths"] }, tell);
    this.#shows = words.slice(0, -1);
    if (!answer.files.length) void this.#findings();
    return answer;
  }

  /** @param {string} path */
  async read(path) {
    const bytes = await super.read(path);
    void this.#findings();
    return bytes;
  }

  /** Finds what the editor lists among its problems, once for a page: after it, as the page is waited for. */
  async #findings() {
    const files = this.#shows;
    if (!files) return;
    this.#shows = null;
    try {
      const question = { do: "run", words: ["lint", ...files, "--format=sarif"], saved: false };
      tellFindings((await super.ask(question)).out);
    } catch (error) {
      const text = /** @type {Error} */ (error).message;
      if (text !== "stopped") tell({ do: "wrong", text: `The findings were not made: ${text}` });
    }
  }
}

/** @type {Promise<string> | undefined} */
let worker;

/** @param {string} name */
const at = (name) => new URL(`web/${name}`, import.meta.url).href;

/** @param {BlobPart} content @param {string} [type] */
const address = (content, type = "text/javascript") => URL.createObjectURL(new Blob([content], { type }));

/** @param {string} name */
async function load(name) {
  const response = await fetch(at(name));
  if (!response.ok) throw new Error(`${name}: ${response.status}`);
  return response;
}

/** A module at another address, where it finds what it imports. @param {string} name @param {Record<string, string>} imports */
async function moved(name, imports = {}) {
  let text = (await (await load(name)).text()).replaceAll("import.meta.url", JSON.stringify(at(name)));
  for (const [from, to] of Object.entries(imports)) {
    if (!text.includes(`"${from}"`)) throw new Error(`${name} does not import ${from}`);
    text = text.replace(`"${from}"`, JSON.stringify(to));
  }
  return address(text);
}

/** The address of a worker that has all files in itself: a webview answers none of its workers. */
async function joined() {
  const names = ["pyodide/pyodide.asm.mjs", "pyodide/pyodide.mjs", "wheels.js"];
  const [asm, pyodide, wheels] = await Promise.all(names.map((name) => moved(name)));
  const starter = address(`import { loadPyodide as load } from "${pyodide}";
    import createPyodideModule from "${asm}";
    export const loadPyodide = (options) => load({ ...options, createPyodideModule });`);
  const python = await moved("worker.js", { "./pyodide/pyodide.mjs": starter, "./wheels.js": wheels });
  const { WHEELS } = await import(wheels);
  const files = [...PYODIDE, ...WHEELS].map(async (name) => {
    const response = await load(name);
    const type = name.endsWith(".wasm") ? "application/wasm" : "";
    return [at(name), address(await response.arrayBuffer(), type)];
  });
  const addresses = JSON.stringify(Object.fromEntries(await Promise.all(files)));
  return address(`import "${python}";
    const [addresses, ask] = [${addresses}, fetch];
    self.fetch = (url, options) => ask(addresses[url] ?? url, options);`);
}
