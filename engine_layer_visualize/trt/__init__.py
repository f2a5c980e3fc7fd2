"""TensorRT's vocabulary, as functions of text: a word that a log prints in, what it means out.

layer_names        fused layers, reformats, Myelin kernels, optimisation profiles, ONNX metadata
operators          the operators that a fused name names
data_types         data types, and their width
myelin_operations  the operations that a Myelin kernel's name lists
memory_formats     formats and strides in short words
"""
