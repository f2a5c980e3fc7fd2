// Folds rows into given columns and routes their edges, for tests/viewer/test_viewer.py, which lets the
// Python layout do the same. In: a list of {width, flag, nodes, nets, edges, netOf, breaks} on stdin.
// Out: for each {x, y, columns, gaps, width, height, paths}, as JSON.

import { readFileSync } from "node:fs";
import { foldAt } from "../../engine_layer_visualize/outputs/html/viewer/fold.js";
import { route } from "../../engine_layer_visualize/outputs/html/viewer/route.js";
import { arrange } from "../../engine_layer_visualize/outputs/html/viewer/rows.js";

function placed({ layout, edges, breaks }) {
  const ends = { from: edges.map(([a]) => a), to: edges.map(([, b]) => b) };
  const made = arrange({ nodes: layout.row.length, groups: [], layout, edges: ends }, new Set());
  const sheet = foldAt(made, breaks);
  const wires = route(sheet, ends);
  const nets = made.nets.map(({ source, readers, lane }) => ({ source, readers, lane }));
  return {
    nets,
    x: [...sheet.x],
    y: [...sheet.y],
    columns: sheet.columns.map(({ slots, gutters, turns, ...column }) => ({
      ...column,
      slots: [...slots],
      gutters: [...gutters],
      turns: [...turns.keys()],
    })),
    gaps: sheet.gaps.map((tracks) => [...tracks]),
    width: sheet.width,
    height: sheet.height,
    paths: edges.map((_, edge) => {
      const wire = wires.wireOf[edge];
      return wire < 0 ? null : [...wires.points.slice(wires.start[wire], wires.start[wire + 1])];
    }),
  };
}

process.stdout.write(JSON.stringify(JSON.parse(readFileSync(0, "utf8")).map(placed)));
