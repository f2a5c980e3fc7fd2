"""What is known of a layer, a tensor and an engine: each fact once, for every output.

`LAYER`, `TENSOR` and `ENGINE` are tuples of `Field`. An output chooses fields by their places and
keys; the words, units and docs are those of the field.
"""
