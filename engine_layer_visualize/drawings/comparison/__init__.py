"""How a comparison is drawn, which the page does.

`columns` places the layers of both engines and the bands between them, `tones` gives them colours.
"""
