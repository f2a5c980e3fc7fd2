// Numbers as a person would say them.
//
// takes: milliseconds, shares, bytes, counts
// gives: short texts
// never: rounds something to nothing

const numbers = (() => {
  const three = (value) => value.toFixed(Math.abs(value) < 9.995 ? 2 : Math.abs(value) < 99.95 ? 1 : 0);

  function milliseconds(ms) {
    if (ms === null || ms === undefined) return "";
    if (ms === 0) return "0 µs";
    for (const [scale, unit] of [
      [1e-6, "ns"],
      [1e-3, "µs"],
      [1, "ms"],
      [1e3, "s"],
    ]) {
      const text = three(ms / scale);
      if (Math.abs(Number(text)) < 1000 || unit === "s") return `${text} ${unit}`;
    }
    return "";
  }

  function percent(share) {
    if (share === null || !Number.isFinite(share)) return "";
    if (share === 0) return "0 %";
    return share > 0 && share < 0.0005 ? "<0.1 %" : `${(share * 100).toFixed(1)} %`;
  }

  function bytes(count) {
    if (count === null || count === undefined) return "";
    for (const [scale, unit] of [
      [1, "B"],
      [1 << 10, "KiB"],
      [1 << 20, "MiB"],
    ]) {
      if (count < scale * 1024) return unit === "B" ? `${count} B` : `${three(count / scale)} ${unit}`;
    }
    return `${three(count / (1 << 30))} GiB`;
  }

  const grouped = (count) => String(count).replace(/\B(?=(\d{3})+(?!\d))/g, ",");
  const count = (number, word) => `${grouped(number)} ${word}${number === 1 ? "" : "s"}`;

  return { milliseconds, percent, bytes, grouped, count };
})();
