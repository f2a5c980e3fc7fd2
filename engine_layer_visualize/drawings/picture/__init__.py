"""Draws a view of an engine as SVG or PNG.

`scene` lists boxes and edges, `node_cards` makes the texts of boxes, `placement` their positions
(with `layout`), `title_legend` the header, `tensor_labels` the labels of edges; `text_width`
measures text. `drawing` makes `shapes` of all that, which `svg` writes; `png` is the entry of
the format that needs a renderer.
"""
