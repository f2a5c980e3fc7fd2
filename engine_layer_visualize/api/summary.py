"""Sums up engines: what users hold prints as text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.api.engine import Build, Engine
from engine_layer_visualize.core import model
from engine_layer_visualize.core.build_info import Unassigned
from engine_layer_visualize.core.model import Statistic
from engine_layer_visualize.core.options import ReportOptions
from engine_layer_visualize.core.text import must_be


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
        from engine_layer_visualize.api.draw import render_report

        texts = render_report((*self.engines, *self.unassigned), format, self._options)
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

    from engine_layer_visualize.analysis import peaks
    from engine_layer_visualize.api.draw import REPORTS, named
    from engine_layer_visualize.core.options import NARROWEST, WIDTH, ReportOptions, check

    must_be((model.Engine, Build), shown)
    named(format, REPORTS)
    columns = max(get_terminal_size((WIDTH, 24)).columns, NARROWEST) if width is None else width
    looks = ReportOptions(top, optimization_profile, time, full, columns, peak=peaks.parse(peak))
    check(looks)
    build = shown if isinstance(shown, Build) else Build((shown,))
    for engine in build.engines:
        Costs(engine, optimization_profile)  # raises where there is no such profile
    return Summary(build.engines, build.unassigned, format, looks)
