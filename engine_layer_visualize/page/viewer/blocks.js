// @ts-check
// A search for a block's number, or for its name -> the blocks of the drawing that are called so.

import { told } from "./hierarchy.js";
import { around } from "./layout.js";
import { NUMBERED } from "./search_field.js";

/** @import { App } from "./app.js" */
/** @import { Block } from "./types.d.ts" */

/** 7 of `/blocks.7`, and of `8 × MatMul 7/10`. @param {string} label */
const numberOf = (label) => /^[^#].*?(\d+)$/.exec(label.replace(/( \d+)\/\d+$/, "$1"))?.[1];

/** @param {string} path */
const bare = (path) => path.replace(/^\//, "");

/**
 * @param {App} app
 * @param {string} query
 * @param {boolean} exact
 * @returns {Block[]}
 */
export function named(app, query, exact) {
  const { engine } = app;
  const small = query.trim().toLowerCase();
  const [, said = small, number] = NUMBERED.exec(small) ?? [];
  const words = said.split(/\s+/).filter(Boolean);
  if (!small) return [];
  return engine.groups.flatMap(({ label, members, owner, path }) => {
    const own = (number ? path : label).toLowerCase();
    if (owner !== undefined || (number && numberOf(label) !== number) || !words.every((word) => own.includes(word)))
      return [];
    if (exact && ![path, label].some((name) => bare(name.toLowerCase()) === bare(small))) return [];
    const choose = () => {
      app.lenses.several(members);
      app.cam.fit(around(app.folded, members), 1);
    };
    return [{ label, words: told(engine, members).join("  ·  "), members, choose }];
  });
}
