"""Writes files that other programs open: traces, graphs and ONNX models.

`trace`: the times of layers, for Perfetto and for speedscope. `chrome_events`: the events of a
trace. `sequence`: the timed layers that a trace lays end to end. `engine_json`: the program's own
JSON. `onnx_engine`: an engine as an ONNX model, `onnx_functions`: the nodes of a layer,
`onnx_overlay`: the model behind it with its layers, `onnx_types`: what they share. `ssa`: an engine
as a graph in which each tensor is written once. `layer_facts`: what is known of a layer, the same
for all of them. `cut`, `cutting`: pieces of an ONNX model.
"""
