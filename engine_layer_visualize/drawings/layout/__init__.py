"""Places boxes and edges: a layered drawing, folded into columns.

It knows no engine, text, color or output format. `layered` (rows.py) places boxes on a grid: a
*row* from the top, a *slot* from the left. An edge that passes other rows has a straight *lane*, in
a slot that is empty there or in the *gutter* at the left of a slot; between two rows is a *gap*,
where edges run across. `fold` (folding.py) cuts the rows into columns, `route` (routing.py) gives
every edge its corners. No edge runs behind a box, and no two nets share a stretch.
"""

from __future__ import annotations

from engine_layer_visualize.drawings.layout.folding import Folded, Spacing, fold
from engine_layer_visualize.drawings.layout.nested import nested
from engine_layer_visualize.drawings.layout.routing import route
from engine_layer_visualize.drawings.layout.rows import PATIENCE, Rows, layered

__all__ = ["PATIENCE", "Folded", "Rows", "Spacing", "fold", "layered", "nested", "route"]
