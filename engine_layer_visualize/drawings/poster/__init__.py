"""Draws an engine on one sheet for readers who do not know it: about a dozen boxes, no indices.

`steps` lists what runs and the tree of groups around it, `parts` chooses about a dozen nodes of
that tree, `flow` places them, `words` says what stands around them, `picture` draws the sheet.
"""
