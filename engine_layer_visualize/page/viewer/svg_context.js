// @ts-check
// The calls that draw on a canvas -> the same drawing as SVG: each call becomes an element, each text stays text.

/** @import { Pen } from "./types.d.ts" */

/** @type {Record<string, string>} */
const ENTITIES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
/** @type {Record<string, string>} */
const ANCHORS = { center: "middle", right: "end", end: "end" };

/** Text in XML: what cannot stand there becomes U+FFFD. @param {string} text */
export const escaped = (text) =>
  text
    .toWellFormed()
    // biome-ignore lint/suspicious/noControlCharactersInRegex: XML cannot hold these
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "\ufffd")
    .replace(/[&<>"']/g, (sign) => ENTITIES[sign]);

/** @param {number} value */
const short = (value) => String(Math.round(value * 100) / 100);

/** The font that the page holds, as CSS. */
const face = () =>
  [...(globalThis.document?.styleSheets ?? [])]
    .flatMap((sheet) => [...sheet.cssRules])
    .filter((rule) => rule instanceof CSSFontFaceRule)
    .map((rule) => rule.cssText)
    .join("");

/** @implements {Pen} */
export class SvgContext {
  /** @type {Pen["fillStyle"]} */
  fillStyle = "#000";
  /** @type {Pen["strokeStyle"]} */
  strokeStyle = "#000";
  lineWidth = 1;
  globalAlpha = 1;
  font = "400 10px sans-serif";
  /** @type {CanvasLineJoin} */
  lineJoin = "miter";
  /** @type {CanvasTextAlign} */
  textAlign = "left";
  /** @type {CanvasTextBaseline} */
  textBaseline = "alphabetic";
  /** @type {string[]} */
  #parts = [];
  /** @type {string[]} */
  #path = [];
  /** @type {number[]} */
  #dash = [];
  #x = 0; // where the path is
  #y = 0;
  #open = false; // a group

  /**
   * The file.
   * @param {number} width
   * @param {number} height
   * @param {string} title
   */
  file(width, height, title) {
    const size = `width="${short(width)}" height="${short(height)}" viewBox="0 0 ${short(width)} ${short(height)}"`;
    return [
      `<svg xmlns="http://www.w3.org/2000/svg" ${size} style="white-space:pre"><title>${escaped(title)}</title><style type="text/css">${face()}</style>\n`,
      ...this.#parts,
      this.#open ? "</g>\n" : "",
      "</svg>\n",
    ];
  }

  // ---- attributes ---------------------------------------------------------------------------------

  #alpha() {
    return this.globalAlpha === 1 ? "" : ` opacity="${short(this.globalAlpha)}"`;
  }

  #filled() {
    return ` fill="${escaped(String(this.fillStyle))}"${this.#alpha()}`;
  }

  #stroked() {
    const dash = this.#dash.length ? ` stroke-dasharray="${this.#dash.map(short).join(" ")}"` : "";
    const join = this.lineJoin === "miter" ? "" : ` stroke-linejoin="${this.lineJoin}"`;
    const color = escaped(String(this.strokeStyle));
    return ` fill="none" stroke="${color}" stroke-width="${short(this.lineWidth)}"${join}${dash}${this.#alpha()}`;
  }

  // ---- what is drawn ------------------------------------------------------------------------------

  /** @param {number[]} matrix */
  #transform(...matrix) {
    this.#parts.push(
      `${this.#open ? "</g>\n" : ""}<g transform="matrix(${matrix.map((value) => Number(value.toFixed(5))).join(" ")})">\n`,
    );
    this.#open = true;
  }

  /** @type {Pen["setTransform"]} */
  setTransform = (/** @type {any[]} */ ...matrix) => this.#transform(...matrix);

  /** @param {number[]} segments */
  setLineDash(segments) {
    this.#dash = segments;
  }

  /** @type {Pen["fillRect"]} */
  fillRect(x, y, w, h) {
    this.#parts.push(
      `<rect x="${short(x)}" y="${short(y)}" width="${short(w)}" height="${short(h)}"${this.#filled()}/>\n`,
    );
  }

  /** @type {Pen["strokeRect"]} */
  strokeRect(x, y, w, h) {
    this.#parts.push(
      `<rect x="${short(x)}" y="${short(y)}" width="${short(w)}" height="${short(h)}"${this.#stroked()}/>\n`,
    );
  }

  fill() {
    this.#parts.push(`<path d="${this.#path.join("")}"${this.#filled()}/>\n`);
  }

  stroke() {
    this.#parts.push(`<path d="${this.#path.join("")}"${this.#stroked()}/>\n`);
  }

  /**
   * @param {string} text
   * @param {number} x
   * @param {number} y
   * @param {string} paint
   */
  #text(text, x, y, paint) {
    const [, weight, size, family] = /^(\S+) ([\d.]+)px (.*)$/.exec(this.font) ?? ["", "400", "10", "sans-serif"];
    const anchor = ANCHORS[this.textAlign];
    const align =
      (anchor ? ` text-anchor="${anchor}"` : "") +
      (this.textBaseline === "middle" ? ' dominant-baseline="central"' : "");
    this.#parts.push(
      `<text x="${short(x)}" y="${short(y)}" font-family="${escaped(family)}" font-size="${short(Number(size))}" font-weight="${weight}"${align}${paint}>${escaped(text)}</text>\n`,
    );
  }

  /** @type {Pen["fillText"]} */
  fillText(text, x, y) {
    this.#text(text, x, y, this.#filled());
  }

  /** @type {Pen["strokeText"]} */
  strokeText(text, x, y) {
    this.#text(text, x, y, this.#stroked());
  }

  // ---- the path -----------------------------------------------------------------------------------

  beginPath() {
    this.#path = [];
  }

  /**
   * @param {string} command
   * @param {...number} values the last two are where it ends
   */
  #add(command, ...values) {
    [this.#x, this.#y] = values.slice(-2);
    this.#path.push(command + values.map(short).join(" "));
  }

  /** @type {Pen["moveTo"]} */
  moveTo(x, y) {
    this.#add("M", x, y);
  }

  /** @type {Pen["lineTo"]} */
  lineTo(x, y) {
    this.#add("L", x, y);
  }

  /** @type {Pen["bezierCurveTo"]} */
  bezierCurveTo(a, b, c, d, x, y) {
    this.#add("C", a, b, c, d, x, y);
  }

  /** @type {Pen["rect"]} */
  rect(x, y, w, h) {
    this.#path.push(`M${short(x)} ${short(y)}h${short(w)}v${short(h)}h${short(-w)}Z`);
  }

  /**
   * @param {number} x
   * @param {number} y
   * @param {number} w
   * @param {number} h
   * @param {Parameters<Pen["roundRect"]>[4]} [radii] one for all corners
   */
  roundRect(x, y, w, h, radii = 0) {
    const r = Math.min(Number(radii), w / 2, h / 2);
    const turn = (/** @type {number} */ dx, /** @type {number} */ dy) =>
      `a${short(r)} ${short(r)} 0 0 1 ${short(dx)} ${short(dy)}`;
    const [across, down] = [short(w - 2 * r), short(h - 2 * r)];
    this.#path.push(
      `M${short(x + r)} ${short(y)}h${across}${turn(r, r)}v${down}${turn(-r, r)}h-${across}${turn(-r, -r)}v-${down}${turn(r, -r)}Z`,
    );
  }

  /** @type {Pen["arc"]} */
  arc(x, y, r, from, to, back = false) {
    const turn = Math.abs(to - from);
    const [a, b] = [
      [x + r * Math.cos(from), y + r * Math.sin(from)],
      [x + r * Math.cos(to), y + r * Math.sin(to)],
    ];
    this.#add(this.#path.length ? "L" : "M", a[0], a[1]);
    const sweep = back ? 0 : 1;
    if (turn >= 2 * Math.PI - 1e-6) this.#add("A", r, r, 0, 1, sweep, 2 * x - a[0], 2 * y - a[1]);
    const large = turn >= 2 * Math.PI - 1e-6 || turn <= Math.PI ? 0 : 1;
    this.#add("A", r, r, 0, large, sweep, b[0], b[1]);
  }

  /** A corner of this radius on the way to (x, y) and from there to (u, v). @type {Pen["arcTo"]} */
  arcTo(x, y, u, v, radius) {
    const [ax, ay, bx, by] = [this.#x - x, this.#y - y, u - x, v - y];
    const [a, b] = [Math.hypot(ax, ay), Math.hypot(bx, by)];
    const cross = ax * by - ay * bx;
    if (!radius || !a || !b || Math.abs(cross) < 1e-9 * a * b) {
      this.lineTo(x, y);
      return;
    }
    const cut = radius / Math.tan(Math.acos(Math.max(-1, Math.min(1, (ax * bx + ay * by) / (a * b)))) / 2);
    this.lineTo(x + (ax / a) * cut, y + (ay / a) * cut);
    this.#add("A", radius, radius, 0, 0, cross < 0 ? 1 : 0, x + (bx / b) * cut, y + (by / b) * cut);
  }
}
