// An engine as the page keeps it: columns, and who is beside whom.
//
// takes: the two data elements of an engine
// gives: an engine: texts, times, tensors, neighbours of every node
// never: draws; nodes are numbered, layers first, then the engine's ends

const engines = (() => {
  // number, value, number, value … -> values by number
  function wide(flat) {
    const found = new Map();
    for (let at = 0; at < flat.length; at += 2) found.set(flat[at], flat[at + 1]);
    return found;
  }

  // start, length, start, length … -> numbers
  function numbersOf(spans) {
    const found = [];
    for (let at = 0; at < spans.length; at += 2) {
      for (let n = 0; n < spans[at + 1]; n++) found.push(spans[at] + n);
    }
    return found;
  }

  // For every node the edges at one of its ends.
  function beside(ends, count) {
    const start = new Int32Array(count + 1);
    for (const node of ends) start[node + 1]++;
    for (let node = 0; node < count; node++) start[node + 1] += start[node];
    const edges = new Int32Array(ends.length);
    const next = start.slice();
    ends.forEach((node, edge) => {
      edges[next[node]++] = edge;
    });
    return (node) => edges.subarray(start[node], start[node + 1]);
  }

  function decode(head, raw) {
    const { strings, layers, tensors, ports } = raw;
    const text = (number) => (number < 0 || number === undefined ? "" : strings[number]);
    const count = layers.name.length;
    const nodes = count + ports.name.length;
    for (const key of ["also", "raw", "mean", "median", "total", "percent", "parts", "onnx", "attributes", "facts"])
      layers[key] = wide(layers[key]);
    for (const key of ["unsteady", "missing", "idle"]) layers[key] = new Set(layers[key]);
    const { times } = raw;
    const largest = Math.max(0, ...chunked(layers.bytes.filter((bytes) => bytes !== null)));
    const out = beside(raw.edges.from, nodes);
    const into = beside(raw.edges.to, nodes);
    const port = (node) => node - count;
    const isLayer = (node) => node < count;
    const kind = (node) => text(isLayer(node) ? layers.kind[node] : ports.kind[port(node)]);
    const name = (node) => text(isLayer(node) ? layers.name[node] : ports.name[port(node)]);

    function headline(node) {
      if (!isLayer(node)) return name(node) || "(no name)";
      return kind(node) === "opaque" ? "unreadable record" : text(layers.head[node]);
    }

    function subtitle(node) {
      if (!isLayer(node)) {
        const tensor = ports.tensor[port(node)];
        const what = kind(node) === "port" ? (ports.entry[port(node)] ? "input" : "output") : kind(node);
        return [what, tensor < 0 ? "" : dims(tensor)].filter(Boolean).join("  ");
      }
      if (layers.raw.has(node)) return text(layers.raw.get(node));
      return text(layers.short[node]) || name(node) || "(no name)";
    }

    const dims = (tensor) => text(tensors.dims[tensor]);
    // Of its own optimisation profile; all totals and shares were made when the file was written.
    const share = (node) => (isLayer(node) ? layers.share[node] : null);

    return {
      head,
      strings,
      text,
      layers,
      tensors,
      ports,
      count,
      nodes,
      times,
      shown: times.shown, // which of the optimisation profiles: by its place
      get now() {
        return times.profiles[this.shown];
      },
      // Whether a node is of the optimisation profile that is shown.
      here(node) {
        return isLayer(node) && layers.profile[node] === this.shown;
      },
      edges: raw.edges,
      jumps: raw.jumps,
      layout: raw.layout,
      groups: raw.groups.map((group) => ({ ...group, nodes: numbersOf(group.nodes) })),
      problems: raw.problems,
      profile: raw.profile,
      timed: times.kind !== null,
      top: times.hottest,
      largest,
      out,
      into,
      isLayer,
      port,
      kind,
      name,
      headline,
      subtitle,
      dims,
      share,
    };
  }

  // Math.max takes no 20,000 arguments everywhere.
  function chunked(values) {
    return [values.reduce((a, b) => (a > b ? a : b), 0)];
  }

  // All nodes that can be reached from `node` along `step`'s edges, and those edges.
  function reach(engine, node, step, end) {
    const nodes = new Set([node]);
    const edges = new Set();
    const wait = [node];
    while (wait.length) {
      for (const edge of step(wait.pop())) {
        edges.add(edge);
        const other = end[edge];
        if (!nodes.has(other)) {
          nodes.add(other);
          wait.push(other);
        }
      }
    }
    return { nodes, edges };
  }

  // What stands above and below a node: {nodes, edges}.
  function path(engine, node) {
    const up = reach(engine, node, engine.into, engine.edges.from);
    const down = reach(engine, node, engine.out, engine.edges.to);
    return { nodes: new Set([...up.nodes, ...down.nodes]), edges: new Set([...up.edges, ...down.edges]) };
  }

  return { decode, path };
})();
