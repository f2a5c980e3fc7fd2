"""A Gather or a Reduce works along an axis that is slow for it.

**Found**: the record of a Gather prints an axis that is not 0; or the record of a Reduce prints
axes of which one is followed by an axis that is kept.

**Why it costs**: TensorRT's kernels read memory in order where a Gather takes axis 0 and where a
Reduce takes the last axes. Others read it in strides.

**What to do**: lay the tensor out for it, once: store a table that is gathered from transposed, and
let a Reduce take the last axes (channels first or last, as its neighbours have it).

**Example**:

    Name: /pool/ReduceMean, LayerType: Reduce, … Operation: AVG, ReduceAxes: [0,1,0]

**Versions**: detailed listings.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Final

from engine_layer_visualize.analysis.findings.finding import Evidence, Finding, Rule
from engine_layer_visualize.analysis.findings.subject import Subject
from engine_layer_visualize.analysis.work.records import integer, ints
from engine_layer_visualize.core.model import JsonValue, Layer

RULE: Final = Rule(
    "U12",
    "slow-axis",
    "hint",
    "A Gather or a Reduce works along an axis that is slow for it.",
    ("TensorRT documentation: optimizing layer performance",),
)
_GATHER: Final = "transpose the tensor that it gathers from, once, so that the axis is 0"
_REDUCE: Final = "lay out its input so that it reduces the last axes"
_AXIS_KEYS: Final = ("GatherAxis", "Axis")  # as a record may call it


def check(subject: Subject) -> Iterator[Finding]:
    """One finding for each kind of layer."""
    found: dict[str, list[tuple[Layer, str]]] = defaultdict(list)
    for layer in subject.layers:
        if not layer.attributes:
            continue
        kind = str(subject.attribute(layer, "ParameterType") or layer.type)
        if kind == "Gather" and (axis := _axis(dict(layer.attributes))):
            found[_GATHER].append((layer, f"axis {axis}"))
        elif kind == "Reduce":
            flags = ints(dict(layer.attributes).get("ReduceAxes")) or ()
            if any(now and not after for now, after in pairwise(flags)):
                axes = ", ".join(str(number) for number, taken in enumerate(flags) if taken)
                found[_REDUCE].append((layer, f"reduces axis {axes} of {len(flags)} dimensions"))
    for advice, pairs in found.items():
        layers = [layer for layer, _ in pairs]
        evidence = [Evidence(text, layer.place.line) for layer, text in pairs[:3]]
        along = "gather" if advice is _GATHER else "reduce"
        verb = along if len(layers) > 1 else f"{along}s"
        why = (*subject.names(layers), f" {verb} along an axis that is slow")
        yield subject.finding(RULE, layers, why, advice, evidence)


def _axis(attributes: Mapping[str, JsonValue]) -> int:
    """The axis of a Gather; 0 where it is that, or where the record does not say."""
    return next((axis for key in _AXIS_KEYS if (axis := integer(attributes.get(key)))), 0)
