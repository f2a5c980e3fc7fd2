"""Draws an engine on one sheet for readers who do not know it: about a dozen boxes, no indices.

`steps` lists what runs and the tree of groups around it, `parts` chooses about a dozen nodes of
that tree, `shown` has both with times
and fills, `flow` places boxes, `words` says what they say, `ribbon` and `picture` draw.
"""
