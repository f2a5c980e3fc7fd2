"""Engines -> the page: one HTML file for a browser.

`page` joins the parts; `data`, `facts` and `times` make the data of an engine; `viewer/` holds the
scripts and the style.
"""
