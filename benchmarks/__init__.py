"""Measures what the program costs, beside plain baselines: `python -m benchmarks`."""
