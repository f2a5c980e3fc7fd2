"""Engines -> the page: `page` joins the parts, `data`, `facts` and `times` say what it knows of an
engine, `viewer/` holds its scripts and style."""
