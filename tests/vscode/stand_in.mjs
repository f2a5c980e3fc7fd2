// @ts-check
// A stand-in of the module `vscode`: what the extension uses of it, with files of the disk; notes what it is told.

import fs from "node:fs/promises";
import Module, { createRequire } from "node:module";
import path from "node:path";

export class Uri {
  /** @param {string} scheme @param {string} path */
  constructor(scheme, path) {
    this.scheme = scheme;
    this.path = path;
  }
  get fsPath() {
    return this.path;
  }
  toString() {
    return `${this.scheme}://${encodeURI(this.path)}`;
  }
  /** @param {string} text */
  static parse(text) {
    const [scheme, rest] = text.split("://");
    return new Uri(scheme, decodeURI(rest));
  }
  /** @param {string} path */
  static file = (path) => new Uri("file", path);
  /** @param {{ scheme: string, path: string }} parts */
  static from = ({ scheme, path }) => new Uri(scheme, path);
  /** @param {Uri} uri @param {string[]} parts */
  static joinPath = (uri, ...parts) => new Uri(uri.scheme, path.posix.join(uri.path, ...parts));
}

/** @param {string} type */
const kept = (type) =>
  class {
    /** @param {any[]} given */
    constructor(...given) {
      this.type = type;
      this.given = given;
    }
  };

class Range {
  /** @param {number} startLine @param {number} startColumn @param {number} endLine @param {number} endColumn */
  constructor(startLine, startColumn, endLine, endColumn) {
    Object.assign(this, { startLine, startColumn, endLine, endColumn });
  }
}

class Diagnostic {
  /** @param {Range} range @param {string} message @param {number} severity */
  constructor(range, message, severity) {
    Object.assign(this, { range, message, severity });
  }
}

/** An editor: what the extension did in it, and what a person answers. @param {string} address - of the extension's files */
export function editor(address = "https://file.test") {
  /** @type {any} */
  const noted = { commands: {}, panels: [], errors: [], told: [], opened: [], problems: new Map(), asked: [] };
  /** @type {any} */
  const answers = { dialog: undefined, active: undefined };
  const vscode = {
    Uri,
    Range,
    Diagnostic,
    Location: kept("Location"),
    DiagnosticRelatedInformation: kept("Related"),
    DiagnosticSeverity: { Error: 0, Warning: 1, Information: 2, Hint: 3 },
    FileType: { File: 1, Directory: 2 },
    ViewColumn: { Active: -1, Beside: -2 },
    commands: {
      /** @param {string} name @param {any} call */
      registerCommand: (name, call) => {
        noted.commands[name] = call;
      },
      /** @param {any[]} given */
      executeCommand: async (...given) => noted.opened.push(given),
    },
    languages: {
      createDiagnosticCollection: () => ({
        clear: () => noted.problems.clear(),
        dispose: () => noted.problems.clear(),
        /** @param {Uri} uri @param {any[]} found */
        set: (uri, found) => noted.problems.set(uri.toString(), found),
      }),
    },
    window: {
      tabGroups: {
        activeTabGroup: {
          get activeTab() {
            return answers.active && { input: { uri: answers.active } };
          },
        },
      },
      /** @param {string} words */
      showErrorMessage: async (words) => noted.errors.push(words),
      /** @param {string} words */
      showInformationMessage: async (words) => noted.told.push(words),
      /** @param {object} options */
      showOpenDialog: async (options) => {
        noted.asked.push(options);
        return answers.dialog;
      },
      /** @param {string} _ @param {any} serializer */
      registerWebviewPanelSerializer: (_, serializer) => {
        noted.serializer = serializer;
      },
      /** @param {string} _ @param {string} title */
      createWebviewPanel: (_, title) => panel(title),
    },
    workspace: {
      fs: {
        /** @param {Uri} uri */
        readFile: (uri) => fs.readFile(uri.path),
        /** @param {Uri} uri */
        stat: async (uri) => ({ type: (await fs.stat(uri.path)).isDirectory() ? 2 : 1 }),
      },
      /** @param {string} _ @param {any} provider */
      registerTextDocumentContentProvider: (_, provider) => {
        noted.provider = provider;
      },
    },
  };

  /** @param {string} title */
  function panel(title) {
    /** @type {any} */
    const made = { title, posts: [], revealed: 0, closes: [] };
    made.reveal = () => {
      made.revealed += 1;
    };
    made.dispose = () => {
      for (const call of made.closes) call();
    };
    made.onDidDispose = (/** @type {() => void} */ call) => made.closes.push(call);
    made.webview = {
      cspSource: new URL(address).origin,
      asWebviewUri: () => ({ toString: () => address }),
      /** @param {object} message */
      postMessage: async (message) => {
        made.posts.push(message);
        made.posted?.(message);
      },
      /** @param {(told: object) => Promise<void>} call */
      onDidReceiveMessage: (call) => {
        made.tell = call;
      },
    };
    noted.panels.push(made);
    return made;
  }

  return { vscode, noted, answers, panel };
}

/** Loads the extension of a folder into an editor. @param {any} vscode @param {string} folder */
export function activated(vscode, folder) {
  const modules = /** @type {any} */ (Module);
  const load = modules._load;
  modules._load = (/** @type {string} */ name, /** @type {any[]} */ ...rest) =>
    name === "vscode" ? vscode : load(name, ...rest);
  try {
    const require = createRequire(import.meta.url);
    const file = path.join(folder, "extension.js");
    delete require.cache[file];
    const context = { subscriptions: [], extensionUri: Uri.file(folder) };
    require(file).activate(context);
  } finally {
    modules._load = load;
  }
}
