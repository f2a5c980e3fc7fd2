// @ts-check
// The program in this browser: a worker that holds a Python and the files.

/** Where the program runs, said on the page. */
export const WHERE = "The program runs in this browser: the files are read here and sent to nobody.";
export const ENDS_WITH_TAB = "Close the tab, and nothing of them is left.";

/** The files of the example. @type {string[]} */
export const EXAMPLE = ["example/8.0-centernet.log", "example/8.0-centernet.profile.json"];

const NO_WEB_ASSEMBLY =
  "This browser runs no WebAssembly, or a setting turned it off. On a computer with Python: " +
  "pip install engine_layer_visualize, then python -m engine_layer_visualize serve";

// A worker from a blob has this page's policy, whatever headers the host sends.
const STARTS = new Blob([`import ${JSON.stringify(new URL("worker.js", import.meta.url).href)};`], {
  type: "text/javascript",
});

/** @typedef {(message: { read?: number, of?: number | null }) => void} Tell */

export class Engine {
  #worker = /** @type {Worker | null} */ (null);
  #asked = /** @type {Map<number, { done: (value: any) => void, failed: (why: Error) => void, tell: Tell }>} */ (
    new Map()
  );
  #number = 0;

  /** Starts it. @returns {Promise<void>} */
  async start() {
    if (typeof WebAssembly === "undefined") throw new Error(NO_WEB_ASSEMBLY);
    await kept();
    const worker = new Worker(URL.createObjectURL(STARTS), { type: "module" });
    this.#worker = worker;
    worker.onmessage = ({ data }) => {
      const asked = this.#asked.get(data.id);
      if (!asked) return;
      if (data.told !== undefined) {
        asked.tell(JSON.parse(data.told));
        return;
      }
      this.#asked.delete(data.id);
      if (data.failed) asked.failed(new Error(data.failed));
      else asked.done(data.value);
    };
    worker.onerror = (event) => this.#fail(new Error(event.message || "the program did not start"));
    await this.#send("start", null);
  }

  /** The files that were named on a command line: none here. @returns {Promise<File[]>} */
  async given() {
    return [];
  }

  /** Puts files where they can be read; they are not copied. @param {{ path: string, file: File }[]} files */
  give(files) {
    return this.#send("give", files);
  }

  /** @param {object} question @param {Tell} [tell] */
  async ask(question, tell) {
    return JSON.parse(await this.#send("ask", JSON.stringify(question), tell));
  }

  /** The bytes of a file that was written. @param {string} path @returns {Promise<ArrayBuffer>} */
  read(path) {
    return this.#send("read", path);
  }

  /** Ends what it does, at once. It can be started again. */
  stop() {
    this.#worker?.terminate();
    this.#fail(new Error("stopped"));
  }

  /** @param {Error} why */
  #fail(why) {
    const asked = [...this.#asked.values()];
    this.#asked.clear();
    for (const { failed } of asked) failed(why);
  }

  /**
   * @param {string} what
   * @param {unknown} value
   * @param {Tell} [tell]
   * @returns {Promise<any>}
   */
  #send(what, value, tell = () => {}) {
    return new Promise((done, failed) => {
      if (!this.#worker) return failed(new Error("the program did not start"));
      this.#number += 1;
      this.#asked.set(this.#number, { done, failed, tell });
      this.#worker.postMessage({ id: this.#number, what, value });
    });
  }
}

/** Waits until the browser keeps this site's files, so that they are loaded once; not where it refuses to. */
async function kept() {
  try {
    const service = navigator.serviceWorker; // absent, or an error where a frame may keep nothing
    const registration = await service.register(new URL("service_worker.js", import.meta.url));
    const first = registration.installing;
    if (service.controller || !first) return;
    await new Promise((go) => {
      service.addEventListener("controllerchange", go);
      first.addEventListener("statechange", () => first.state === "redundant" && go(null));
    });
  } catch {
    // Private windows and settings refuse storage: everything is loaded from the host each time.
  }
}
