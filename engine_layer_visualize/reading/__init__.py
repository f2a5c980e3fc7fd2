"""Reads files: bytes of logs and profiles go in, listings, messages, rows of times come out."""
