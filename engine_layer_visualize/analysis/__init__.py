"""Computes what is known of an engine: numbers and names, in no output format.

costs, times       the time of each layer, totals and shares, and what is said of them
work               what layers compute and move, and bounds: by `extents`, `told_extents`, `sizes`,
                   `counts`, and `peaks` of a device
kinds, labels, precisions, reformat_reasons  single layers
inside             what a drawing unfolds a ForeignNode into
scopes, repeats, groups  modules of the network, repeated blocks, frames and what is folded
origin, trtexec    what the network was made from; flags of trtexec
"""
