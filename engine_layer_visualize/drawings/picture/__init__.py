"""Draws a view of an engine as SVG, PNG or PDF.

`scene` lists boxes and edges, `node_cards` makes the texts of boxes, `placement` their positions
(with `layout`), `title_legend` the header, `tensor_labels` the labels of edges; `text_width`
measures text. `drawing` makes `shapes` of all that, which `svg` and `pdf` write; `png_pdf` is the
entry of the two formats that need a renderer.
"""
