"""Compares engines, layer by layer, and judges one by the other."""
