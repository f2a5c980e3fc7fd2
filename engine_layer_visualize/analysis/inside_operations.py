"""Tells what runs inside a ForeignNode: its operations, with their times and kernels.

A profile measures rows of a ForeignNode; what has no row has the builder's estimate, which is never
added to a measured time.
"""

from __future__ import annotations

from typing import NamedTuple

from engine_layer_visualize.analysis import precisions
from engine_layer_visualize.analysis.layer_kinds import is_myelin
from engine_layer_visualize.core.model import Layer, TimeKind
from engine_layer_visualize.trt.layer_names import without_myelin


class InnerTime(NamedTuple):
    """One operation inside a ForeignNode.

    Attributes:
        name: as the log or the profile has it.
        onnx_nodes: names of its ONNX nodes.
        ms: of one run; None: unknown.
        ms_kind: whether that is measured; None where `ms` is.
        kernel: None: unknown.
        precision: that its kernel computes in, as of a layer; None: unknown.
        tactics: how many the builder timed; None: it prints no table.
        line: the log's; None: it is only in the profile.
    """

    name: str
    onnx_nodes: tuple[str, ...]
    ms: float | None
    ms_kind: TimeKind | None
    kernel: str | None
    precision: str | None
    tactics: int | None
    line: int | None


def operations(layer: Layer) -> tuple[InnerTime, ...]:
    """The operations of a ForeignNode in the log's order, then rows that only the profile has."""
    if not is_myelin(layer):
        return ()
    rows = layer.time.rows if layer.time is not None else ()
    measured: dict[str, float] = {}
    for row in rows:
        if row.time.average_ms is not None:
            name = without_myelin(row.name)
            measured[name] = measured.get(name, 0.0) + row.time.average_ms
    told = layer.facts.inside if layer.facts is not None else ()
    found = []
    for one in told:
        ms = measured.pop(one.name, None)
        kind: TimeKind | None = "measured" if ms is not None else "estimated" if one.ms else None
        precision = None if one.kernel is None else precisions.of_kernel(one.kernel).dtype
        ms = one.ms if ms is None else ms
        found.append(
            InnerTime(
                one.name, one.onnx_nodes, ms, kind, one.kernel, precision, one.tactics, one.line
            )
        )
    found += [
        InnerTime(name, (), ms, "measured", None, None, None, None) for name, ms in measured.items()
    ]
    return tuple(found)
