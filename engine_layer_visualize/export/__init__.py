"""Writes files that other programs open: tables, traces, ONNX models."""
