// @ts-check
// The program beside this browser, on the same computer: files go to a server at 127.0.0.1, answers come back.

/** Where the program runs, said on the page. */
export const WHERE =
  "The program that printed this address reads the files, on this computer: they go to 127.0.0.1 alone.";
export const ENDS_WITH_TAB = "Its copies of them go with this tab, or with Ctrl-C.";

/** The files of the example; here are none. @type {string[]} */
export const EXAMPLE = [];

/** @typedef {(message: { read?: number, of?: number | null }) => void} Tell */

export class Engine {
  #name = crypto.randomUUID();
  #stops = new AbortController();
  #given = 0;

  constructor() {
    addEventListener("pagehide", () => void this.#fetch("DELETE", "", { keepalive: true }));
  }

  /** @returns {Promise<void>} */
  async start() {
    this.#stops = new AbortController();
    await this.#fetch("DELETE", ""); // what was asked before, and its files
  }

  /** The files that were named on the command line. @returns {Promise<File[]>} */
  async given() {
    /** @type {string[]} */
    const names = await (await this.#get("given/")).json();
    const files = names.map(async (name, index) => new File([await (await this.#get(`given/${index}`)).blob()], name));
    return Promise.all(files);
  }

  /** Sends files to the server, one by one. @param {{ path: string, file: File }[]} files */
  async give(files) {
    this.#given += 1;
    const folder = `given/${this.#given}`;
    for (const { path, file } of files) await this.#fetch("PUT", `${folder}/${encoded(path)}`, { body: file });
    return folder;
  }

  /** @param {object} question @param {Tell} [tell] */
  async ask(question, tell = () => {}) {
    const response = await this.#fetch("POST", "", { body: JSON.stringify(question) });
    let answer;
    for await (const line of lines(response)) {
      answer = JSON.parse(line);
      if ("read" in answer) tell(answer);
    }
    if (!answer || "read" in answer) throw new Error("the program ended before it had answered");
    return answer;
  }

  /** The bytes of a file that was written. @param {string} path */
  async read(path) {
    return (await this.#fetch("GET", encoded(path))).arrayBuffer();
  }

  /** Ends what it does, at once. It can be started again. */
  stop() {
    this.#stops.abort();
  }

  /** @param {string} path */
  #get(path) {
    return this.#request(path, {});
  }

  /** @param {string} method @param {string} path @param {RequestInit} [more] */
  #fetch(method, path, more = {}) {
    return this.#request(`asked/${this.#name}/${path}`, { method, ...more });
  }

  /** @param {string} path @param {RequestInit} how */
  async #request(path, how) {
    const headers = { "X-Token": location.hash.slice(1) };
    const { signal } = this.#stops;
    const asked = fetch(path, { headers, signal, ...how });
    const response = await asked.catch((error) => {
      throw new Error(signal.aborted ? "stopped" : `no answer: ${error.message}`);
    });
    if (!response.ok) throw new Error(await response.text());
    return response;
  }
}

/** @param {string} path */
const encoded = (path) => path.split("/").map(encodeURIComponent).join("/");

/** The lines of an answer, as they come. @param {Response} response */
async function* lines(response) {
  let rest = "";
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
    const parts = (rest + part.value).split("\n");
    rest = parts.pop() ?? "";
    yield* parts;
  }
  if (rest) yield rest;
}
