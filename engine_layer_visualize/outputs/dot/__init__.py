"""A View in; dot text, pydot's objects or Graphviz's pictures out.

`writer` is the entry. `statements` makes the drawing of nodes and edges, `labels` their texts,
`edges` finds those to be straight, `syntax` is what a dot file consists of. `graphviz` lays it out.
"""
