"""Says why a layer computes in a higher precision than the lowest one that the build allowed.

A layer that only moves, shapes or holds data has no precision of its own. Why others compute in
more bits is decided by the log's own words, else by what the autotuner timed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, Literal, NamedTuple

from engine_layer_visualize.analysis.measures import precision_of
from engine_layer_visualize.core.build_info import EngineFacts
from engine_layer_visualize.core.layer_facts import Candidate, Candidates, LayerFacts
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.core.text import milliseconds
from engine_layer_visualize.trt.data_types import bits, dtype
from engine_layer_visualize.trt.layer_names import without_profile

_PASSIVE: Final = frozenset(
    """
    Constant NoOp Reformat MyelinReformat Shuffle Slice Gather Concat Concatenation Resize
    ShapeHostToDevice DeviceToShapeHost TrainStation Identity Shape copy signal wait
    """.split()  # noqa: SIM905 - a list of quoted words reads worse
)


def allowed_bits(facts: EngineFacts | None) -> int | None:
    """Bits of the lowest precision that the build allowed; None where the log does not say."""
    allowed = facts.precisions if facts is not None else ()
    return min((width for name in allowed if (width := bits(name)) is not None), default=None)


def computes(layer: Layer) -> bool:
    """Whether a layer has a precision of its own to compute in."""
    return layer.type not in _PASSIVE


# ---- why -------------------------------------------------------------------------------------

# The log says it; it is the `fastest`; a lower precision was `faster`; none was timed; `unknown`.
Reason = Literal["told", "fastest", "faster", "never", "unknown"]
_NO_FACTS: Final = LayerFacts()
_TIE: Final = 0.99  # times that differ by less are the timer's noise


class Why(NamedTuple):
    """Why a layer computes in more bits."""

    reason: Reason
    text: str
    lower: Candidate | None = None  # the fastest tactic in fewer bits
    chosen_ms: float = 0.0  # of the layer's own tactic, as the autotuner timed it
    line: int | None = None  # of the log, where it says so


def why(layer: Layer, tuned: Candidates) -> Why:
    """Why a layer computes in more bits than the build allowed.

    `tuned` is what the autotuner tried for it, or for the equal layer whose time it has.
    """
    facts = layer.facts or _NO_FACTS
    if facts.precision_note:
        return Why("told", facts.precision_note, line=dict(facts.lines).get("precision_note"))
    return by_times(layer, tuned)


def by_times(layer: Layer, tuned: Candidates) -> Why:
    """Finds the reason in the autotuner's times alone, whatever else the log says."""
    facts = layer.facts or _NO_FACTS
    precision, chosen = precision_of(layer), facts.build_ms
    line = dict(facts.lines).get("candidates")
    most = bits(precision)
    if not tuned.combinations or chosen is None or most is None:
        return Why("unknown", "the log does not say")
    # What a tactic reads tells its precision only where that is so of the one that runs, too.
    if dtype((facts.formats or "").partition("(")[0]) != dtype(precision or ""):
        return Why("unknown", "the log does not say")
    lower = next(
        (candidate for candidate in tuned.combinations if (_width(candidate) or most) < most), None
    )
    if lower is None:
        return Why("never", "no lower precision was timed", line=line)
    both = f"{milliseconds(chosen)} in {precision}, {milliseconds(lower.ms)} in {timed_in(lower)}"
    if lower.ms < _TIE * chosen:
        text = f"timed alone: {both}; not with the reformats that it would need"
        return Why("faster", text, lower, chosen, line)
    text = f"{'as fast in both' if lower.ms < chosen else 'faster so'}: {both}"
    return Why("fastest", text, lower, chosen, line)


def tuned(layer: Layer, by_name: Mapping[str, Layer]) -> Candidates:
    """What the autotuner tried for a layer, or for the equal layer whose time it has.

    `by_name` has the layers of its optimisation profile, as `named` returns them.
    """
    facts = layer.facts or _NO_FACTS
    if facts.candidates.combinations or facts.measured_on is None:
        return facts.candidates
    equal = by_name.get(without_profile(facts.measured_on))
    return facts.candidates if equal is None or equal.facts is None else equal.facts.candidates


def named(layers: Iterable[Layer]) -> Mapping[str, Layer]:
    """Layers by their names without the optimisation profile, as messages have them.

    If two layers have one name, the first counts.
    """
    return {without_profile(layer.name): layer for layer in reversed([*layers])}


def timed_in(candidate: Candidate) -> str | None:
    """The type that a tactic was timed with, of its first input: `Half(8,1) -> Half(8,1)`."""
    return dtype((candidate.formats or "").partition("(")[0])


def _width(candidate: Candidate) -> int | None:
    return bits(timed_in(candidate))
