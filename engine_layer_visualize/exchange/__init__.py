"""Files that other tools open: an engine in; traces and graphs in their formats, out.

`trace`: Perfetto and chrome://tracing. `speedscope`: the flame graph of that name. `build_trace`:
the build itself as a trace. `explorer_graph`, `explorer_files`: Model Explorer's graph and the data
of its nodes; `explorer_sync`: what syncs two. `cut`, `cutting`: pieces of an ONNX model.
`layer_facts`: what is known of a layer, the same for all of them. `sequence`: the timed layers that
traces lay end to end. `chrome_events`: the events of a trace.
`onnx_engine`: an engine as an ONNX model, `onnx_functions`: the nodes of a layer, `onnx_overlay`:
the model behind it with its layers, `onnx_types`: what they share. `ssa`: an engine as a graph in
which each tensor is written once.
"""
