"""Writes files that other programs open: traces, graphs and ONNX models.

`trace`: the times of layers, for Perfetto and for speedscope. `chrome_events`: the events of a
trace. `sequence`: the timed layers that a trace lays end to end. `engine_json`: the program's own
JSON. `onnx_engine`: an engine as an ONNX model. `layer_facts`: what is known of a layer, the same
for all of them. `piece`: what a layer runs, cut out of an ONNX model; `trtexec_line`: the command
that builds and times it.
"""
