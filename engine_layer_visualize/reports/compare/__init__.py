"""Reports of comparisons: text, Markdown, JSON or CSV.

`blocks` makes a report of the sentences of `comparison.sentences`; `terminal`, `markdown`,
`comparison_json` and `comparison_csv` write it. What the numbers are is decided in `comparison`.
"""
