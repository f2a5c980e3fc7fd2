"""Draws engines: `layout` places boxes, `picture` writes SVG and PNG, `dot` Graphviz.

`comparison` draws two engines. Colours, tooltips and badges are decided here for all of them.
"""
