"""Makes the page's totals of an engine, for each optimisation profile.

These are sums, coverage, rows by type and precision, and rankings: the scripts add nothing up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from engine_layer_visualize.analysis.breakdown import (
    Row,
    by_precision,
    by_type,
    of_network,
    reformats,
)
from engine_layer_visualize.analysis.costs import Costs, is_unsteady
from engine_layer_visualize.analysis.coverage import UNKNOWN_RUNS, how, is_one_run, of_layers
from engine_layer_visualize.core.model import JsonValue
from engine_layer_visualize.core.text import count, milliseconds
from engine_layer_visualize.fields import sentences
from engine_layer_visualize.fields.layer import BY_KEY
from engine_layer_visualize.fields.sentences import coverage, of_whole, which_reformats
from engine_layer_visualize.fields.time_words import UNSTEADY, not_timed
from engine_layer_visualize.reports.summary.slowest import unstable

_MOST_RANKED: Final = 10  # layers
_LABELLED: Final = {False: "time.average_ms", True: "facts.build_ms"}  # by: is estimated


def times(costs: Costs, text: Callable[[str | None], int]) -> dict[str, JsonValue]:
    """Returns all optimisation profiles; `shown` is the index of what is shown first."""
    return {
        "kind": costs.kind,
        "sum": UNKNOWN_RUNS if costs.is_sum else "",
        "statistic": costs.statistic,
        "shown": costs.profiles.index(costs.profile),
        "hottest": costs.top,
        "missing": not_timed(costs),
        "unsteady": UNSTEADY,
        "unstable": [text(words) for words in unstable(costs)],
        "profiles": [_profile(costs.of_profile(number), text) for number in costs.profiles],
    }


def _profile(costs: Costs, text: Callable[[str | None], int]) -> dict[str, JsonValue]:
    return {
        "number": costs.profile,
        "ms": costs.total,
        "kind": how(costs),
        "label": "one run" if is_one_run(costs) else BY_KEY[_LABELLED[costs.estimated]].label,
        "layers": len(costs.layers),
        "total": sentences.headline_time(costs),
        "inference": sentences.inference(costs),
        "counts": _counts(costs),
        "coverage": coverage(costs),
        "brief": f"{of_layers(costs)} timed" if coverage(costs) else "",
        "ranked": costs.ranked,
        "of": costs.share_words,
        "reformats": _reformats(costs),
        "ranking": [layer.index for layer in costs.ranking[:_MOST_RANKED]],
        "types": _rows(by_type(costs), text),
        "precisions": _rows(by_precision(costs), text),
        "steadiness": _steadiness(costs),
    }


def _rows(rows: Iterable[Row], text: Callable[[str | None], int]) -> list[JsonValue]:
    return [[text(row.name), row.layers, row.timed, row.ms, row.share, row.idle] for row in rows]


def _counts(costs: Costs) -> str:
    """Returns `54, all timed`, or `14, 2 without a kernel, the others timed`.

    Where not all are timed, it is only the number, because `coverage` has the rest.
    """
    layers, now = len(costs.layers), costs.now
    idle = layers - now.layers
    parts = [f"{layers:,}", *([f"{idle:,} without a kernel"] if idle else [])]
    if costs.timed and not coverage(costs):
        parts.append("the others timed" if idle else "all timed")
    return ", ".join(parts)


def _reformats(costs: Costs) -> str:
    """Returns `3, 12 µs, 1.2 %`: number, time and share of reformats."""
    row = reformats(costs)
    if not row.layers:
        return "none"
    number = f"{row.layers:,}{which_reformats(*of_network(costs))}"
    if row.share is None:
        return number + (", not timed" if costs.timed else "")
    partly = f" ({row.timed:,} of them timed)" if row.timed < row.layers else ""
    ms = "" if row.ms is None else f"{milliseconds(row.ms)}, "
    return f"{number}, {ms}{of_whole(row.share, costs)}{partly}"


def _steadiness(costs: Costs) -> str:
    """Returns a warning where means and medians of the ranking differ; else it is empty."""
    times = [layer.time for layer in costs.ranking[:_MOST_RANKED] if costs.kind == "measured"]
    apart = sum(is_unsteady(time.average_ms, time.median_ms) for time in times if time)
    if not apart:
        return ""
    differ = "differs" if apart == 1 else "differ"
    return (
        f"Of {count(apart, 'layer')} of these the mean {differ} from the median by more than 10 %: "
        "the run was not steady"
    )
