// @ts-check
// Whose times the files are that were dropped.

import assert from "node:assert/strict";
import test from "node:test";
import { share } from "../../engine_layer_visualize/page/files/given.js";

/** @param {string[]} names - those of times begin with `prof` or end so */
const shared = (...names) => {
  const given = names.map((name) => ({
    file: /** @type {File} */ ({ name }),
    path: name,
    kind: name.includes("prof") ? "times" : "log",
    of: "",
  }));
  share(given);
  return given.filter(({ kind }) => kind === "times").map(({ of }) => of);
};

test("times go to the log whose name is most like their own", () => {
  assert.deepEqual(shared("fp16.log", "int8.log", "prof_int8.json", "prof_fp16.json"), ["int8.log", "fp16.log"]);
  assert.deepEqual(shared("resnet.log", "resnet_int8.log", "resnet_int8.prof.json"), ["resnet_int8.log"]);
  assert.deepEqual(shared("a.log", "b.log", "prof1.json", "prof2.json"), ["a.log", "b.log"]);
});
