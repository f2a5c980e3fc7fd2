"""Computes what is known of an engine: numbers and names, in no output format.

`layer_times`, `costs`, `coverage`, `breakdown`: times. `work`: what layers compute and move, and
bounds. `layer_kinds`, `layer_labels`, `operations`, `precisions`, `measures`, `onnx_nodes`: single
layers. `contents`, `inside`: a ForeignNode. `frontends`, `optimization_profiles`, `scopes`,
`groups`, `repeated_blocks`, `reformat_reasons`: the whole engine.
"""
