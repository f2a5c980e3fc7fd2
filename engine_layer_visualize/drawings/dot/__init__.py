"""A View in; dot text or pydot's objects out.

`writer` is the entry. `statements` makes the drawing of nodes and edges, `labels` their texts.
"""
