// @ts-check
// The distances between boxes, rows and edges, in the page's units: `Spacing` of drawing/folding.py.

export const SPACE = { gap: 18, track: 8, slot: 18, port: 12 };
export const LEAD = 20; // above a group's first row, for its name
