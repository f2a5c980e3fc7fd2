"""Draws sweeps: `picture` has a bar for each knob, and for each build."""
