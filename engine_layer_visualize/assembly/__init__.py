"""Listings, rows of times and messages go in; the layers, graph and build info of engines come out.

wanted_engines                 which engines a source holds, before any is built
merge_listings, run_matching   which listings and runs are of one build
listing_state                  whether a listing is whole, cut, a part of one
hidden_reformats               reformats that the listing leaves out
profile_matching               times, by layer name
attach_build_info, estimates, layouts, onnx_layers, provenance   what the messages say of each layer
graph                          edges between layers
"""
