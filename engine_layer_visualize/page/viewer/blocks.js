// @ts-check
// What was searched for where no layer has it -> the blocks of the drawing that are called so.

import { told } from "./hierarchy.js";
import { around } from "./layout.js";

/** @import { App } from "./app.js" */
/** @import { Block } from "./types.d.ts" */

/** `block 7`, `#7`: the seventh of its like. */
const NUMBERED = /^(?:[a-z]+ )*#?(\d{1,4})$/;

/**
 * @param {App} app
 * @param {string} query
 * @returns {Block[]}
 */
export function named(app, query) {
  const { engine } = app;
  const small = query.trim().toLowerCase();
  const [, number] = NUMBERED.exec(small) ?? [];
  const words = small.split(/\s+/).filter(Boolean);
  if (!words.length) return [];
  return engine.groups.flatMap(({ label, members, owner }) => {
    const own = label.toLowerCase();
    if (owner !== undefined || !(own.includes(` ${number}/`) || words.every((word) => own.includes(word)))) return [];
    const choose = () => {
      app.lenses.several(members);
      app.cam.fit(around(app.folded, members), 1);
    };
    return [{ label, words: told(engine, members).join("  ·  "), members, choose }];
  });
}
