"""Says how many layers have a time, and why not all."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.kinds import runs_kernel
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.core.text import count, milliseconds
from engine_layer_visualize.trt.names import OPTIMIZER_REFORMAT, split_profile

_SAME: Final = "a reformat between the same formats"
UNKNOWN_RUNS: Final = "an unknown number of runs"


def timed_layers(costs: Costs) -> str:
    """How many layers are timed, such as `6 of 26 layers timed (built from a timing cache)`."""
    if is_trace(costs):
        return launches(costs)
    words = f"{of_layers(costs)} timed"
    measured = costs.kind == "measured"
    why = "; ".join(_why_no_profile_row(costs) if measured else _why_no_estimate(costs))
    return f"{words} ({why})" if why else words


def of_layers(costs: Costs) -> str:
    """The number of timed layers, such as `6 of 26 layers`."""
    layer = "layer" if costs.engine.source.complete else "listed layer"
    return f"{costs.now.timed:,} of {count(costs.now.layers, layer)}"


def is_trace(costs: Costs) -> bool:
    """Whether rows of a trace of the GPU stand for layers, those of its preparation too."""
    return any(layer.type == "Kernel" for layer in costs.layers)


def launches(costs: Costs) -> str:
    """What a trace has: its kernels stand for no layers."""
    launched = sum(layer.time.parts for layer in costs.layers if layer.time is not None)
    return f"{len(costs.layers):,} kernels, copies and sets, launched {launched:,} times"


def how_measured(costs: Costs) -> str:
    """How times are measured, such as `measured, 961 runs`.

    The number is left out where a profile does not tell it.
    """
    if costs.is_sum:
        beside = ", with all else that was traced" if is_trace(costs) else ""
        return f"measured over {UNKNOWN_RUNS}{beside}"
    known = {la.time.n if la.time is not None else None for la in costs.timed}
    numbers = sorted(number for number in known if number is not None)
    if not numbers or len(numbers) < len(known):
        return "measured"
    least, most = numbers[0], numbers[-1]
    runs = "one run" if most == 1 else count(most, "run")
    return f"measured, {runs}" if least == most else f"measured, {least:,} to {most:,} runs"


def how(costs: Costs) -> str:
    """How times are known, such as `measured, 961 runs` or `estimated`; a dash: there are none."""
    return how_measured(costs) if costs.kind == "measured" else costs.kind or "–"


def is_one_run(costs: Costs) -> bool:
    """Whether each time is of a single run."""
    return costs.kind == "measured" and {la.time and la.time.n for la in costs.timed} == {1}


def in_one_of_several(layer: Layer) -> tuple[float, float] | None:
    """The least and the most ms of the layer's tactic, where its format is not known.

    The builder timed it in several formats, and the log does not say in which the layer runs.
    """
    facts = layer.facts
    if facts is None or facts.build_ms is not None or not runs_kernel(layer):
        return None
    times = [timing.ms for timing in facts.candidates.combinations if timing.tactic == layer.tactic]
    return (min(times), max(times)) if times and min(times) < max(times) else None


def _why_no_estimate(costs: Costs) -> Iterator[str]:
    """Whose the estimates are, and reasons for layers without one."""
    facts = (layer.facts for layer in costs.layers if costs.of(layer) is not None)
    lenders = [known.measured_on for known in facts if known is not None and known.measured_on]
    of_reformats = sum(name.startswith(OPTIMIZER_REFORMAT) for name in lenders)
    if costs.estimated:
        for lent, whose in ((len(lenders) - of_reformats, "an equal layer"), (of_reformats, _SAME)):
            yield from (f"{lent:,} of them by the timing of {whose}",) if lent else ()
    hidden = sum(in_one_of_several(layer) is not None for layer in costs.layers)
    if hidden:
        verb = "runs" if hidden == 1 else "run"
        yield f"in which of the timed formats {count(hidden, 'layer')} {verb} is not in the listing"
    if costs.now.timed + hidden < costs.now.layers:
        pieces = _pieces(costs)
        if cached := _why_cached(costs):
            yield cached
        elif costs.estimated and not pieces:
            yield "the log has no timing of the others"
        if pieces:
            ms, number = milliseconds(math.fsum(pieces)), len(pieces)
            what = "a ForeignNode was" if number == 1 else f"{number} ForeignNodes were"
            yield f"{what} timed as one piece, {ms}, and listed as several layers"
    if costs.estimated and (idle := sum(not costs.counts(layer) for layer in costs.layers)):
        yield f"NoOps and constants, {idle:,}, do not count"


def _why_cached(costs: Costs) -> str:
    """What the timing cache explains; empty where it explains nothing."""
    cache = costs.engine.facts.timing_cache if costs.engine.facts is not None else None
    if cache is None:
        return ""
    if cache.loaded:
        return "built from a timing cache"
    if cache.hits and not cache.cached_results:
        return "results in the timing cache are not printed again"
    use = "a timing cache is in use: what is in it is not timed again"
    return use if cache.kind == "global" else ""


def _why_no_profile_row(costs: Costs) -> Iterator[str]:
    """Reasons for layers without a row, and for rows without a layer."""
    if costs.now.timed < costs.now.layers:
        yield _why_no_row(costs)
    profile = costs.engine.profile
    if profile is not None and (number := len(profile.unmatched_rows)):
        have = "has" if number == 1 else "have"
        rows = f"{number:,} of {profile.rows:,} profile rows {have} no layer"
        share = costs.rest_share
        yield rows if not share else f"{rows}, {100 * share:.1f} % of its time"


def _why_no_row(costs: Costs) -> str:
    """Why layers have no row in the profile."""
    if costs.now.timed == 0 and len(costs.profiles) > 1:
        ran = [time.profile for time in costs.each if time.timed]
        return f"the times are of optimisation profile {ran[0]}" if ran else ""
    if not any(costs.missing(layer) for layer in costs.layers):
        return "the others run no kernel"
    return "the profile gives no time for the others"


def _pieces(costs: Costs) -> list[float]:
    """The ms of ForeignNodes that were timed as one and are listed as several layers.

    They are those of this optimisation profile.
    """
    facts, first = costs.engine.facts, costs.profile == costs.profiles[0]
    suffixes = {str(costs.profile), None} if first else {str(costs.profile)}  # the first has none
    return [
        piece.ms
        for piece in (facts.pieces if facts is not None else ())
        if split_profile(piece.name)[1] in suffixes
    ]
