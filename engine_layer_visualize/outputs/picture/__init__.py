"""A view of an engine -> SVG, PNG or PDF, drawn by ourselves.

`scene` says which boxes and edges there are, `node_cards` what stands in a box, `placement` where
everything goes (with `layout`), `title_legend` what stands above, `tensor_labels` what stands
beside edges, by the widths of `text_width`. `drawing` makes `shapes` of all that, which `svg`
writes and `pdf` draws; `png_pdf` is the writer of both formats that need a renderer.
"""
