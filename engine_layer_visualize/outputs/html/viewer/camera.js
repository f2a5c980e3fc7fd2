// Where the window looks: pan and zoom.
//
// takes: wheel, pointers (drag, pinch), a canvas
// gives: a camera: x, y of the sheet at the window's corner, scale; calls `moved` when it changes
// never: draws, or lets the sheet get lost

const camera = (() => {
  const MOST = 3;
  const QUICK = 240; // milliseconds of a move that the eye can follow
  const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

  function on(canvas, moved) {
    const view = {
      x: 0,
      y: 0,
      scale: 1,
      width: 1,
      height: 1,
      least: 0.05,
      sheet: { width: 1, height: 1 },
      margins: { top: 20, right: 20, bottom: 20, left: 20 },
    };
    let flight = 0;

    function bound() {
      view.scale = Math.min(MOST, Math.max(view.least, view.scale));
      const [w, h] = [view.width / view.scale, view.height / view.scale];
      view.x = Math.min(view.sheet.width - w * 0.3, Math.max(-w * 0.7, view.x));
      view.y = Math.min(view.sheet.height - h * 0.3, Math.max(-h * 0.7, view.y));
    }

    function set(x, y, scale) {
      view.scale = scale;
      [view.x, view.y] = [x, y];
      bound();
      moved();
    }

    function stop() {
      cancelAnimationFrame(flight);
      flight = 0;
    }

    // Glides there: the centre and the scale's logarithm move evenly.
    function glide(x, y, scale) {
      stop();
      if (calm()) {
        set(x, y, scale);
        return;
      }
      const from = { x: view.x, y: view.y, scale: view.scale };
      const began = performance.now();
      const step = (now) => {
        const at = Math.max(0, Math.min(1, (now - began) / QUICK));
        const eased = 1 - (1 - at) ** 3;
        const s = from.scale * (scale / from.scale) ** eased;
        const mid = (a, b, size) =>
          (a + size / from.scale / 2) * (1 - eased) + (b + size / scale / 2) * eased - size / s / 2;
        set(mid(from.x, x, view.width), mid(from.y, y, view.height), s);
        flight = at < 1 ? requestAnimationFrame(step) : 0;
      };
      flight = requestAnimationFrame(step);
    }

    // So that this rectangle of the sheet fits between the margins.
    function fit(left, top, width, height, most, go) {
      const m = view.margins;
      const room = { w: Math.max(50, view.width - m.left - m.right), h: Math.max(50, view.height - m.top - m.bottom) };
      const scale = Math.min(most, Math.max(view.least, Math.min(room.w / width, room.h / height)));
      const x = left + width / 2 - (m.left + room.w / 2) / scale;
      const y = top + height / 2 - (m.top + room.h / 2) / scale;
      (go || glide)(x, y, scale);
    }

    function zoom(by, px, py, smooth) {
      const [sx, sy] = [px ?? view.width / 2, py ?? view.height / 2];
      const scale = Math.min(MOST, Math.max(view.least, view.scale * by));
      const x = view.x + sx / view.scale - sx / scale;
      const y = view.y + sy / view.scale - sy / scale;
      if (smooth) glide(x, y, scale);
      else {
        stop();
        set(x, y, scale);
      }
    }

    const pan = (dx, dy) => {
      stop();
      set(view.x + dx / view.scale, view.y + dy / view.scale, view.scale);
    };

    const api = {
      view,
      set,
      stop,
      glide,
      fit,
      zoom,
      pan,
      all: (go) => fit(0, 0, view.sheet.width, view.sheet.height, 1.25, go),
    };
    listen(canvas, api);
    return api;
  }

  function listen(canvas, api) {
    const { view, zoom, pan, stop } = api;
    const pointers = new Map();
    canvas.addEventListener(
      "wheel",
      (event) => {
        event.preventDefault();
        const unit = event.deltaMode === 1 ? 18 : event.deltaMode === 2 ? 300 : 1;
        if (event.shiftKey && !event.ctrlKey) {
          pan((event.deltaX || event.deltaY) * unit, 0);
          return;
        }
        const by = Math.max(-240, Math.min(240, event.deltaY * unit));
        zoom(Math.exp(-by * (event.ctrlKey ? 0.01 : 0.0022)), event.offsetX, event.offsetY);
      },
      { passive: false },
    );
    canvas.addEventListener("pointerdown", (event) => {
      if (event.button > 1) return;
      stop();
      canvas.setPointerCapture(event.pointerId);
      pointers.set(event.pointerId, { x: event.offsetX, y: event.offsetY });
      api.dragged = 0;
    });
    canvas.addEventListener("pointermove", (event) => {
      const was = pointers.get(event.pointerId);
      if (!was) return;
      const now = { x: event.offsetX, y: event.offsetY };
      const other = [...pointers].find(([id]) => id !== event.pointerId)?.[1];
      if (other) {
        const apart = (p) => Math.max(20, Math.hypot(p.x - other.x, p.y - other.y));
        pan((was.x - now.x) / 2, (was.y - now.y) / 2);
        zoom(apart(now) / apart(was), (now.x + other.x) / 2, (now.y + other.y) / 2);
      } else pan(was.x - now.x, was.y - now.y);
      api.dragged += Math.abs(now.x - was.x) + Math.abs(now.y - was.y);
      pointers.set(event.pointerId, now);
    });
    const up = (event) => pointers.delete(event.pointerId);
    for (const name of ["pointerup", "pointercancel"]) canvas.addEventListener(name, up);
    canvas.addEventListener("keydown", (event) => {
      const step = event.shiftKey ? 300 : 80;
      const moves = {
        ArrowLeft: [-step, 0],
        ArrowRight: [step, 0],
        ArrowUp: [0, -step],
        ArrowDown: [0, step],
        PageUp: [0, -view.height * 0.8],
        PageDown: [0, view.height * 0.8],
      };
      if (!moves[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      pan(...moves[event.key]);
    });
  }

  return { on };
})();
