// Numbers as a person would say them.
//
// takes: milliseconds, shares, bytes, counts
// gives: short texts
// never: rounds something to nothing

const numbers = (() => {
  // As the other outputs round: what stands just between two goes to the even one.
  function fixed(value, digits) {
    const tie = Math.abs((value * 2 ** (digits + 1)) % 2) === 1;
    if (!tie) return value.toFixed(digits);
    const low = Math.floor(value * 10 ** digits);
    return ((low % 2 ? low + 1 : low) / 10 ** digits).toFixed(digits);
  }

  const three = (value) => fixed(value, Math.abs(value) < 9.995 ? 2 : Math.abs(value) < 99.95 ? 1 : 0);

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

  // An estimate is marked as one.
  const about = (head, ms) => (ms === null ? "" : (head.estimated ? "≈ " : "") + milliseconds(ms));

  function percent(share) {
    if (share === null || !Number.isFinite(share)) return "";
    if (share === 0) return "0 %";
    return share > 0 && share < 0.0005 ? "<0.1 %" : `${fixed(share * 100, 1)} %`;
  }

  function bytes(count) {
    if (count === null || count === undefined) return "";
    let [size, unit] = [count, "B"];
    for (const next of ["KiB", "MiB", "GiB"]) {
      if (size < 999.5) break;
      [size, unit] = [size / 1024, next];
    }
    return `${fixed(size, size >= 9.95 || unit === "B" ? 0 : 1)} ${unit}`;
  }

  const grouped = (count) => String(count).replace(/\B(?=(\d{3})+(?!\d))/g, ",");
  const count = (number, word) => `${grouped(number)} ${word}${number === 1 ? "" : "s"}`;

  return { milliseconds, about, percent, bytes, grouped, count };
})();
