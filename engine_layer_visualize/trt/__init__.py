"""TensorRT's vocabulary, as functions of text: a word that a log prints in, what it means out."""
