"""An engine in; what is known of it out: numbers and names. No output format.

`costs`, `coverage`, `breakdown`: times. `work`: what layers compute and move, and bounds.
`layer_kinds`, `layer_labels`, `operations`, `precisions`, `measures`, `onnx_nodes`: single layers.
`contents`: a ForeignNode. `frontends`, `optimization_profiles`, `scopes`, `groups`,
`repeated_blocks`, `reformat_reasons`: the whole engine.
"""
