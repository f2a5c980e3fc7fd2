// @ts-check
// Python in a worker. Reads the files that it is given where they lie, and answers questions about them.

// @ts-expect-error: `build.py` puts it there
import { loadPyodide } from "./pyodide/pyodide.mjs";
// @ts-expect-error: the same
import { WHEELS } from "./wheels.js";

const here = (/** @type {string} */ name) => new URL(name, import.meta.url).href;

/** @type {any} */
let python;
/** @type {any} */
let session;
let given = 0;
const WINDOW = 4 << 20; // bytes that are asked of the browser at once: each asking takes milliseconds

const does = {
  async start() {
    const wheels = WHEELS.map((/** @type {string} */ name) => fetch(here(name)).then(bytes));
    python = await loadPyodide({ indexURL: here("pyodide/"), stdout: () => {}, stderr: () => {} });
    const extractDir = python.runPython("import sysconfig; sysconfig.get_path('purelib')");
    for (const wheel of wheels) python.unpackArchive(await wheel, "wheel", { extractDir });
    python.runPython("import importlib; importlib.invalidate_caches()");
    inWindows(python.FS.filesystems.WORKERFS.stream_ops);
    python.FS.mkdir("/given");
    session = python.runPython("from engine_layer_visualize.commands.serve import Session; Session('/made')");
    setTimeout(warm);
  },

  /** Mounts files: Python reads them piece by piece. @param {{ path: string, file: File }[]} files */
  give(files) {
    const { FS } = python;
    FS.chdir("/");
    if (given) FS.unmount(`/given/${given}`);
    given += 1;
    const folder = `/given/${given}`;
    FS.mkdir(folder);
    const blobs = files.map(({ path, file }) => ({ name: path, data: file }));
    FS.mount(FS.filesystems.WORKERFS, { blobs }, folder);
    return folder;
  },

  /** @param {string} question @param {(message: string) => void} tell */
  ask(question, tell) {
    return session.answer(question, tell);
  },

  /** @param {string} path */
  read(path) {
    const { buffer } = python.FS.readFile(path);
    return buffer;
  },
};

/**
 * Python asks for a quarter of a megabyte at a time, and what it does not ask for yet stays here.
 * @param {{ read: Function }} operations - of files that lie outside
 */
function inWindows(operations) {
  // @ts-expect-error: only workers have it
  const reader = new FileReaderSync();
  let held = { contents: new Blob(), from: 0, bytes: new Uint8Array() };
  operations.read = (
    /** @type {{ node: { contents: Blob } }} */ { node: { contents } },
    /** @type {Uint8Array} */ into,
    /** @type {number} */ offset,
    /** @type {number} */ length,
    /** @type {number} */ from,
  ) => {
    if (contents !== held.contents || from < held.from || from >= held.from + held.bytes.length) {
      const piece = contents.slice(from, from + Math.max(length, WINDOW));
      held = { contents, from, bytes: new Uint8Array(reader.readAsArrayBuffer(piece)) };
    }
    const part = held.bytes.subarray(from - held.from, from - held.from + length);
    into.set(part, offset);
    return part.length;
  };
}

/** Draws two lines: what that imports need not be imported when files come. */
function warm() {
  const line = (/** @type {string} */ words) => `[V] [TRT] ${words}\n`;
  const listing = line("Engine Layer Information:") + line("Layer(Conv): a, Tactic: 1, x[Float(1,8)] -> y[Float(1,8)]");
  python.FS.writeFile("/warm.log", listing);
  does.ask(JSON.stringify({ do: "run", words: ["/warm.log", "--format=html"], saved: true }), () => {});
}

/** @param {Response} response */
async function bytes(response) {
  if (!response.ok) throw new Error(`${response.url}: ${response.status}`);
  return response.arrayBuffer();
}

self.onmessage = async ({ data: { id, what, value } }) => {
  const tell = (/** @type {string} */ told) => self.postMessage({ id, told });
  try {
    const result = await does[/** @type {keyof typeof does} */ (what)](value, tell);
    self.postMessage({ id, value: result }, { transfer: result instanceof ArrayBuffer ? [result] : [] });
  } catch (error) {
    self.postMessage({ id, failed: String(/** @type {any} */ (error)?.message ?? error) });
  }
};
