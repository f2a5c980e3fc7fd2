// Text on the canvas: cut to fit, from the middle, the end kept.
//
// takes: a text, a font, a width
// gives: the text that fits
// never: measures the same text twice, or cuts a surrogate pair in two

const text = (() => {
  const FAMILY = 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif';
  const FONTS = { bold: `600 13px ${FAMILY}`, plain: `400 11px ${FAMILY}`, strong: `600 11px ${FAMILY}` };
  const pen = document.createElement("canvas").getContext("2d");
  const caches = new Map();
  const MOST = 60000; // kept texts

  function width(said, font) {
    let cache = caches.get(font);
    if (!cache) caches.set(font, (cache = new Map()));
    let found = cache.get(said);
    if (found === undefined) {
      if (cache.size > MOST) cache.clear();
      pen.font = font;
      found = pen.measureText(said).width;
      cache.set(said, found);
    }
    return found;
  }

  function middle(said, keep) {
    const tail = Math.max(1, Math.floor(((keep - 1) * 3) / 5));
    const head = Math.max(0, keep - 1 - tail);
    return (
      said.slice(0, head).replace(/[ .…\ud800-\udbff]+$/, "") +
      "…" +
      said.slice(said.length - tail).replace(/^[ .…\udc00-\udfff]+/, "")
    );
  }

  const fits = new Map();

  function fit(said, font, room) {
    const key = `${font}|${Math.round(room)}|${said.length > 200 ? said.slice(0, 100) + said.slice(-100) : said}`;
    let found = fits.get(key);
    if (found !== undefined) return found;
    if (fits.size > MOST) fits.clear();
    found = cut(said, font, room);
    fits.set(key, found);
    return found;
  }

  function cut(said, font, room) {
    pen.font = font;
    const long = (what) => pen.measureText(what).width > room;
    if (said.length < 400 && !long(said)) return said;
    let [low, high] = [1, Math.min(said.length - 1, 300)];
    while (low < high) {
      const keep = (low + high + 1) >> 1;
      if (long(middle(said, keep))) high = keep - 1;
      else low = keep;
    }
    return middle(said, low);
  }

  return { fit, width, FONTS, FAMILY };
})();
