"""Comparisons of engines in; text, Markdown, JSON or CSV out.

`sentences` says what a comparison found, `blocks` makes a page of it; `terminal`, `markdown`,
`comparison_json` and `comparison_csv` write it. What the numbers are is decided in
`analysis/comparison`.
"""
