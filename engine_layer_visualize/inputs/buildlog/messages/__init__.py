"""Reads what all other lines of a build say of layers and of the engine.

build_segments                                 one `Segment` for each build or run of trtexec
severe                                         warnings and errors
autotuning, autotuning_counts, tactic_times, workspace   the timings of tactics, counted by layer
builder_messages                               an `Attempt`: memory, fusions, precision, passes
network_definition                             inputs, outputs, the ONNX node of each layer
onnx_parsing, onnx_graph                       the ONNX model, as its parser logged it
trtexec_sections                               options, device, durations, performance
"""
