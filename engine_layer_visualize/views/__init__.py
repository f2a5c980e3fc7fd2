"""Chooses the part of an engine that is shown, by queries and searches.

`query_language`: fields, signs and sentences of a query, as data; `query`: reads a query;
`query_regex`: its regular expressions; `search`: finds the layers that it asks for. `subgraph`: the
`View` to show; `endpoints`: what is drawn at its ends. `live_tensors`: the memory that is held at
each layer.
"""
