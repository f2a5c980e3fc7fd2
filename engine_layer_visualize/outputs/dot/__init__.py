"""A View in; dot text, pydot's objects or Graphviz's pictures out.

`writer` is the entry. `statements` makes the drawing of nodes and edges, `labels` their texts,
`edges` chooses those to be straight, `syntax` has the kinds of statements. `graphviz` draws it.
"""
