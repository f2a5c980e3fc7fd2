"""Random inputs, guided by the code that they reach: `python -m fuzz`.

Seeds are the fixtures and `fuzz/corpus`. For every reader and writer it counts executions and keeps
each input that broke a promise. The program does not import it.
"""
