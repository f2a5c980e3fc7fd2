"""Defines what users hold: a build and its engines, and what they answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from engine_layer_visualize.analysis.times import engine_time
from engine_layer_visualize.core import model
from engine_layer_visualize.core.model import EngineTime, Statistic
from engine_layer_visualize.core.problems import Problem
from engine_layer_visualize.core.text import count
from engine_layer_visualize.core.words import first_lines

if TYPE_CHECKING:
    import pandas
    import pydot

    from engine_layer_visualize.analysis.work import EngineWork
    from engine_layer_visualize.core.build_info import Unassigned
    from engine_layer_visualize.export.table import Table


_MOST_ENGINES: Final = 10  # of a build, with a line each


class Engine(model.Engine):
    __doc__ = model.Engine.__doc__

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

    @property
    def work(self) -> EngineWork:
        """What each layer computes and moves, and the time that no kernel beats (docs/why-slow.md).

        Bounds need the device, which the log of trtexec names; else give `elv.work` what it can do.
        """
        from engine_layer_visualize.analysis import costs
        from engine_layer_visualize.analysis.work import work

        return work(costs.costs_asked(self, None, "mean", None))

    def to_dataframe(self, table: str = "layers") -> pandas.DataFrame:
        """Returns a table as a `pandas.DataFrame`; columns and types are the same for all engines.

        Args:
            table: a name of docs/reference.md.

        Raises:
            ModuleNotFoundError: where pandas is not installed.
            ValueError: for an unknown `table`.
        """
        from engine_layer_visualize.export.table import frame

        return frame(self, table)

    def to_pydot(self) -> pydot.Dot:
        """Returns the drawing as pydot's objects, to be searched or changed.

        Its text is that of the format `dot`.

        Nodes are `layer_<index>`, `input_<n>`, `output_<n>`, `unresolved_<n>` and `unused_<n>`,
        optimisation profiles the subgraphs `cluster_profile_<k>`.
        """
        from engine_layer_visualize.drawing import dot
        from engine_layer_visualize.facts import engine_words
        from engine_layer_visualize.facts.subgraph import whole

        return dot.to_pydot(whole(engine_words.with_shown_files(self, full_paths=False)))

    def __repr__(self) -> str:
        """Returns `<Engine 0 of build.log: 54 layers, 69 edges, 54 of 54 timed, 2.596 ms>`."""
        from engine_layer_visualize.facts.sentences import base

        return f"<Engine {self.index} of {base(self.source.file)}: {_outline(self)}>"

    def _repr_html_(self) -> str:
        """Returns how a notebook shows an engine: its picture."""
        from engine_layer_visualize.facts.subgraph import whole
        from engine_layer_visualize.page import notebook

        return notebook.of_view(whole(self))


@dataclass(frozen=True, slots=True)
class Build:
    """All engines of one log, and every problem met on the way."""

    engines: tuple[Engine, ...]
    problems: tuple[Problem, ...] = ()
    #: Lines of the log that belong to none of its engines; none with `facts=False`.
    unassigned: tuple[Unassigned, ...] = ()

    @property
    def tables(self) -> dict[str, Table]:
        """The engines, layers, tensors … as tables, by name: docs/reference.md lists them.

        What is build info is null with `read(…, facts=False)`.
        """
        from engine_layer_visualize.export.table import tables

        return tables(self.engines)

    def __repr__(self) -> str:
        """Returns the number of engines and of problems, and a line for each engine."""
        from engine_layer_visualize.facts.sentences import base
        from engine_layer_visualize.page.notebook import counted

        of = f" of {base(self.engines[0].source.file)}" if self.engines else ""
        parts = [count(len(self.engines), "engine") + of, counted(self.problems)]
        if self.unassigned:
            parts.append(f"{count(len(self.unassigned), 'part')} of the log belong to no engine")
        lines = [f"<Build: {', '.join(parts)}"]
        lines += first_lines(self.engines, _MOST_ENGINES, lambda e: f"{e.index}: {_outline(e)}")
        return "\n  ".join(lines) + ">"

    def _repr_html_(self) -> str:
        """Returns how a notebook shows a build: engines, problems, the first one's picture."""
        from engine_layer_visualize.page import notebook

        return notebook.of_build(self.engines, self.problems)


def _outline(engine: Engine) -> str:
    """Returns counts of layers and edges, and the time; estimates are called so."""
    from engine_layer_visualize.facts.sentences import outline, total

    time, words = engine.time, outline(engine)
    if time.kind == "estimated" and time.total_ms is not None:
        partly = f" in {time.timed} of {time.layers} layers" if time.timed < time.layers else ""
        words += f", ≈ {total(time.total_ms)}{partly}, estimated by the builder"
    return words


def work(
    engine: Engine,
    *,
    optimization_profile: int | None = None,
    time: Statistic = "mean",
    peak: str | None = None,
) -> EngineWork:
    """Returns what each layer computes and moves, and the time that no kernel beats.

    docs/how-it-decides.md says how these are counted.

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
    from engine_layer_visualize.analysis import costs
    from engine_layer_visualize.analysis.work import work

    return work(costs.costs_asked(engine, optimization_profile, time, peak))
