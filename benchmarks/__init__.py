"""What the program costs, side by side with plain baselines.

takes: nothing
gives: `python -m benchmarks`
never: is installed, or fails because a machine is slow
"""
