"""TensorRT's vocabulary, as functions of text: a word that a log prints in, what it means out.

layer_names     fused layers, reformats, Myelin kernels, optimisation profiles, ONNX metadata
torch_names     layers that PyTorch's converters made
operators       the operators that a fused name names
kernel_names    whether a kernel runs on tensor cores, and for which architecture
myelin_kernels  the operations that a Myelin kernel's name lists
data_types      data types, and their width
memory_formats  formats and strides in short words
versions        TensorRT's version as numbers
"""
