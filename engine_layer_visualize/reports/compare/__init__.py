"""Comparisons of engines in; text, Markdown, JSON, CSV, SVG or HTML out.

`sentences` says what a comparison found, `blocks` makes a report of it; `terminal`, `markdown`,
`comparison_json` and `comparison_csv` write it. `columns` places the layers of both engines and the
bands between them, `tones` gives them colours; `picture` and `page` show them. What the numbers are
is decided in `comparison`.
"""
