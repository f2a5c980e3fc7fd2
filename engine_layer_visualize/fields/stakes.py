"""Says what a finding touches and could save, in the words of all outputs."""

from __future__ import annotations

from collections.abc import Iterator

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.layer_times import share
from engine_layer_visualize.core.text import milliseconds, percent
from engine_layer_visualize.linting.finding import Finding
from engine_layer_visualize.linting.totals import inference, ratio, share_words


def stakes(finding: Finding, costs: Costs) -> Iterator[str]:
    """`touches at least 20.0 µs, 0.8 %`, then `could save 12.0 µs`; nothing where unknown.

    Where layers sum to more than an inference, the time is `20.0 µs of an inference`, too.
    """
    if finding.touches_ms is not None:
        least = "at least " if is_partly_timed(finding, costs) else ""
        part = share(finding.touches_ms, inference(costs))
        ms = f"touches {least}{milliseconds(finding.touches_ms)}"
        of = "" if part is None else f", {percent(part)}"
        words = (ms, share_words(costs) + of) if ratio(costs) < 1 else (ms + of, share_words(costs))
        yield " ".join(filter(None, words if of else [ms]))
    if finding.ms is not None:
        yield f"could save {milliseconds(finding.ms)}"


def is_partly_timed(finding: Finding, costs: Costs) -> bool:
    """Whether a layer of a finding has no time, so that it touches more than is known."""
    return any(costs.missing(costs.engine.layers[index]) for index in finding.layers)
