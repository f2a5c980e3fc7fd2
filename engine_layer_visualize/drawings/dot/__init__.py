"""Draws a view of an engine as dot text or as pydot's objects.

`writer` is the entry. `statements` makes the drawing of nodes and edges, `labels` their texts.
"""
