"""Tells how an engine changed over its builds, and where it changed for good.

builds       snapshots, in order -> what a history keeps of each build
series       builds -> those that are comparable together, with their steps
modules      layers with times -> the modules of the network that cost the most
steps        times in order -> where they changed, and noise does not explain it
"""
