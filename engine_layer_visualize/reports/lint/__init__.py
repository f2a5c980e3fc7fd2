"""The findings selected of each engine in; text, Markdown, JSON, SARIF, GitHub's annotations out.

`page` makes the blocks that `text` and `markdown` set.
"""
