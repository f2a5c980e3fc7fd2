// Folded rows -> a path for every wire: the twin of layout/routing.py.
//
// takes: a folded sheet, the engine's edges
// gives: wires: polylines of right angles from box to box
// never: runs behind a box, or along a stretch of another net

const route = (() => {
  const { SPACE, key, hasLane, laneX, middleNets } = fold;

  const pitchOf = (sheet, box, count) => Math.min(SPACE.port, (sheet.w[box] - 16) / Math.max(1, count));

  // For each net the offset from its box's middle; odd halves, so that none stands above an entry.
  function outPorts(sheet) {
    const middle = middleNets(sheet);
    const of = new Map();
    sheet.nets.forEach((net, number) => {
      if (!of.has(net.source)) of.set(net.source, []);
      of.get(net.source).push(number);
    });
    const out = new Float64Array(sheet.nets.length);
    for (const [box, nets] of of) {
      const pitch = pitchOf(sheet, box, nets.length);
      nets
        .filter((number) => number !== middle.get(box))
        .forEach((number, i) => {
          out[number] = pitch * (Math.floor(i / 2) + 0.5) * (i % 2 ? -1 : 1);
        });
    }
    return out;
  }

  // The cells from which something may come straight down: boxes, and lanes in slots.
  function takenBy(sheet) {
    const cells = new Set();
    for (let box = 0; box < sheet.size; box++) cells.add(sheet.row[box] * 1024 + sheet.slot[box]);
    for (const net of sheet.nets) {
      if (!hasLane(net) || net.track >= 0) continue;
      for (let row = sheet.row[net.source] + 1; row < sheet.row[net.last]; row++) cells.add(row * 1024 + net.gutter);
    }
    return cells;
  }

  // For each box and each net that it reads the offset from its middle.
  function inPorts(sheet, out) {
    const taken = takenBy(sheet);
    const reads = new Map();
    sheet.nets.forEach((net, number) => {
      for (const reader of net.readers) {
        const near = sheet.row[reader] === sheet.row[net.source] + 1;
        const at = sheet.slot[net.source] + out[number] / 10000;
        if (!reads.has(reader)) reads.set(reader, []);
        reads.get(reader).push([near || !hasLane(net) ? at : key(net), number]);
      }
    });
    const ports = new Map();
    for (const [box, nets] of reads) {
      const [row, slot] = [sheet.row[box], sheet.slot[box]];
      nets.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
      const left = nets.filter((net) => net[0] < slot);
      const right = nets.filter((net) => net[0] > slot);
      let straight = nets.filter((net) => net[0] === slot);
      if (!straight.length && !taken.has((row - 1) * 1024 + slot))
        straight = [left.length ? left.pop() : right.shift()];
      const pitch = pitchOf(sheet, box, 2 * Math.max(left.length, right.length) + 1);
      const made = new Map();
      for (const [, number] of straight) made.set(number, 0);
      left.reverse().forEach(([, number], i) => made.set(number, -pitch * (i + 1)));
      right.forEach(([, number], i) => made.set(number, pitch * (i + 1)));
      ports.set(box, made);
    }
    return ports;
  }

  function path(sheet, out, into, number, reader) {
    const net = sheet.nets[number];
    const end = sheet.row[reader];
    const port = sheet.x[reader] + into.get(reader).get(number);
    let row = sheet.row[net.source];
    let x = sheet.x[net.source] + out[number];
    const points = [x, sheet.y[net.source] + sheet.h[net.source]];
    while (row < end) {
      const c = sheet.columnOf[row];
      const arrives = row + 1 === end;
      const next = sheet.columnOf[row + 1];
      const after = arrives ? port : laneX(net, sheet.columns[next]);
      if (next === c) {
        if (after !== x) {
          const y = sheet.bottom[row] + SPACE.gap / 2 + SPACE.track * (sheet.gaps[row].get(number) || 0);
          points.push(x, y, after, y);
        }
      } else {
        const column = sheet.columns[c];
        const turn = column.turns.get(number);
        const foot = column.foot + SPACE.track * (turn + 0.5);
        const passage = column.passage + SPACE.track * turn;
        const head = SPACE.track * (turn + 0.5);
        points.push(x, foot, passage, foot, passage, head, after, head);
      }
      row++;
      if (!arrives) row = Math.min(end - 1, sheet.columns[next].last);
      x = after;
    }
    points.push(port, sheet.y[reader]);
    return straightened(points);
  }

  function straightened(points) {
    const kept = [];
    for (let at = 0; at < points.length; at += 2) {
      const [x, y] = [points[at], points[at + 1]];
      let n = kept.length;
      if (n >= 2 && kept[n - 2] === x && kept[n - 1] === y) continue;
      while (n >= 4 && ((kept[n - 4] === x && kept[n - 2] === x) || (kept[n - 3] === y && kept[n - 1] === y))) {
        kept.length = n -= 2;
      }
      kept.push(x, y);
    }
    return kept;
  }

  // Wires: {count, start, points, edge, net}; a wire's points are points[start[w]] to points[start[w + 1]].
  // Edges that a folded group made equal have one wire.
  function route(sheet, engine) {
    const out = outPorts(sheet);
    const into = inPorts(sheet, out);
    const seen = new Set();
    const [start, points, edges, wireOf] = [[0], [], [], new Int32Array(engine.edges.from.length).fill(-1)];
    for (let edge = 0; edge < engine.edges.from.length; edge++) {
      const number = sheet.netOf[edge];
      if (number < 0) continue;
      const reader = sheet.of[engine.edges.to[edge]];
      const same = number * sheet.size + reader;
      if (seen.has(same)) continue;
      seen.add(same);
      wireOf[edge] = edges.push(edge) - 1;
      for (const value of path(sheet, out, into, number, reader)) points.push(value);
      start.push(points.length);
    }
    return {
      count: edges.length,
      start: Int32Array.from(start),
      points: Float64Array.from(points),
      edge: Int32Array.from(edges),
      wireOf,
    };
  }

  return { route };
})();
