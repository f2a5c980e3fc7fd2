"""The picture of a comparison.

`columns` places the layers of both engines and the bands between them, `tones` gives them colours,
`picture` draws them.
"""
