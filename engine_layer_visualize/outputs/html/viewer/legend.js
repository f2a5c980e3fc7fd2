// The legend: what the colours and lines mean, only those that occur.
//
// takes: a palette, the legend's entries, the ticks of the heat scale
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

  function line(colors, entries, scale) {
    return el(
      "div",
      { class: "keys" },
      scale.length
        ? el(
            "span",
            { class: "key scale" },
            scale.map(([color, words]) => el("i", { style: { background: color, color: colors.on(color) } }, words)),
          )
        : null,
      entries.map(([kind, color, words]) => el("span", { class: "key" }, sign(kind, color), words)),
    );
  }

  return { line };
})();
