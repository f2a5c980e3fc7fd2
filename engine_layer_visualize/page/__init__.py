"""Writes the page of engines: one HTML file for a browser.

`page` joins the parts; `data`, `inside`, `groups`, `findings`, `times` and `report` make the data
of an engine; `comparison` is the page of two. `viewer/` holds the scripts and the style.
`notebook`: how values show themselves in a notebook.
"""
