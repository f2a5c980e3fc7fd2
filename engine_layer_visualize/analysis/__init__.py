"""An engine in; what is known of it out: numbers, names, the part to show. No output format.

`costs`, `coverage`, `breakdown`: times. `work`: what layers compute and move, and bounds.
`layer_kinds`, `layer_labels`, `operations`, `precisions`, `measures`, `onnx_nodes`: single layers.
`contents`: a ForeignNode. `frontends`, `optimization_profiles`, `scopes`, `groups`,
`repeated_blocks`, `reformat_reasons`, `live_tensors`: the whole engine. `query`, `search`: the
layers that are asked for. `subgraph`: the `View` to show. `endpoints`: what is drawn at its ends.
"""
