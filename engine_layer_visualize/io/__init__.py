"""Bytes in, files out, child processes: nothing here knows what a line means.

source         a file or a pipe, in bounded memory; `input_files`: packed, its digest, and
               which may be read
json_stream    a JSON text, value by value
atomic_file    a file that is written whole or not at all, and the lock of a folder
processes      a child that ends with whoever waits for it, signals that wait
onnx_file      an ONNX model, without its weights
"""
