"""Defines what users hold of a part of an engine, and chooses it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, fields

from engine_layer_visualize.api.engine import Engine
from engine_layer_visualize.core import model
from engine_layer_visualize.core.text import count, must_be
from engine_layer_visualize.facts import subgraph
from engine_layer_visualize.facts.subgraph import RADIUS


@dataclass(frozen=True, slots=True)
class View(subgraph.View):
    __doc__ = subgraph.View.__doc__

    def __repr__(self) -> str:
        """Returns `<View of engine 0: 50 of 54 layers shown (--hide Reformat), 4 hidden (…)>`."""
        words = subgraph.caption(self) or f"all {count(len(self.layers), 'layer')}"
        return f"<View of engine {self.engine.index}: {words}>"

    def _repr_html_(self) -> str:
        """Returns how a notebook shows a part of an engine: its picture."""
        from engine_layer_visualize.page import notebook

        return notebook.of_view(self)


def part(
    engine: Engine,
    *,
    query: str | re.Pattern[str] | None = None,
    around: str | int | None = None,
    radius: int = RADIUS,
    hide: str | Iterable[str] = (),
) -> View:
    """Returns the layers that meet every condition; the view is whole where these are all layers.

    Warns (`warnings.warn`) of a word of `hide` that is no type of this engine, nor one that
    TensorRT is known to print.

    Args:
        engine: the engine.
        query: as in `--query` (docs/reference.md), or a compiled regular expression for any
            text of a layer. Codes of findings, estimates and some ONNX nodes are not known with
            `read(…, facts=False)`.
        around: a layer's name, its index, or a part of its name that no other layer has
            (reformats, which bear others' names, aside); with it those near it.
        radius: how many edges away from `around` a layer may be.
        hide: a type of layers or several, or `opaque` (records that could not be read) and
            `unlisted` (reformats that the listing leaves out), whatever their case; edges are
            routed through hidden layers.

    Raises:
        ReadError: ELV407 where nothing is left, ELV410 for a bad `query`.
        TypeError: where `engine` is another value.
    """
    from engine_layer_visualize.analysis.kinds import unknown_types

    must_be((model.Engine,), engine)
    hide = (hide,) if isinstance(hide, str) else tuple(hide)
    for word, said in unknown_types(hide, (layer.type for layer in engine.layers)):
        import warnings

        warnings.warn(f"hide={word[:80]!r} {said}", stacklevel=2)
    shown = subgraph.part(engine, query=query, around=around, radius=radius, hide=hide)
    return View(*(getattr(shown, field.name) for field in fields(shown)))
