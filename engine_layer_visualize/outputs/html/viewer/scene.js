// What the painter asks of a box or a wire: colours and words.
//
// takes: an engine, its folded sheet, a palette, the measure that colours
// gives: a scene: fill(), said(), mark(), wireColor() …, and the legend's entries
// never: draws or lays out

const scenes = (() => {
  const MODES = [
    ["time", "time"],
    ["type", "layer type"],
    ["precision", "precision"],
    ["memory", "memory"],
  ];
  const QUIET = new Set(["reformat", "hidden", "constant"]);

  // Layer types by what they cost, else by how many there are; the palette has few colours.
  function types(engine, colors) {
    const sums = new Map();
    for (let n = 0; n < engine.count; n++) {
      if (QUIET.has(engine.kind(n))) continue; // these have a look of their own
      const type = engine.text(engine.layers.type[n]);
      sums.set(type, (sums.get(type) || 0) + (engine.timed ? engine.share(n) || 0 : 1));
    }
    const order = [...sums.keys()].sort((a, b) => sums.get(b) - sums.get(a) || (a < b ? -1 : 1));
    const last = colors.types.length - 1;
    return { order, of: new Map(order.map((type, at) => [type, colors.types[Math.min(at, last)]])) };
  }

  function scene(engine, sheet, wires, colors, mode) {
    const typed = types(engine, colors);
    const nodes = (box) => (sheet.node[box] < 0 ? engine.groups[-1 - sheet.node[box]].nodes : [sheet.node[box]]);
    const group = (box) => (sheet.node[box] < 0 ? engine.groups[-1 - sheet.node[box]] : null);
    const fills = new Array(sheet.size);
    const sum = (list, column) =>
      list.reduce((total, n) => (engine.isLayer(n) && column[n] !== null ? (total ?? 0) + column[n] : total), null);

    // Of a box: the shares of its layers, where they are of the optimisation profile shown.
    const share = (box) => sum(nodes(box).filter((n) => engine.here(n)), engine.layers.share);
    // The box that has the most: [it, how much].
    const most = (value) => {
      let found = [-1, 0];
      for (let box = 0; box < sheet.size; box++) if ((value(box) || 0) > found[1]) found = [box, value(box)];
      return found;
    };
    const [slowest, hottest] = most(share);
    const top = Math.max(engine.top, hottest); // folded, several layers are one box
    const [, largest] = most((box) => sum(nodes(box), engine.layers.bytes));

    function fillOf(box) {
      const list = nodes(box);
      const first = list[0];
      const own = colors.marks[group(box) ? "layer" : engine.kind(first)];
      if (!engine.isLayer(first) || engine.kind(first) === "opaque") return own[2];
      if (mode === "time") {
        const part = share(box);
        return part === null ? own[2] : colors.heat(part / top);
      }
      if (mode === "memory") {
        const bytes = sum(list, engine.layers.bytes);
        return bytes === null || !largest ? own[2] : colors.heat(bytes / largest);
      }
      if (group(box)) return own[2];
      if (QUIET.has(engine.kind(first)) && mode === "type") return own[2];
      return colors.tint(
        mode === "type"
          ? typed.of.get(engine.text(engine.layers.type[first]))
          : colors.precisions[engine.layers.precision[first]][1],
      );
    }

    const fill = (box) => (fills[box] ??= fillOf(box));
    // From afar the paper's own colour would vanish.
    const far = (box) => {
      const color = fill(box);
      return color === colors.paper || color === colors.heat(0)
        ? colors.mix(
            colors.paper,
            colors.ink,
            sheet.node[box] >= 0 && QUIET.has(engine.kind(sheet.node[box])) ? 0.07 : 0.13,
          )
        : color;
    };
    const pales = new Map();
    const pale = (box) => {
      const color = far(box);
      if (!pales.has(color)) pales.set(color, colors.mix(colors.paper, color, 0.3));
      return pales.get(color);
    };

    const about = (ms) => numbers.about(engine.head, ms);

    const words = new Array(sheet.size);
    function saidOf(box) {
      const own = group(box);
      const list = nodes(box);
      const ms = sum(list, engine.layers.ms);
      const part = share(box);
      const said = part === null ? "" : numbers.percent(part);
      if (own)
        return {
          head: `+ ${own.label}`,
          sub: numbers.count(list.length, "layer"),
          share: said,
          time: about(ms),
          quiet: false,
        };
      const [node] = list;
      const head = engine.headline(node);
      const sub = engine.subtitle(node);
      const quiet = QUIET.has(engine.kind(node));
      return {
        head,
        sub: (quiet && change(node)) || sub,
        share: said,
        time: about(ms) || (engine.layers.missing.has(node) ? "not timed" : ""),
        quiet,
      };
    }

    // What a reformat turns into what.
    function change(node) {
      if (!["reformat", "hidden"].includes(engine.kind(node))) return "";
      const [a, b] = [engine.layers.in[node], engine.layers.out[node]];
      if (a.length !== 1 || b.length !== 1) return "";
      const said = (tensor) => engine.text(engine.tensors.dtype[tensor]);
      return said(a[0]) && said(b[0]) && said(a[0]) !== said(b[0]) ? `${said(a[0])} → ${said(b[0])}` : "";
    }

    function mark(box) {
      const kind = group(box) ? "layer" : engine.kind(sheet.node[box]);
      const [, line, , dash, width] = colors.marks[kind];
      return { line, dash, width, round: !group(box) && !engine.isLayer(sheet.node[box]) };
    }

    const wireColor = (wire) => edgeColor(wires.edge[wire]);
    function edgeColor(edge) {
      const tensor = engine.edges.tensor[edge];
      return colors.precisions[tensor < 0 ? colors.precisions.length - 1 : engine.tensors.precision[tensor]][1];
    }

    // Wires that are not drawn: whence and whither.
    function flags(box) {
      const found = [];
      for (const node of nodes(box)) {
        for (const edge of engine.into(node))
          if (cut(edge)) found.push([`← ${name(engine.edges.from[edge])}`, edgeColor(edge)]);
        for (const edge of engine.out(node))
          if (cut(edge)) found.push([`→ ${name(engine.edges.to[edge])}`, edgeColor(edge)]);
      }
      const seen = [...new Map(found.map((flag) => [flag[0], flag])).values()];
      return seen.length > 2 ? [seen[0], [`+ ${seen.length - 1} more`, colors.muted]] : seen;
    }
    const cut = (edge) =>
      sheet.netOf[edge] < 0 && sheet.of[engine.edges.from[edge]] !== sheet.of[engine.edges.to[edge]];
    const name = (node) => (engine.isLayer(node) ? `layer ${node}` : text.fit(engine.name(node), text.FONTS.plain, 40));

    const dims = (wire) => {
      const tensor = engine.edges.tensor[wires.edge[wire]];
      return tensor < 0 ? "" : engine.dims(tensor);
    };

    const leaps = engine.jumps.map(([a, b]) => [sheet.of[a], sheet.of[b], null]).filter(([a, b]) => a !== b);

    return {
      engine,
      sheet,
      wires,
      colors,
      mode,
      frames: sheet.frames,
      grid: grid.over(sheet, wires),
      nodes,
      fill,
      far,
      pale,
      said: (box) => (words[box] ??= saidOf(box)),
      mark,
      wireColor,
      edgeColor,
      flags,
      cut,
      dims,
      leaps,
      jumps: leaps,
      types: typed,
      top,
      hottest,
      slowest: slowest < 0 ? null : sum(nodes(slowest), engine.layers.ms),
      largest,
      hits: null,
      path: null,
      pathBoxes: new Set(),
      pathWires: new Set(),
      ownWires: new Set(),
      hover: -1,
      chosen: -1,
    };
  }

  // Boxes behind open groups, one in each column that a group reaches.
  function frames(engine, sheet, folded) {
    const found = [];
    const begins = new Map(); // names above one row, the inner groups' below
    for (let g = engine.groups.length - 1; g >= 0; g--) {
      const group = engine.groups[g];
      if (folded.has(g)) continue;
      const boxes = new Map();
      for (const node of group.nodes) {
        const box = sheet.of[node];
        if (sheet.node[box] < 0) continue;
        const c = sheet.columnOf[sheet.row[box]];
        const has = boxes.get(c) || { left: Infinity, right: -Infinity, top: Infinity, bottom: -Infinity };
        has.left = Math.min(has.left, sheet.x[box] - sheet.w[box] / 2);
        has.right = Math.max(has.right, sheet.x[box] + sheet.w[box] / 2 + sheet.flag[box]);
        has.top = Math.min(has.top, sheet.y[box]);
        has.bottom = Math.max(has.bottom, sheet.y[box] + sheet.h[box]);
        boxes.set(c, has);
      }
      const pad = group.outer ? 10 : 6;
      [...boxes.keys()]
        .sort((a, b) => a - b)
        .forEach((c, part) => {
          const { left, right, top, bottom } = boxes.get(c);
          let above = pad - 2;
          if (!part) {
            const key = `${c} ${top}`;
            begins.set(key, (begins.get(key) || 0) + 1);
            above = fold.LEAD * begins.get(key);
          }
          found.push({
            group: g,
            part,
            outer: group.outer,
            x: left - pad,
            y: top - above,
            w: right - left + 2 * pad,
            h: bottom - top + above + pad - 2,
          });
        });
    }
    // The name of an outer group may run over all of its columns.
    const ends = new Map();
    for (const { group, x, w } of found) ends.set(group, Math.max(ends.get(group) || 0, x + w));
    for (const frame of found) frame.room = (frame.outer ? ends.get(frame.group) : frame.x + frame.w) - frame.x;
    return found.reverse(); // outer ones are drawn first
  }

  // The rows of each open group, where a break of the columns would hurt.
  function spans(engine, arranged, folded) {
    const found = [];
    engine.groups.forEach((group, g) => {
      if (folded.has(g)) return;
      let [first, last] = [Infinity, -1];
      for (const node of group.nodes) {
        const box = arranged.of[node];
        if (arranged.node[box] < 0) continue;
        first = Math.min(first, arranged.row[box]);
        last = Math.max(last, arranged.row[box]);
      }
      if (last >= 0) found.push({ first, last });
    });
    return found;
  }

  // The legend: [[kind of sign, colour, words] …], and the ticks of the heat scale as far as it is in
  // use, [[colour, words] …]: the last is that of the box that has the most.
  function legend(scene) {
    const { engine, colors, mode } = scene;
    const entries = [];
    const used = new Set(
      engine.edges.tensor.map((tensor) =>
        tensor < 0 ? colors.precisions.length - 1 : engine.tensors.precision[tensor],
      ),
    );
    const [part, most, words] =
      mode === "time" && scene.slowest
        ? [scene.hottest / scene.top, scene.slowest, numbers.milliseconds]
        : mode === "memory" && scene.largest
          ? [1, scene.largest, (bytes) => numbers.bytes(Math.round(bytes))]
          : [0, 0, null];
    const scale = most ? colors.ticks.map((tick) => [colors.heat(tick * part), words(tick * most)]) : [];
    if (mode === "type") {
      const last = colors.types.length - 1;
      scene.types.order
        .slice(0, last)
        .forEach((type) => entries.push(["box", colors.tint(scene.types.of.get(type)), type]));
      if (scene.types.order.length > last) entries.push(["box", colors.tint(colors.types[last]), "other types"]);
    }
    colors.precisions.forEach(([label, color], at) => {
      if (used.has(at)) entries.push(["line", color, label]);
    });
    const kinds = new Set(Array.from({ length: engine.nodes }, (_, n) => engine.kind(n)));
    for (const [kind, [words, line, , dash]] of Object.entries(colors.marks)) {
      if (kinds.has(kind) && kind !== "layer" && kind !== "constant" && kind !== "port")
        entries.push([dash, line, words]);
    }
    return { entries, scale };
  }

  return { scene, frames, spans, legend, MODES };
})();
