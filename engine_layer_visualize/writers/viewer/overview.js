// The engine at a glance: what the panel shows while no layer is chosen.
//
// takes: the app
// gives: totals, where the time goes by type and by precision, the slowest layers, problems
// never: shows a time that was not measured

const overview = (() => {
  const BARS = 8;
  const SLOWEST = 10;

  // Sums by a key: [key, ms, number of layers] with the largest first; without times, by number.
  function sums(engine, key) {
    const found = new Map();
    for (let n = 0; n < engine.count; n++) {
      const at = key(n);
      const has = found.get(at) || [at, 0, 0, 0];
      has[1] += engine.layers.ms[n] || 0;
      has[2] += 1;
      has[3] += engine.layers.ms[n] === null ? 0 : 1;
      found.set(at, has);
    }
    return [...found.values()].sort((a, b) => (engine.timed ? b[1] - a[1] : 0) || b[2] - a[2]);
  }

  function bars(app, list, label, color, pick) {
    const { engine } = app;
    const size = (entry) => (engine.timed ? entry[1] : entry[2]);
    const rest = list.slice(BARS);
    const shown = list.slice(0, BARS);
    if (rest.length) shown.push([null, ...[1, 2, 3].map((at) => rest.reduce((sum, entry) => sum + entry[at], 0))]);
    const most = Math.max(...shown.map(size), 1e-12);
    const whole = engine.timed ? engine.total : engine.count;
    return el(
      "ul",
      { class: "bars" },
      shown.map((entry) => {
        const name = entry[0] === null ? `${rest.length} others` : label(entry[0]);
        const value = engine.timed
          ? entry[3]
            ? `${numbers.milliseconds(entry[1])}  ${numbers.percent(whole ? entry[1] / whole : 0)}`
            : "not timed"
          : numbers.count(entry[2], "layer");
        const inside = [
          el("span", { class: "label", dir: "ltr" }, name),
          el("span", { class: "value" }, value),
          el(
            "span",
            { class: "track", "aria-hidden": "true" },
            el("i", {
              style: {
                width: `${(100 * size(entry)) / most}%`,
                background: entry[0] === null ? app.colors.muted : color(entry[0]),
              },
            }),
          ),
        ];
        const title = `${name}: ${numbers.count(entry[2], "layer")}${engine.timed ? `, ${entry[3]} timed, ${numbers.milliseconds(entry[1])}` : ""}`;
        return el(
          "li",
          {},
          entry[0] === null
            ? el("div", { title }, inside)
            : el("button", { type: "button", title, on: { click: () => pick(entry[0]) } }, inside),
        );
      }),
    );
  }

  function noTimes(engine) {
    return panel.section(
      "No times",
      el(
        "p",
        {},
        engine.profile
          ? "The profile matched no layer."
          : "The log holds no profile. Measure the engine, then draw again with the profile:",
      ),
      engine.profile
        ? null
        : el("pre", {}, "trtexec --loadEngine=model.engine \\\n  --exportProfile=prof.json --separateProfileRun"),
      engine.profile
        ? null
        : el(
            "pre",
            {},
            "python -m engine_layer_visualize --format html \\\n  --log_file build.log --profile_file prof.json",
          ),
    );
  }

  function slowest(app) {
    const { engine } = app;
    const order = Array.from({ length: engine.count }, (_, n) => n)
      .filter((n) => engine.layers.ms[n] !== null)
      .sort((a, b) => engine.layers.ms[b] - engine.layers.ms[a])
      .slice(0, SLOWEST);
    return panel.section(
      "Slowest layers",
      el(
        "ol",
        { class: "ranking" },
        order.map((n) =>
          el(
            "li",
            {},
            panel.link(app, n),
            el(
              "span",
              { class: "value" },
              `${numbers.milliseconds(engine.layers.ms[n])}  ${numbers.percent(engine.share(n))}`,
            ),
          ),
        ),
      ),
    );
  }

  function notes(app) {
    const { engine } = app;
    const found = engine.problems.map(([severity, code, message, line]) =>
      el("li", { class: severity }, `${severity} ${code}, line ${line}: ${message}`),
    );
    const rows = engine.profile?.unmatched || [];
    return [
      found.length
        ? panel.section(
            `Problems (${found.length})`,
            el("ul", { class: "plain" }, found.slice(0, 30)),
            found.length > 30
              ? el("p", { class: "muted" }, `${found.length - 30} more in the program's own words`)
              : null,
          )
        : null,
      rows.length
        ? panel.section(
            `Rows of the profile without a layer (${rows.length})`,
            el(
              "ul",
              { class: "plain" },
              rows.slice(0, 30).map((row) => el("li", { dir: "ltr" }, row)),
              rows.length > 30 ? el("li", {}, `${rows.length - 30} more`) : null,
            ),
          )
        : null,
    ];
  }

  function page(app) {
    const { engine, colors, scene } = app;
    const { head } = engine;
    const moves = Array.from({ length: engine.count }, (_, n) => n).filter((n) =>
      ["reformat", "hidden"].includes(engine.kind(n)),
    );
    const spent = moves.reduce((sum, n) => sum + (engine.layers.ms[n] || 0), 0);
    const timed = engine.layers.ms.filter((ms) => ms !== null).length;
    const by = engine.timed ? (head.estimated ? "Estimated time" : "Time") : "Layers";
    const about = head.estimated ? "≈ " : "";
    return [
      el("div", { class: "top" }, el("p", { class: "muted" }, `Engine ${head.index}`)),
      el("h2", {}, engine.timed ? about + numbers.milliseconds(engine.total) : numbers.count(engine.count, "layer")),
      head.estimated
        ? el("p", { class: "note" }, "Nothing was measured. These are the times that the builder's autotuner measured, kernel by kernel: estimates.")
        : null,
      panel.rows(
        panel.row(
          "layers",
          `${numbers.grouped(engine.count)}${engine.timed ? `, ${timed === engine.count ? "all" : numbers.grouped(timed)} ${head.estimated ? "estimated" : "timed"}` : ""}`,
        ),
        panel.row("edges", numbers.grouped(head.edges)),
        panel.row(
          "reformats",
          moves.length
            ? `${numbers.grouped(moves.length)}${engine.timed ? `, ${numbers.milliseconds(spent)}, ${numbers.percent(spent / (engine.total || 1))}` : ""}`
            : "none",
        ),
        head.tensorrt ? panel.row("TensorRT", head.tensorrt) : null,
        panel.row("log", `${head.file}, lines ${head.lines[0]} to ${head.lines[1]}`),
        engine.profile ? panel.row("profile", engine.profile.file) : null,
      ),
      app.folded.size
        ? el(
            "p",
            { class: "note" },
            `${numbers.count(app.folded.size, "block")} folded: ${numbers.grouped(app.sheet.size)} boxes stand for all layers. `,
            el("button", { type: "button", class: "plain", on: { click: app.toggleAll } }, "Unfold"),
          )
        : null,
      engine.timed ? null : noTimes(engine),
      panel.section(
        `${by} by layer type`,
        bars(
          app,
          sums(engine, (n) => engine.text(engine.layers.type[n])),
          (type) => type || "(no type)",
          (type) =>
            app.mode === "type"
              ? scene.types.of.has(type)
                ? colors.tint(scene.types.of.get(type))
                : colors.marks.reformat[1]
              : colors.hot,
          (type) => app.filter("type", type),
        ),
      ),
      panel.section(
        `${by} by precision`,
        bars(
          app,
          sums(engine, (n) => engine.layers.precision[n]),
          (at) => colors.precisions[at][0],
          (at) => colors.precisions[at][1],
          (at) => app.filter("precision", at),
        ),
        el("p", { class: "muted" }, "A layer counts by the type of what it reads first."),
      ),
      engine.timed ? slowest(app) : null,
      ...notes(app),
    ];
  }

  return { page, sums };
})();
