// @ts-check
// The poster that the data holds -> SVG or PNG.

import * as dom from "./dom.js";
import { toPng } from "./picture.js";
import { face } from "./svg_context.js";

/** @import { Engine } from "./types.d.ts" */

const SIZE = [3200, 1800]; // pixels of the PNG: twice those of the SVG

/** @param {Pick<Engine, "poster">} engine */
export const svg = async ({ poster }) => {
  const bytes = Uint8Array.from(atob(poster), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  const text = await new Response(stream).text();
  return new Blob([text.replace(">", () => `><style type="text/css">${face()}</style>`)], { type: "image/svg+xml" });
};

/** @param {Pick<Engine, "poster">} engine */
export const png = async (engine) => {
  const image = new Image();
  const url = URL.createObjectURL(await svg(engine));
  try {
    image.src = url;
    await image.decode();
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = SIZE;
    dom.contextOf(canvas, { alpha: false }).drawImage(image, 0, 0, canvas.width, canvas.height);
    return await toPng(canvas);
  } finally {
    URL.revokeObjectURL(url);
  }
};
