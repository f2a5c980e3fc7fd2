"""Listings, times and messages go in; engines with layers, graph and build info come out."""
