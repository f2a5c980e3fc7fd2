// What stands in the rows once some groups are folded away.
//
// takes: an engine with its rows (layout/rows.py), the groups that are folded
// gives: boxes and nets in rows without gaps: the input of fold and route
// never: moves a box to another slot or another order

const rows = (() => {
  const GROUP = 46; // height of a folded group

  // Boxes: the nodes that are shown, then the folded groups; `of` says which box stands for a node.
  function boxes(engine, folded) {
    const hidden = new Int32Array(engine.nodes).fill(-1);
    for (const group of [...folded].sort((a, b) => a - b)) {
      // outer ones first
      for (const node of engine.groups[group].nodes) if (hidden[node] < 0) hidden[node] = group;
    }
    const of = new Int32Array(engine.nodes);
    const node = [];
    for (let n = 0; n < engine.nodes; n++) {
      if (hidden[n] < 0) of[n] = node.push(n) - 1;
    }
    const heads = new Map(); // the first member of each folded group: its row and slot are the group's
    for (let n = 0; n < engine.nodes; n++) {
      if (hidden[n] < 0) continue;
      const head = heads.get(hidden[n]);
      if (head === undefined || engine.layout.row[n] < engine.layout.row[head]) heads.set(hidden[n], n);
    }
    const at = new Map();
    for (const [group] of heads) at.set(group, node.push(-1 - group) - 1);
    for (let n = 0; n < engine.nodes; n++) if (hidden[n] >= 0) of[n] = at.get(hidden[n]);
    return { of, node, heads };
  }

  // Rows that hold something, counted anew.
  function squeeze(engine, made) {
    const { layout } = engine;
    const old = made.node.map((node) => layout.row[node >= 0 ? node : made.heads.get(-1 - node)]);
    const most = old.reduce((a, b) => Math.max(a, b), -1);
    const number = new Int32Array(most + 1).fill(-1);
    for (const row of old) number[row] = 0;
    let count = 0;
    for (let row = 0; row <= most; row++) if (number[row] === 0) number[row] = count++;
    return { row: Int32Array.from(old, (row) => number[row]), count };
  }

  // Wires of one net end in one lane, whichever box stands for their ends.
  function nets(engine, made, row) {
    const { layout, edges } = engine;
    const found = new Map();
    const netOf = new Int32Array(edges.from.length).fill(-1);
    const list = [];
    const known = new Set();
    for (let edge = 0; edge < netOf.length; edge++) {
      const number = layout.netOf[edge];
      const [a, b] = [made.of[edges.from[edge]], made.of[edges.to[edge]]];
      if (a === b || number < 0 || row[b] <= row[a]) continue;
      let net = found.get(number);
      if (!net) {
        const moved = made.node[a] < 0;
        net = {
          source: a,
          readers: [],
          gutter: layout.gutter[number],
          track: layout.track[number],
          moved,
          number: list.length,
        };
        found.set(number, net);
        list.push(net);
      }
      if (made.node[b] < 0) net.moved = true;
      netOf[edge] = net.number;
      const same = net.number * made.node.length + b;
      if (!known.has(same)) net.readers.push(b);
      known.add(same);
    }
    for (const net of list) {
      net.readers.sort((a, b) => row[a] - row[b] || a - b);
      net.last = net.readers[net.readers.length - 1];
    }
    list.sort((a, b) => a.source - b.source || a.number - b.number);
    const order = new Int32Array(list.length);
    list.forEach((net, at) => {
      order[net.number] = at;
    });
    return { nets: list, netOf: netOf.map((number) => (number < 0 ? -1 : order[number])) };
  }

  // Tracks of all gutters anew: a folded group may have shortened, lengthened or joined lanes.
  function tracks(list, row, slot) {
    const waiting = [];
    for (const net of list) {
      const passes = row[net.last] - row[net.source];
      if (passes <= 1) {
        net.gutter = null;
      } else if (net.gutter === null || net.track >= 0 || net.moved) {
        if (net.gutter === null || net.track < 0)
          net.gutter = slot[net.source] + (slot[net.last] > slot[net.source] ? 1 : 0);
        waiting.push([passes, net]);
      }
    }
    const taken = new Map();
    for (const [passes, net] of waiting.sort((a, b) => a[0] - b[0] || row[a[1].source] - row[b[1].source])) {
      const [first, stop] = [row[net.source], row[net.source] + passes];
      for (net.track = 0; ; net.track++) {
        const key = `${net.gutter} ${net.track}`;
        const spans = taken.get(key) || [];
        if (spans.some(([a, b]) => a < stop && first < b)) continue;
        taken.set(key, [...spans, [first, stop]]);
        break;
      }
    }
  }

  function arrange(engine, folded) {
    const { layout } = engine;
    const made = boxes(engine, folded);
    const { row, count } = squeeze(engine, made);
    const { nets: list, netOf } = nets(engine, made, row);
    const node = (at) => (made.node[at] >= 0 ? made.node[at] : made.heads.get(-1 - made.node[at]));
    const slot = Int32Array.from(made.node, (_, at) => layout.slot[node(at)]);
    if (folded.size) tracks(list, row, slot);
    const flagged = new Uint8Array(made.node.length);
    const cut = [];
    for (let edge = 0; edge < netOf.length; edge++) {
      const [a, b] = [made.of[engine.edges.from[edge]], made.of[engine.edges.to[edge]]];
      if (netOf[edge] >= 0 || a === b) continue;
      flagged[a] = flagged[b] = 1;
      cut.push(edge);
    }
    return {
      size: made.node.length,
      of: made.of,
      node: Int32Array.from(made.node),
      row,
      slot,
      count,
      nets: list,
      netOf,
      cut,
      w: new Float64Array(made.node.length).fill(layout.width),
      h: Float64Array.from(made.node, (n) => (n >= 0 ? layout.height[n] : GROUP)),
      flag: Float64Array.from(flagged, (yes) => (yes ? layout.flag : 0)),
    };
  }

  return { arrange };
})();
