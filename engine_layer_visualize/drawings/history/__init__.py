"""Draws histories: `axes` places values and the words beside them, `picture` makes the shapes."""
