"""Reports of a verdict: for a terminal, a comment, a CI system.

options    what all of them are told
page       the words and tables that several show
snapshot   what is kept for later gates, as a file
text, markdown, json, junit, sarif, github    one format each, with `render`
"""
