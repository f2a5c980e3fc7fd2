"""The frozen values that all other folders exchange, and short safe texts.

model        the engine: layers, tensors, times, graph
layer_facts  what a log says of a layer besides the listing, and of its runs
build_info   what a log says of an engine, of trtexec's runs, of how a build ended
onnx_model   the ONNX model that an engine was built from
snapshot     what a gate keeps of an engine
options      of drawings and reports
problems     what went wrong, where, with a code
text, words  texts, and sentences of them, that are short and safe to show
limits       how much of a log is kept, and which of its numbers are believed
"""

#: This version of the package; a test compares the other files that name it.
__version__ = "1.0.0"
