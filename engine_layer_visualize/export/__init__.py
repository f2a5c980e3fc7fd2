"""Writes files that other programs open: JSON, tables, traces, ONNX models."""
