// Runs the queries of queries.json on a page's data, for tests/viewer/test_viewer.py. In: {head, data, grammar,
// queries} on stdin. Out: for each query {found: nodes, or null}, or {column, message}, as JSON.

import { readFileSync } from "node:fs";
import { decode } from "../../engine_layer_visualize/page/viewer/engine.js";
import { QueryError } from "../../engine_layer_visualize/page/viewer/query.js";
import { Search } from "../../engine_layer_visualize/page/viewer/search.js";

const { head, data, grammar, queries } = JSON.parse(readFileSync(0, "utf8"));
const engine = decode(head, data);

/** @param {string} query */
function answer(query) {
  try {
    return { found: new Search(engine, grammar, query).find() };
  } catch (error) {
    if (!(error instanceof QueryError)) throw error;
    return { column: error.column, message: error.message, expected: error.expected };
  }
}

process.stdout.write(JSON.stringify(queries.map(answer)));
