"""Finds the part of an ONNX model that layers run.

    graph        what each node of the model reads and writes, and which values are fixed
    layer_nodes  a layer -> its nodes in the model
    piece        nodes -> the piece: what lies between them, constants, the tensors that cross

Nothing here imports `onnx`: nodes are the model's own `NodeProto`.
"""
