"""What users hold: a build and its engines, with the methods that they look for.

`Engine` is `core.model.Engine` with its time, its drawing and its picture in a notebook.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine_layer_visualize.analysis.costs import engine_time
from engine_layer_visualize.analysis.subgraph import whole
from engine_layer_visualize.core import model
from engine_layer_visualize.core.model import EngineTime
from engine_layer_visualize.core.problems import Problem

if TYPE_CHECKING:
    import pydot

    from engine_layer_visualize.core.build_info import Unassigned


class Engine(model.Engine):
    """One engine of a log, numbered from 0 in the order they were built."""

    __slots__ = ()

    @property
    def time(self) -> EngineTime:
        """What is known of the engine's time, and how much of the engine it covers."""
        return engine_time(self)

    @property
    def total_ms(self) -> float | None:
        """Sum of the measured times in ms, of the first optimisation profile; None without any."""
        time = self.time
        return time.total_ms if time.kind == "measured" else None

    def to_pydot(self) -> pydot.Dot:
        """The drawing as pydot's objects, to be searched or changed; its text is that of `dot`.

        Nodes are `layer_<index>`, `input_<n>`, `output_<n>`, `unresolved_<n>` and `unused_<n>`,
        optimisation profiles the subgraphs `cluster_profile_<k>`.
        """
        from engine_layer_visualize.outputs.dot import writer as dot

        return dot.to_pydot(whole(self))

    def _repr_svg_(self) -> str:
        """How a notebook shows an engine."""
        from engine_layer_visualize.outputs.picture.svg import draw

        return draw(whole(self))

    def _repr_html_(self) -> str:
        """The same, no wider than the page."""
        from engine_layer_visualize.outputs.picture.svg import draw

        return f"<div>{draw(whole(self), inline=True)}</div>"


@dataclass(frozen=True, slots=True)
class Build:
    """All engines of one log, and every problem met on the way.

    `unassigned`: lines of the log that belong to none of its engines, where facts were asked for.
    """

    engines: tuple[Engine, ...]
    problems: tuple[Problem, ...] = ()
    unassigned: tuple[Unassigned, ...] = ()
