"""A comparison as users hold it, which shows itself."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.comparison import compare as comparison
from engine_layer_visualize.comparison import result
from engine_layer_visualize.core.model import Engine, Statistic
from engine_layer_visualize.core.text import base_name, must_be, not_among


@dataclass(frozen=True, slots=True, repr=False)
class Comparison(result.Comparison):
    """Two engines, layer by layer: it prints as text, and a notebook shows its tables.

    Every layer stands in exactly one place: in a group, as a layer or as a reformat, in `overhead`
    or in `unmatched`.
    """

    def to(self, format: str, *, top: int = 20) -> str:
        """The report in a format.

        Args:
            format: text, markdown, json, csv, brief or html.
            top: rows of a list.

        Raises:
            ValueError: there is no such format.
        """
        from engine_layer_visualize.api.draw import render_comparison
        from engine_layer_visualize.core.options import ReportOptions

        return render_comparison([self._shown], (), format, ReportOptions(top)).strip("\n")

    @property
    def data(self) -> dict[str, Any]:
        """One of the `comparisons` of the format json, as a dictionary (docs/compare.md)."""
        from engine_layer_visualize.reports.compare import of_comparison

        return of_comparison(self._shown)

    @property
    def _shown(self) -> Comparison:
        """The comparison with the names of files as outputs show them."""
        from engine_layer_visualize.facts import engine_words

        both = (self.a, self.b)
        paths = [costs.engine.source.file for costs in both]
        names = {path: "/".join(tail) for path, tail in zip(paths, engine_words.tails(paths))}

        def name(path: str) -> str:
            return names.get(path) or base_name(path)

        a, b = (
            Costs(engine_words.renamed_files(engine.engine, name), engine.profile, engine.statistic)
            for engine in both
        )
        return replace(self, a=a, b=b)

    def __str__(self) -> str:
        return self.to("text")

    def __repr__(self) -> str:
        """`<Comparison: B is 1.31 × faster (2.60 ms → 1.98 ms) …>`."""
        from engine_layer_visualize.comparison import sentences

        return f"<Comparison: {sentences.first(self)}>"

    def _repr_html_(self) -> str:
        """How a notebook shows a comparison: its sentences and tables."""
        from engine_layer_visualize.page import notebook

        return notebook.of_comparison(self._shown)

    def _repr_markdown_(self) -> str:
        """How a notebook that shows no HTML shows a comparison: its tables."""
        return self.to("markdown")


def compare(
    a: Engine, b: Engine, *, optimization_profile: int | None = None, time: Statistic = "mean"
) -> Comparison:
    """Compares engine B with engine A, layer by layer: `print` it.

    What differs between the builds, estimates and most ONNX nodes are build info: do not read with
    `facts=False`.

    Args:
        a: the engine that B is compared with.
        b: the other engine.
        optimization_profile: of both, the one that totals are of; None: the first.
        time: mean or median of a layer's measured times.

    Raises:
        ValueError: `time` is none of these.
        TypeError: `a` or `b` is another value.
        ReadError: an engine has no such optimisation profile (ELV408).
    """
    for engine in (a, b):
        must_be((Engine,), engine)
    if time not in ("mean", "median"):
        raise ValueError(not_among("time", time, ("mean", "median")))
    costs = [Costs(engine, optimization_profile, time) for engine in (a, b)]
    compared = comparison.compare(costs[0], costs[1])
    return Comparison(*(getattr(compared, field.name) for field in fields(compared)))
