// @ts-check
// The page of a comparison -> the parts of its view that the address holds, in an order in which they can be set.

import { shares } from "./compare_data.js";
import { query, sort } from "./view_parts.js";

/** @import { CompareApp } from "./compare_app.js" */
/** @import { Part } from "./types.d.ts" */

/**
 * Which comparison is shown.
 * @param {CompareApp} app
 * @param {number} held how many the page holds
 * @param {(place: number) => void} open
 * @returns {Part}
 */
const engine = (app, held, open) => ({
  key: "engine",
  read: () => String(app.place),
  apply(value) {
    const place = value !== null && /^\d{1,9}$/.test(value) && Number(value) < held ? Number(value) : -1;
    if (place < 0 && !app.engine) open(0);
    else if (place >= 0 && (!app.engine || app.place !== place)) open(place);
    return value === null || place >= 0;
  },
});

/** @param {CompareApp} app @returns {Part} */
const cause = (app) => ({
  key: "cause",
  read: () => app.cause,
  apply(value) {
    const there = app.engine.waterfall.map(([one]) => one).filter((one) => shares(app.engine, one).size);
    if (value !== null && !there.includes(value)) return false;
    if (app.cause !== value) app.showCause(value ?? app.cause);
    return true;
  },
});

/** The side and the number of a layer: B4; a number alone counts the layers of A, then those of B. @param {CompareApp} app @returns {Part} */
const layer = (app) => ({
  key: "layer",
  read: () => (app.selected === null ? null : "AB"[app.engine.side(app.selected)] + app.engine.index(app.selected)),
  apply(value) {
    const { engine: compared } = app;
    const [, side, digits] = /^([AB]?)(\d{1,9})$/.exec(value ?? "") ?? [];
    const at = Number(digits);
    const there = side ? at < compared.sides["AB".indexOf(side)].name.length : at < compared.nodes;
    if (value !== null && (digits === undefined || !there)) return false;
    app.select(value === null ? null : compared.node(side === "B" ? 1 : 0, at));
    return true;
  },
});

/**
 * @param {CompareApp} app
 * @param {number} held
 * @param {(place: number) => void} open opens the comparison at this place
 * @returns {Part[]}
 */
export const partsOf = (app, held, open) => [
  engine(app, held, open),
  ...[sort, cause, query, layer].map((part) => part(app)),
];
