"""Writes the selected findings as text, Markdown, JSON, SARIF and GitHub's annotations.

`page` makes the blocks that `text` and `markdown` set.
"""
