"""Adds a rule and two formats to engine_layer_visualize."""
