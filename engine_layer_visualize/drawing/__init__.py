"""Draws engines: places boxes and edges, writes SVG, PNG and DOT."""
