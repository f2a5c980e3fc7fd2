// The legend: what the colours and lines mean, only those that occur.
//
// takes: a palette, the legend's entries
// gives: elements
// never: explains what is not there

const legend = (() => {
  function sign(kind, color) {
    const style =
      kind === "line" || kind === "box" ? { background: color } : { "border-color": color, "border-style": kind };
    return el("i", {
      class: kind === "line" ? "wire" : kind === "box" ? "swatch" : "swatch open",
      style,
      "aria-hidden": "true",
    });
  }

  function line(colors, entries, most) {
    const steps = Array.from({ length: 9 }, (_, at) => colors.heat((at / 8) ** 2));
    return el(
      "div",
      { class: "keys" },
      most
        ? el(
            "span",
            { class: "key" },
            "0",
            el(
              "span",
              { class: "scale", "aria-hidden": "true" },
              steps.map((color) => el("i", { style: { background: color } })),
            ),
            most,
          )
        : null,
      entries.map(([kind, color, words]) => el("span", { class: "key" }, sign(kind, color), words)),
    );
  }

  return { line };
})();
