"""Random inputs, grown towards what they reach: `python -m fuzz`.

takes: the fixtures and `fuzz/corpus` as seeds
gives: a figure of executions for every reader and writer, and each input that broke a promise
never: is imported by the program
"""
