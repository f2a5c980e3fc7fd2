"""F01: reformats, each with the wishes of its neighbours for a type or a format."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.findings.finding import Evidence, Finding
from engine_layer_visualize.analysis.reformat_reasons import Reason, reasons

CODE: Final = "F01"


def check(costs: Costs) -> Iterator[Finding]:
    layers = costs.engine.layers
    for index, reason in reasons(costs.engine).items():
        change = f"{reason.before} → {reason.after}"
        evidence = (Evidence(change, layers[index].place.line),)
        took = costs.of(layers[index])
        yield Finding(CODE, "hint", index, took, reason.words, _advice(reason), evidence)


def _advice(reason: Reason) -> str:
    if any(side.layer is None for side in reason.sources):
        return f"feed this input as {reason.after} (trtexec: --inputIOFormats)"
    if any(side.layer is None for side in reason.targets):
        return f"take this output as {reason.before} (trtexec: --outputIOFormats)"
    if "type" in reason.changes:
        return "let the layers on both sides run in one precision"
    if "format" in reason.changes:
        return "see in the neighbours' autotuning what they take in the other format"
    if "copy" in reason.changes:
        return "give all branches of a concatenation one type and one format"
    return "build with --profilingVerbosity=detailed: then the formats are told"
