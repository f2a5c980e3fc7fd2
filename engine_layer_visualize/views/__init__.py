"""Which part of an engine is shown: queries, searches, and the graph that they leave."""
