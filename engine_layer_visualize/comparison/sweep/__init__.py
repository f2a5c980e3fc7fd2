"""Compares many builds that differ in a knob each: build routes that were searched, or logs.

trials       iterations, engines, logs -> a `Sweep`: times, and what differs from the first
knobs        build routes with times -> what each knob changes, all others equal
sentences    what a sweep found out
"""
