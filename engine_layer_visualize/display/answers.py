"""Answers what users ask of an engine: a part of it, its work, a summary.

`View` extends that of `views` and shows itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.core import model
from engine_layer_visualize.core.model import Statistic
from engine_layer_visualize.core.text import count
from engine_layer_visualize.core.wrong_values import must_be
from engine_layer_visualize.display import Build, Engine
from engine_layer_visualize.views import subgraph
from engine_layer_visualize.views.subgraph import RADIUS

if TYPE_CHECKING:
    from engine_layer_visualize.analysis.work import EngineWork
    from engine_layer_visualize.core.build_info import Unassigned
    from engine_layer_visualize.core.options import ReportOptions

# ---- a part of an engine -----------------------------------------------------------------------


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
        query: as in `--query` (docs/command-line.md), or a compiled regular expression for any
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
    from engine_layer_visualize.analysis.hidden_types import unknown_types

    must_be((model.Engine,), engine)
    hide = (hide,) if isinstance(hide, str) else tuple(hide)
    for word, said in unknown_types(hide, (layer.type for layer in engine.layers)):
        import warnings

        warnings.warn(f"hide={word[:80]!r} {said}", stacklevel=2)
    shown = subgraph.part(engine, query=query, around=around, radius=radius, hide=hide)
    return View(*(getattr(shown, field.name) for field in fields(shown)))


def work(
    engine: Engine,
    *,
    optimization_profile: int | None = None,
    time: Statistic = "mean",
    peak: str | None = None,
) -> EngineWork:
    """Returns what each layer computes and moves, and the time that no kernel beats.

    docs/numbers.md says how these are counted.

    Args:
        engine: the engine.
        optimization_profile: the number of the one that sums are of; None: the first.
        time: mean or median of a layer's measured times.
        peak: what the device can do, as in the flag `--peak`; None: what the log says.

    Raises:
        TypeError: where `engine` is another value.
        ValueError: for an unknown `time` or `peak`.
        ReadError: ELV408, where the engine has no such optimisation profile.
    """
    from engine_layer_visualize.analysis import asked
    from engine_layer_visualize.analysis.work import work

    return work(asked.costs(engine, optimization_profile, time, peak))


# ---- a summary ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Summary:
    """What `summary` gives: it prints as text, and a notebook shows it as tables."""

    engines: tuple[Engine, ...]
    unassigned: tuple[Unassigned, ...]
    #: Text, markdown, json, csv or brief: what `str(…)` and `print` give.
    format: str
    _options: ReportOptions

    def to(self, format: str) -> str:
        """Returns the text in another format.

        Args:
            format: text, markdown, json, csv or brief.

        Raises:
            ValueError: for an unknown `format`.
        """
        from engine_layer_visualize.writers import render_report

        texts = render_report((*self.engines, *self.unassigned), format, self._options)
        return "\n".join(text.rstrip("\n") for text in texts).lstrip("\n")

    @property
    def data(self) -> dict[str, Any]:
        """The numbers as a dictionary: that of the format json (docs/summary.md).

        Times are in ms, shares from 0 to 1, memory in bytes. A section of build info is None where
        that was not asked for.
        """
        import json

        numbers: dict[str, Any] = json.loads(self.to("json"))
        return numbers

    def __str__(self) -> str:
        return self.to(self.format)

    __repr__ = __str__

    def _repr_markdown_(self) -> str | None:
        """Returns how a notebook shows a summary; None: a CSV or a JSON text stays as it is."""
        return self.to("markdown") if self.format in ("text", "markdown") else None


def summary(
    shown: Engine | Build,
    format: str = "text",
    *,
    top: int = 10,
    optimization_profile: int | None = None,
    time: Statistic = "mean",
    full: bool = False,
    width: int | None = None,
    peak: str | None = None,
) -> Summary:
    """Returns text and tables about an engine, or about all engines of a build: `print` it.

    Estimates, memory, autotuning, precisions that the build allowed and the end-to-end latency are
    build info, and so are ONNX nodes that no record names: with `read(…, facts=False)` the
    summary says that it has none.

    Args:
        shown: an engine or a build.
        format: text, markdown, json, csv (a row for each layer) or brief.
        top: rows of a ranking.
        optimization_profile: the number of the one that times are of; None: the first.
        time: mean or median of a layer's measured times.
        full: whether names are not shortened.
        width: columns of the text; None: the terminal's, else 140.
        peak: what the device can do, as in the flag `--peak`; None: what the log says.

    Raises:
        ValueError: for an unknown `format`, `time` or `peak`, a `top` below 1, a `width` below 40.
        TypeError: where `shown` is another value.
        ReadError: ELV408, where an engine has no such optimisation profile.
    """
    from shutil import get_terminal_size

    from engine_layer_visualize.analysis.work import peaks
    from engine_layer_visualize.core.options import NARROWEST, WIDTH, ReportOptions, check
    from engine_layer_visualize.writers import REPORTS, named

    must_be((model.Engine, Build), shown)
    named(format, REPORTS)
    columns = max(get_terminal_size((WIDTH, 24)).columns, NARROWEST) if width is None else width
    looks = ReportOptions(top, optimization_profile, time, full, columns, peak=peaks.parse(peak))
    check(looks)
    build = shown if isinstance(shown, Build) else Build((shown,))
    for engine in build.engines:
        Costs(engine, optimization_profile)  # raises where there is no such profile
    return Summary(build.engines, build.unassigned, format, looks)
