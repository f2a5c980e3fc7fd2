"""Defines what users hold: a build, its engines, a part of one, a summary, and what they answer."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from engine_layer_visualize.analysis import costs, peaks
from engine_layer_visualize.analysis.times import engine_time
from engine_layer_visualize.core import model
from engine_layer_visualize.core.model import EngineTime
from engine_layer_visualize.core.options import ReportOptions, check
from engine_layer_visualize.core.problems import Problem
from engine_layer_visualize.core.text import NARROWEST, count, must_be
from engine_layer_visualize.core.words import first_lines
from engine_layer_visualize.facts import subgraph
from engine_layer_visualize.facts.sentences import base, outline, total
from engine_layer_visualize.facts.subgraph import RADIUS

if TYPE_CHECKING:
    import pandas
    import pydot

    from engine_layer_visualize.analysis.work import EngineWork
    from engine_layer_visualize.export.tables import Table


_MOST_ENGINES: Final = 10  # of a build, with a line each


class Engine(model.Engine):
    __doc__ = str(model.Engine.__doc__)

    __slots__ = ()

    @property
    def time(self) -> EngineTime:
        """What is known of the engine's time, and how much of the engine it covers."""
        return engine_time(self)

    @property
    def work(self) -> EngineWork:
        """What each layer computes and moves, and the time that no kernel beats (docs/why-slow.md).

        Bounds need the device, which the log of trtexec names; else give `elv.work` what it can do.
        """
        return work(self)

    def to_dataframe(self, table: str = "layers") -> pandas.DataFrame:
        """Returns a table as a `pandas.DataFrame`; columns and types are the same for all engines.

        Args:
            table: a name of docs/reference.md.

        Raises:
            ModuleNotFoundError: where pandas is not installed.
            ValueError: for an unknown `table`.
        """
        from engine_layer_visualize.export.tables import frame

        return frame(self, table)

    def to_pydot(self) -> pydot.Dot:
        """Returns the drawing as pydot's objects, to be searched or changed.

        Its text is that of the format `dot`.

        Nodes are `layer_<index>`, `input_<n>`, `output_<n>`, `unresolved_<n>` and `unused_<n>`,
        optimisation profiles the subgraphs `cluster_profile_<k>`.
        """
        from engine_layer_visualize.drawing import dot

        return dot.to_pydot(subgraph.with_shown_names(subgraph.whole(self)))

    def __repr__(self) -> str:
        """Returns `<Engine 0 of build.log: 54 layers, 69 edges, 54 of 54 timed, 2.596 ms>`."""
        return f"<Engine {self.index} of {base(self.source.file)}: {_outline(self)}>"

    def _repr_html_(self) -> str:
        """Returns how a notebook shows an engine: its picture."""
        from engine_layer_visualize.page import notebook

        return notebook.of_view(subgraph.whole(self))


class Build(model.Frozen):
    """All engines of one log, and every problem met on the way."""

    engines: tuple[Engine, ...]
    problems: tuple[Problem, ...]

    def __init__(self, engines: tuple[Engine, ...], problems: tuple[Problem, ...] = ()) -> None:
        super().__init__(engines=engines, problems=problems)

    @property
    def tables(self) -> dict[str, Table]:
        """The engines, layers, tensors … as tables, by name: docs/reference.md lists them.

        What is build info is null with `read(…, facts=False)`.
        """
        from engine_layer_visualize.export.tables import tables

        return tables(self.engines)

    def __repr__(self) -> str:
        """Returns the number of engines and of problems, and a line for each engine."""
        of = f" of {base(self.engines[0].source.file)}" if self.engines else ""
        kinds = Counter(problem.severity for problem in self.problems)
        problems = [count(kinds[kind], kind) for kind in ("error", "warning") if kinds[kind]]
        parts = [count(len(self.engines), "engine") + of, *(problems or ["no problems"])]
        lines = [f"<Build: {', '.join(parts)}"]
        lines += first_lines(self.engines, _MOST_ENGINES, lambda e: f"{e.index}: {_outline(e)}")
        return "\n  ".join(lines) + ">"

    def _repr_html_(self) -> str:
        """Returns how a notebook shows a build: its text, and the picture of the first engine."""
        from engine_layer_visualize.page import notebook

        return notebook.of_build(repr(self), self.engines)


def _outline(engine: Engine) -> str:
    """Returns counts of layers and edges, and the time; estimates are called so."""
    time, words = engine.time, outline(engine)
    if time.kind == "estimated" and time.total_ms is not None:
        partly = f" in {time.timed} of {time.layers} layers" if time.timed < time.layers else ""
        words += f", ≈ {total(time.total_ms)}{partly}, estimated by the builder"
    return words


def work(
    engine: Engine, *, optimization_profile: int | None = None, peak: str | None = None
) -> EngineWork:
    """Returns what each layer computes and moves, and the time that no kernel beats.

    docs/how-it-decides.md says how these are counted.

    Args:
        engine: the engine.
        optimization_profile: the number of the one that sums are of; None: the first.
        peak: what the device can do, as in the flag `--peak`; None: what the log says.

    Raises:
        TypeError: where `engine` is another value.
        ValueError: for an unknown `peak`.
        ReadError: ELV408, where the engine has no such optimisation profile.
    """
    from engine_layer_visualize.analysis.work import work

    return work(costs.costs_asked(engine, optimization_profile, peak))


class Summary(model.Frozen):
    """What `summary` gives: it prints as text, and a notebook shows it as tables."""

    engines: tuple[Engine, ...]
    #: Text, markdown, json or brief: what `str(…)` and `print` give.
    format: str
    _options: ReportOptions

    def to(self, format: str) -> str:
        """Returns the text in another format.

        Args:
            format: text, markdown, json or brief.

        Raises:
            ValueError: for an unknown `format`.
        """
        from engine_layer_visualize.api.draw import render_report

        texts = render_report(self.engines, format, self._options)
        return "\n".join(text.rstrip("\n") for text in texts).lstrip("\n")

    @property
    def data(self) -> dict[str, Any]:
        """The numbers as a dictionary: that of the format json (docs/schemas).

        Times are in ms, shares from 0 to 1, memory in bytes. A section of build info is None where
        that was not asked for.
        """
        import json

        numbers: dict[str, Any] = json.loads(self.to("json"))
        return numbers

    def __str__(self) -> str:
        return self.to(self.format)

    def __repr__(self) -> str:
        return str(self)

    def _repr_markdown_(self) -> str | None:
        """Returns how a notebook shows a summary; None: a CSV or a JSON text stays as it is."""
        return self.to("markdown") if self.format in ("text", "markdown") else None


def summary(
    shown: Engine | Build,
    format: str = "text",
    *,
    top: int = 10,
    optimization_profile: int | None = None,
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
        format: text, markdown, json or brief.
        top: rows of a ranking.
        optimization_profile: the number of the one that times are of; None: the first.
        full: whether names are not shortened.
        width: columns of the text; None: the terminal's, else 140.
        peak: what the device can do, as in the flag `--peak`; None: what the log says.

    Raises:
        ValueError: for an unknown `format` or `peak`, a `top` below 1, a `width` below 40.
        TypeError: where `shown` is another value.
        ReadError: ELV408, where an engine has no such optimisation profile.
    """
    from engine_layer_visualize.api.draw import REPORTS, named
    from engine_layer_visualize.documents.terminal import columns

    must_be((model.Engine, Build), shown)
    named(format, REPORTS)
    width = max(columns(), NARROWEST) if width is None else width
    looks = ReportOptions(top, optimization_profile, full, width, peak=peaks.parse(peak))
    check(looks)
    build = shown if isinstance(shown, Build) else Build((shown,))
    for engine in build.engines:
        costs.Costs(engine, optimization_profile)  # raises where there is no such profile
    return Summary(engines=build.engines, format=format, _options=looks)


class View(subgraph.View):
    __doc__ = str(subgraph.View.__doc__)

    __slots__ = ()

    def __repr__(self) -> str:
        """Returns `<View of engine 0: 3 of 54 layers shown (--around 12 --radius 1), …>`."""
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
) -> View:
    """Returns the layers that meet every condition; the view is whole where these are all layers.

    Args:
        engine: the engine.
        query: as in `--query` (docs/reference.md), or a compiled regular expression for any
            text of a layer. Codes of findings, estimates and some ONNX nodes are not known with
            `read(…, facts=False)`.
        around: a layer's name, its index, or a part of its name that no other layer has
            (reformats, which bear others' names, aside); with it those near it.
        radius: how many edges away from `around` a layer may be.

    Raises:
        ReadError: ELV407 where nothing is left, ELV410 for a bad `query`.
        TypeError: where `engine` is another value.
    """
    must_be((model.Engine,), engine)
    shown = subgraph.part(engine, query=query, around=around, radius=radius)
    return View(*shown)
