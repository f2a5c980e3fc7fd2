"""Writes the page of engines, and serves the site on which a log is dropped."""
