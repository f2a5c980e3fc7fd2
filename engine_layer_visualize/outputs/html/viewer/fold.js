// Rows folded into columns that fit a window: the twin of layout/folding.py.
//
// takes: arranged rows, the aspect (width : height) to come near to, the rows where groups begin
// gives: a position for every box, lane and gap
// never: reorders rows or moves a box to another slot

const fold = (() => {
  const SPACE = { gap: 18, track: 8, slot: 18, port: 12 };
  const LEAD = 20; // above a group's first row, for its name
  const TRIES = 16;
  const SMALL = 300; // rows up to which the best breaks are looked for
  const PAIN = 40; // width that is given for a net that is not cut by a break
  const SHORT = 8;
  const BETWEEN = 40; // about the width between two columns

  const key = (lane) => (lane.track < 0 ? lane.gutter : lane.gutter - 0.5 + 0.4 / (lane.track + 1));
  const hasLane = (net) => net.gutter !== null;

  // For each box the net that leaves it in the middle: one that goes straight down, if any.
  function middleNets(made) {
    const middle = new Map();
    const straight = new Set();
    made.nets.forEach((net, number) => {
      const [row, slot] = [made.row[net.source], made.slot[net.source]];
      const down =
        (hasLane(net) && net.track < 0 && net.gutter === slot) ||
        net.readers.some((reader) => made.row[reader] === row + 1 && made.slot[reader] === slot);
      if (!middle.has(net.source) || (down && !straight.has(net.source))) middle.set(net.source, number);
      if (down) straight.add(net.source);
    });
    return middle;
  }

  // For each gap the nets that run across it, and their tracks from the top.
  function gapsOf(made) {
    const middle = middleNets(made);
    const spans = Array.from({ length: made.count }, () => []);
    made.nets.forEach((net, number) => {
      const row = made.row[net.source];
      const across = new Map([[row, [made.slot[net.source]]]]);
      if (hasLane(net)) across.get(row).push(key(net));
      for (const reader of net.readers) {
        const gap = made.row[reader] - 1;
        let ends = across.get(gap);
        if (!ends) across.set(gap, (ends = hasLane(net) ? [key(net)] : []));
        ends.push(made.slot[reader]);
      }
      const beside = middle.get(net.source) !== number;
      for (const [gap, ends] of across) {
        const [low, high] = [Math.min(...ends), Math.max(...ends)];
        if (low < high || beside) spans[gap].push([low, high, number]);
      }
    });
    return spans.map((found) => {
      const tracks = new Map();
      const ends = [];
      for (const [low, high, number] of found.sort((a, b) => a[1] - a[0] - (b[1] - b[0]) || a[2] - b[2])) {
        let track = 0;
        while (track < ends.length && ends[track].some(([a, b]) => low <= b + 0.5 && a <= high + 0.5)) track++;
        if (track === ends.length) ends.push([]);
        ends[track].push([low, high]);
        tracks.set(number, track);
      }
      return tracks;
    });
  }

  // What a break after each row costs: the nets that it cuts, and the groups.
  function painOf(made, spans) {
    const change = new Float64Array(made.count + 1);
    for (const net of made.nets) {
      change[made.row[net.source]] += 1;
      change[made.row[net.last]] -= 1;
    }
    for (const { first, last } of spans) {
      change[first] += 1.5;
      change[last] -= 1.5;
    }
    let sum = 0;
    return change.map((by) => (sum += by));
  }

  // For each row the width of each of its slots.
  function widthsOf(made) {
    const wide = Array.from({ length: made.count }, () => new Map());
    for (let box = 0; box < made.size; box++)
      wide[made.row[box]].set(made.slot[box], made.w[box] + made.flag[box] + SPACE.slot + SPACE.track);
    return wide;
  }

  // The last rows of columns that are no higher than `limit` and together the narrowest.
  function narrowest(heights, pain, wide, limit) {
    const least = [0];
    const begins = [];
    for (let last = 0; last < heights.length; last++) {
      const slots = new Map();
      let [height, total, best, begin] = [0, 0, Infinity, last];
      for (let first = last; first >= 0; first--) {
        height += heights[first];
        if (height > limit && first < last) break;
        for (const [slot, width] of wide[first]) {
          const had = slots.get(slot) || 0;
          if (width <= had) continue;
          total += width - had;
          slots.set(slot, width);
        }
        const cost =
          least[first] + total + BETWEEN + (first ? PAIN * pain[first - 1] : 0) + SHORT * (1 - height / limit);
        if (cost < best) [best, begin] = [cost, first];
      }
      least.push(best);
      begins.push(begin);
    }
    const breaks = [];
    for (let at = heights.length - 1; at >= 0; at = begins[at] - 1) breaks.push(at);
    return breaks.reverse();
  }

  // The last row of each column, each near to an even share of the height: linear.
  function breaksOf(heights, pain, share) {
    const breaks = [];
    for (let row = 0; row < heights.length;) {
      let [best, cost, height, at] = [row, Infinity, 0, row];
      while (at < heights.length && (height + heights[at] <= share * 1.12 || at === row)) {
        height += heights[at];
        const off = 1 - height / share;
        const here = at < heights.length - 1 ? pain[at] + 24 * off * off : -1;
        const enough = height >= share * 0.7 || at === heights.length - 1; // what is left may be short
        if ((here <= cost && enough) || cost === Infinity) [best, cost] = [at, here];
        at++;
      }
      breaks.push(best);
      row = best + 1;
    }
    return breaks;
  }

  function placed(made, breaks, gaps, tall, pitch, lead) {
    const columnOf = new Int32Array(made.count);
    breaks.forEach((last, c) => {
      for (let row = c ? breaks[c - 1] + 1 : 0; row <= last; row++) columnOf[row] = c;
    });
    const half = breaks.map(() => new Map());
    const depth = breaks.map(() => new Map());
    const turns = breaks.map(() => []);
    for (let box = 0; box < made.size; box++) {
      const slots = half[columnOf[made.row[box]]];
      const [left, right] = slots.get(made.slot[box]) || [0, 0];
      slots.set(made.slot[box], [Math.max(left, made.w[box] / 2), Math.max(right, made.w[box] / 2 + made.flag[box])]);
    }
    made.nets.forEach((net, number) => {
      const end = columnOf[made.row[net.last]];
      for (let c = columnOf[made.row[net.source]]; c <= end; c++) {
        if (c < end) turns[c].push(number);
        if (!hasLane(net)) continue;
        if (net.track < 0) {
          if (!half[c].has(net.gutter)) half[c].set(net.gutter, [4, 4]);
        } else depth[c].set(net.gutter, Math.max(depth[c].get(net.gutter) || 0, net.track + 1));
      }
    });
    const columns = [];
    const top = new Float64Array(made.count);
    const bottom = new Float64Array(made.count);
    let [x, tallest] = [0, 0];
    const most = turns.reduce((a, b) => Math.max(a, b.length), 0);
    const head = SPACE.track * most + (most ? SPACE.gap : 0) + LEAD * lead.reduce((a, b) => Math.max(a, b), 0);
    breaks.forEach((last, c) => {
      const first = c ? breaks[c - 1] + 1 : 0;
      const left = x;
      const slots = new Map();
      const gutters = new Map();
      for (const slot of [...new Set([...half[c].keys(), ...depth[c].keys()])].sort((a, b) => a - b)) {
        const lanes = depth[c].get(slot) || 0;
        x += lanes * SPACE.track + (lanes ? SPACE.slot / 2 : 0);
        gutters.set(slot, x - (lanes ? SPACE.slot / 2 : 0) + SPACE.track / 4);
        if (half[c].has(slot)) {
          const [before, after] = half[c].get(slot);
          slots.set(slot, x + before);
          x += before + after;
        }
        x += SPACE.slot;
      }
      x -= SPACE.slot;
      let y = head;
      for (let row = first; row <= last; row++) {
        top[row] = y;
        bottom[row] = y + tall[row];
        y += tall[row] + pitch[row];
      }
      const foot = bottom[last] + SPACE.gap / 2;
      tallest = Math.max(tallest, foot + SPACE.track * turns[c].length);
      const place = (number) => {
        const net = made.nets[number];
        return made.row[net.source] === last || !hasLane(net) ? made.slot[net.source] : key(net);
      };
      const order = turns[c]
        .map((number) => [place(number), number])
        .sort((a, b) => b[0] - a[0])
        .map((pair) => pair[1]);
      columns.push({
        first,
        last,
        left,
        right: x,
        slots,
        gutters,
        turns: new Map(order.map((number, at) => [number, at])),
        passage: x + SPACE.slot,
        foot,
      });
      x += SPACE.slot * 2 + SPACE.track * Math.max(0, turns[c].length - 1) + 8;
    });
    return {
      columns,
      columnOf,
      gaps,
      top,
      bottom,
      width: columns.length ? columns[columns.length - 1].right : 0,
      height: tallest,
    };
  }

  // `aspect` null: one column. Gives the arrangement with x (middle) and y (top) of every box.
  function fold(made, aspect, spans) {
    if (!made.count)
      return { ...made, columns: [], columnOf: [], gaps: [], top: [], bottom: [], width: 0, height: 0, x: [], y: [] };
    const gaps = gapsOf(made);
    const lead = new Uint8Array(made.count + 1);
    for (const { first } of spans) lead[first]++;
    const tall = new Float64Array(made.count);
    for (let box = 0; box < made.size; box++) tall[made.row[box]] = Math.max(tall[made.row[box]], made.h[box]);
    const pitch = gaps.map(
      (gap, row) => SPACE.gap + SPACE.track * (Math.max(-1, ...gap.values()) + 1) + LEAD * lead[row + 1],
    );
    const heights = pitch.map((by, row) => by + tall[row]);
    const pain = painOf(made, spans);
    const wide = widthsOf(made);
    const whole = heights.reduce((a, b) => a + b, 0);
    const highest = heights.reduce((a, b) => Math.max(a, b), 0);
    const attempt = (count) => {
      const share = Math.max(whole / count, highest);
      const breaks =
        made.count <= SMALL ? narrowest(heights, pain, wide, share * 1.04) : breaksOf(heights, pain, share);
      return placed(made, breaks, gaps, tall, pitch, lead);
    };
    let best = null;
    if (!aspect) best = placed(made, [made.count - 1], gaps, tall, pitch, lead);
    else {
      const widest = wide.reduce(
        (most, slots) =>
          Math.max(
            most,
            [...slots.values()].reduce((a, b) => a + b, 0),
          ),
        1,
      );
      const guess = Math.sqrt(Math.max(1, (aspect * whole) / widest));
      const [low, high] = [Math.max(1, Math.floor(guess * 0.6)), Math.min(made.count, Math.floor(guess * 2) + 2)];
      let cost = Infinity;
      for (let count = low; count <= high; count += 1 + Math.floor((high - low) / TRIES)) {
        const found = attempt(count);
        const here = Math.max(found.width / aspect, found.height); // how far it must shrink to fit
        if (here < cost) [best, cost] = [found, here];
      }
    }
    const x = Float64Array.from(made.slot, (slot, box) => best.columns[best.columnOf[made.row[box]]].slots.get(slot));
    const y = Float64Array.from(made.row, (row) => best.top[row]);
    return { ...made, ...best, x, y };
  }

  function laneX(net, column) {
    return net.track < 0
      ? column.slots.get(net.gutter)
      : column.gutters.get(net.gutter) - SPACE.track * (net.track + 0.5);
  }

  return { fold, key, hasLane, middleNets, laneX, SPACE, LEAD };
})();
