"""Reads files: a log becomes blocks and messages, a listing layers, a file of times rows.

`buildlog` finds the blocks of a log and reads its other lines, `listings` and `profiles` read what
holds layers and times. A format is a record (`formats`) that its module gives. No engine is known
here: `assembly` makes it.
"""
