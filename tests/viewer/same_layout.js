// Folds rows into given columns and routes their edges, for tests/viewer/test_viewer.py, which lets the
// Python layout do the same. In: a list of {width, flag, nodes, nets, edges, netOf, breaks} on stdin.
// Out: for each {x, y, columns, gaps, width, height, paths}, as JSON.

import { readFileSync } from "node:fs";
import { foldAt } from "../../engine_layer_visualize/page/viewer/fold.js";
import { routes } from "../../engine_layer_visualize/page/viewer/route.js";
import { arrange } from "../../engine_layer_visualize/page/viewer/rows.js";

/** @import { Layout } from "../../engine_layer_visualize/page/viewer/types.d.ts" */

/** @param {{ layout: Layout; edges: [number, number][]; breaks: number[] }} given */
function placed({ layout, edges, breaks }) {
  const ends = { from: edges.map(([a]) => a), to: edges.map(([, b]) => b), tensor: edges.map(() => 0), instead: [] };
  const none = { groups: [], marks: new Map(), topOf: new Map(), wires: new Map(), isInner: () => false };
  const engine = /** @type {any} */ ({ ...none, all: layout.row.length, layout, edges: ends });
  const made = arrange(engine, new Set());
  const folded = foldAt(made, breaks);
  const drawn = routes(folded, ends);
  const nets = made.nets.map(({ source, readers, lane }) => ({ source, readers, lane }));
  return {
    nets,
    x: [...folded.x],
    y: [...folded.y],
    columns: folded.columns.map(({ slots, gutters, turns, ...column }) => ({
      ...column,
      slots: [...slots],
      gutters: [...gutters],
      turns: [...turns.keys()],
    })),
    gaps: folded.gaps.map((tracks) => [...tracks]),
    width: folded.width,
    height: folded.height,
    paths: edges.map((_, edge) => {
      const route = drawn.routeOf[edge];
      return route < 0 ? null : [...drawn.points.slice(drawn.start[route], drawn.start[route + 1])];
    }),
  };
}

process.stdout.write(JSON.stringify(JSON.parse(readFileSync(0, "utf8")).map(placed)));
