// The engine at a glance: what the panel shows while no layer is chosen.
//
// takes: the app
// gives: totals, where the time goes by type and by precision, the slowest layers, problems
// never: adds up what the data holds added up

const overview = (() => {
  const BARS = 8;

  // Rows of [text, layers, timed, ms, share, without a kernel], the largest first; without times, by number.
  function bars(app, list, label, color, pick) {
    const { engine } = app;
    const timed = engine.now.ms !== null;
    const size = (row) => (timed ? row[3] || 0 : row[1]);
    const rest = list.slice(BARS);
    const shown = list.slice(0, BARS);
    const known = (at) => rest.filter((row) => row[at] !== null);
    const sum = (at) => (known(at).length ? known(at).reduce((all, row) => all + row[at], 0) : null);
    if (rest.length) shown.push([null, ...[1, 2, 3, 4, 5].map(sum)]);
    const most = Math.max(...shown.map(size), 1e-12);
    return el(
      "ul",
      { class: "bars" },
      shown.map((row) => {
        const [key, layers, count, ms, share, idle] = row;
        const name = key === null ? `${rest.length} others` : label(key);
        const value = timed
          ? ms === null
            ? idle === layers
              ? "runs no kernel"
              : "not timed"
            : `${numbers.milliseconds(ms)}  ${numbers.percent(share)}`
          : numbers.count(layers, "layer");
        const inside = [
          el("span", { class: "label", dir: "ltr" }, name),
          el("span", { class: "value" }, value),
          el(
            "span",
            { class: "track", "aria-hidden": "true" },
            el("i", {
              style: {
                width: `${(100 * size(row)) / most}%`,
                background: key === null ? app.colors.muted : color(key),
              },
            }),
          ),
        ];
        const title = `${name}: ${numbers.count(layers, "layer")}${timed ? `, ${count} timed` : ""}${ms === null ? "" : `, ${numbers.milliseconds(ms)}`}`;
        return el(
          "li",
          {},
          key === null
            ? el("div", { title }, inside)
            : el("button", { type: "button", title, on: { click: () => pick(key) } }, inside),
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
    const { now, times } = engine;
    return panel.section(
      now.ranked ? "Slowest layers" : "Timed layers, the longest first",
      now.ranked ? null : el("p", { class: "muted" }, "Too little is timed to call one the slowest."),
      now.steadiness ? el("p", { class: "note" }, dom.kept(`${now.steadiness}.`)) : null,
      times.unstable.map((words) => el("p", { class: "note" }, dom.kept(`trtexec warns: ${engine.text(words)}`))),
      el(
        "ol",
        { class: "ranking" },
        now.ranking.map((n) =>
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
    const { now, times } = engine;
    const of = now.of ? `, ${now.of}` : "";
    const by = now.ms === null ? "Layers" : head.estimated ? "Estimated time" : "Time";
    const several = times.profiles.length > 1;
    return [
      el("div", { class: "top" }, el("p", { class: "muted" }, `Engine ${head.index} of ${head.name}`)),
      el("h2", {}, now.total || numbers.count(now.layers, "layer")),
      several
        ? el(
            "p",
            { class: "note" },
            `${times.profiles.length} optimisation profiles, of which one runs: this is profile ${now.number}, ${numbers.count(now.layers, "layer")} of ${numbers.grouped(engine.count)}.`,
          )
        : null,
      now.coverage ? el("p", { class: "note" }, dom.kept(`${now.coverage}.`)) : null,
      head.estimated
        ? el(
            "p",
            { class: "note" },
            "Nothing was measured. These are the times that the builder's autotuner measured, kernel by kernel: estimates.",
          )
        : null,
      panel.rows(
        panel.row("layers", now.counts),
        panel.row(several ? "all edges" : "edges", numbers.grouped(head.edges)),
        panel.row("reformats", now.reformats),
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
        `${by} by layer type${of}`,
        bars(
          app,
          now.types,
          (key) => engine.text(key) || "(no type)",
          (key) =>
            app.mode === "type"
              ? scene.types.of.has(engine.text(key))
                ? colors.tint(scene.types.of.get(engine.text(key)))
                : colors.marks.reformat[1]
              : colors.hot,
          (key) => app.filter("type", key),
        ),
      ),
      panel.section(
        `${by} by precision${of}`,
        bars(
          app,
          now.precisions,
          (key) => engine.text(key) || "unknown",
          (key) => colors.precisions[engine.layers.precision[engine.layers.dtype.indexOf(key)]][1],
          (key) => app.filter("dtype", key),
        ),
        el("p", { class: "muted" }, "What a layer computes in, as far as the log tells."),
      ),
      now.ms === null ? null : slowest(app),
      ...notes(app),
    ];
  }

  return { page };
})();
