"""Writes the HTML of a notebook's cell: a view, or the engines of a log.

A cell is kept in the notebook's file: it has a bound, and says what it leaves out.
"""

from collections.abc import Sequence
from html import escape
from typing import Final

from engine_layer_visualize.core.model import Engine
from engine_layer_visualize.core.text import count
from engine_layer_visualize.drawing import svg
from engine_layer_visualize.facts.subgraph import View, whole, with_shown_names

LARGEST_PICTURE: Final = 2_000_000  # bytes
# Notebooks look for formulas between dollar signs, which a name may have.
_CELL: Final = '<div class="tex2jax_ignore mathjax_ignore">{}</div>'


def of_view(view: View) -> str:
    """Returns the picture, or the reason why there is none."""
    return _CELL.format(_picture(view))


def of_build(told: str, engines: Sequence[Engine]) -> str:
    """Returns what is told of a build, and the picture of its first engine."""
    pictures = "".join(_picture(whole(engine)) for engine in engines[:1])
    return _CELL.format(f"<pre>{escape(told)}</pre>{pictures}")


def _picture(view: View) -> str:
    picture = svg.draw(with_shown_names(view), inline=True)
    if len(picture.encode()) <= LARGEST_PICTURE:
        return picture
    words = (
        f"The picture of {count(len(view.layers), 'layer')} is too large for a notebook. "
        'elv.draw(engine, "engine.html") writes a page of them, elv.part(engine, …) chooses some.'
    )
    return f"<p>{escape(words)}</p>"
