import assert from "node:assert/strict";
import { test } from "node:test";
import { sentence } from "../../engine_layer_visualize/page/viewer/dom.js";

/** What of the browser `el` needs: an element is [name, texts]. */
const document = {
  /** @param {string} name */
  createElement: (name) => {
    /** @type {unknown[]} */
    const made = [name];
    return Object.assign(made, {
      setAttribute() {},
      /** @param {unknown[]} children */
      replaceChildren: (...children) => made.push(...children),
    });
  },
};
Object.assign(globalThis, { document });

/** @param {string} text */
const told = (text) => JSON.parse(JSON.stringify(sentence(text)));

test("what stands in backticks is code", () => {
  assert.deepEqual(told("`a` writes `b<i>`"), [["code", "a"], " writes ", ["code", "b<i>"]]);
  assert.deepEqual(told("none"), ["none"]);
});

test("backticks of which it is not clear where they belong stay", () => {
  for (const text of ["from `a`b` on", "from `a`b`c` on", "a ` b", "``"]) assert.deepEqual(told(text), [text]);
});
