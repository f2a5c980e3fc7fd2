// The whole sheet, small, and where the window is on it.
//
// takes: a small canvas, a scene, the camera
// gives: a picture that is made once, a frame that follows, a drag that moves the window
// never: redraws the sheet while the window moves

const minimap = (() => {
  function on(canvas, cam) {
    const pen = canvas.getContext("2d");
    const kept = document.createElement("canvas");
    const at = { scale: 1, left: 0, top: 0 };
    let scene = null;

    function show(now) {
      scene = now;
      const ratio = devicePixelRatio || 1;
      const [w, h] = [canvas.clientWidth || 176, canvas.clientHeight || 110];
      for (const each of [canvas, kept]) [each.width, each.height] = [Math.round(w * ratio), Math.round(h * ratio)];
      const { sheet, colors } = scene;
      at.scale = Math.min((w - 12) / Math.max(1, sheet.width), (h - 12) / Math.max(1, sheet.height));
      at.left = (w - sheet.width * at.scale) / 2;
      at.top = (h - sheet.height * at.scale) / 2;
      at.ratio = ratio;
      const small = kept.getContext("2d");
      small.setTransform(ratio, 0, 0, ratio, 0, 0);
      small.clearRect(0, 0, w, h);
      for (let box = 0; box < sheet.size; box++) {
        small.fillStyle = scene.far(box);
        small.fillRect(
          at.left + (sheet.x[box] - sheet.w[box] / 2) * at.scale,
          at.top + sheet.y[box] * at.scale,
          Math.max(0.7, sheet.w[box] * at.scale),
          Math.max(0.7, sheet.h[box] * at.scale),
        );
      }
      frame(colors);
    }

    function frame() {
      if (!scene) return;
      const { view } = cam;
      const { sheet } = scene;
      const whole =
        view.x <= 1 &&
        view.y <= 1 &&
        view.x + view.width / view.scale >= sheet.width - 1 &&
        view.y + view.height / view.scale >= sheet.height - 1;
      canvas.classList.toggle("idle", whole); // nothing to find
      pen.setTransform(1, 0, 0, 1, 0, 0);
      pen.clearRect(0, 0, canvas.width, canvas.height);
      pen.drawImage(kept, 0, 0);
      pen.setTransform(at.ratio, 0, 0, at.ratio, 0, 0);
      pen.strokeStyle = scene.colors.accent;
      pen.lineWidth = 1.5;
      const [w, h] = [canvas.width / at.ratio, canvas.height / at.ratio];
      const x = Math.max(1, at.left + view.x * at.scale);
      const y = Math.max(1, at.top + view.y * at.scale);
      const right = Math.min(w - 1, at.left + (view.x + view.width / view.scale) * at.scale);
      const bottom = Math.min(h - 1, at.top + (view.y + view.height / view.scale) * at.scale);
      pen.strokeRect(x, y, Math.max(3, right - x), Math.max(3, bottom - y));
    }

    function go(event) {
      const { view } = cam;
      const x = (event.offsetX - at.left) / at.scale - view.width / view.scale / 2;
      const y = (event.offsetY - at.top) / at.scale - view.height / view.scale / 2;
      cam.stop();
      cam.set(x, y, view.scale);
    }

    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      go(event);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (event.buttons) go(event);
    });
    return { show, frame };
  }

  return { on };
})();
