"""Tells what is known of a layer, a tensor and an engine: each fact once, for every output.

`LAYER`, `TENSOR` and `ENGINE` are tuples of `Field`. An output chooses fields by their places and
keys; the words, units and docs are those of the field. `log_facts` has the part of `LAYER` that the
log tells besides the listing, `layer_values` its values. `subject`: an engine with all that fields
ask of it. `objects`, `json`: fields as JSON. `sentences`, `time_words`, `work_words`: texts that
several outputs say. `file_names`: the names of files in outputs.
"""
