"""Which part of an engine is shown: queries, searches, and the graph that they leave.

`query_language`: fields, signs and sentences of a query, as data; `query`: its words, read;
`query_regex`: its regular expressions; `search`: the layers that are asked for. `subgraph`: the
`View` to show. `endpoints`: what is drawn at its ends. `live_tensors`: what is held at each layer.
"""
