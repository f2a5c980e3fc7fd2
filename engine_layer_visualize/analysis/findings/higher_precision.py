"""Layers that compute in a higher precision than the lowest one that the build allowed.

P02 where the log says that the builder did not obey a precision, else P01. A layer that only moves,
shapes or holds data has no precision of its own. A stricter P01 may leave out layers: its code
keeps its meaning.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.findings.finding import Evidence, Finding, Rule
from engine_layer_visualize.analysis.measures import precision_of
from engine_layer_visualize.core.build_info import EngineFacts, LayerFacts
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.trt.data_types import bits

HIGHER: Final = Rule("P01", "higher-precision-compute", "warning")
NOT_OBEYED: Final = Rule("P02", "constraint-not-obeyed", "warning")
RULES: Final = (HIGHER, NOT_OBEYED)
_OPTION: Final = "Precision"  # of trtexec's `=== Build Options ===`
_PASSIVE: Final = frozenset(
    """
    Constant NoOp Reformat MyelinReformat Shuffle Slice Gather Concat Concatenation Resize
    ShapeHostToDevice DeviceToShapeHost TrainStation Identity Shape copy signal wait
    """.split()  # noqa: SIM905 - a list of quoted words reads worse
)
_ADVICE: Final = (
    "see in the log whether its autotuning timed a lower precision: that may have been slower"
)


def allowed_bits(facts: EngineFacts | None) -> int | None:
    """Bits of the lowest precision that the build allowed; None where the log does not say."""
    allowed = facts.precisions if facts is not None else ()
    return min((width for name in allowed if (width := bits(name)) is not None), default=None)


def computes(layer: Layer) -> bool:
    """Whether a layer has a precision of its own to compute in."""
    return layer.type not in _PASSIVE


def check(costs: Costs) -> Iterator[Finding]:
    """A finding for each such layer, of all optimisation profiles."""
    facts = costs.engine.facts
    lowest = allowed_bits(facts)
    if facts is None or lowest is None:
        return
    allowed = ", ".join(facts.precisions)
    options = [Evidence(f"{o.key}: {o.value}", o.line) for o in facts.options if o.key == _OPTION]
    for layer in costs.engine.layers:
        own = bits(precision_of(layer))
        if own is None or own <= lowest or not computes(layer):
            continue
        known = layer.facts or LayerFacts()
        evidence = [Evidence("the layer's record", layer.place.line), *options]
        if note := known.precision_note:
            evidence.append(Evidence(note, dict(known.lines).get("precision_note")))
        why = f"computes in {precision_of(layer)}, the build allowed {allowed}; "
        why += note or "no message of the log says why"
        rule, ms = NOT_OBEYED if note else HIGHER, costs.of(layer)
        yield Finding(rule, (layer.index,), ms, why, _ADVICE, tuple(evidence))
