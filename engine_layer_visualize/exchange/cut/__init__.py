"""Makes a model of its own of a piece of an ONNX model, and the command line that times it.

tensor_types  the model and the shapes of its inputs -> type and shape of every tensor
piece_model   a piece -> an ONNX model: nodes unchanged, tensors under their own names
same_build    an engine -> the flags of trtexec under which it was built and run
io_formats    the tensors that cross -> types and formats as the layers have them
script        all of these -> a shell script that builds and times the piece
"""
