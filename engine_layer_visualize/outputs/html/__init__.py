"""Engines -> the page: one HTML file for a browser.

`page` joins the parts; `data`, `facts` and `times` say what it knows of an engine; `viewer/` holds
its scripts and style.
"""
