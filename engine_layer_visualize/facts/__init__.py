"""Tells what is known of a layer, a tensor and an engine: each fact once, for every output."""
