"""Bytes in, files out, child processes: nothing here knows what a line means.

source, json_stream  a file, a pipe or a JSON text, read in bounded memory
atomic_file          a file that is written whole or not at all
subprocesses         a child process that ends with whoever waits for it
waiting_signals      signals that wait until something is done as a whole
locks                one process at a time, in a folder
onnx_file            an ONNX model, without its weights
"""
