"""Every reformat, with the types or formats that its neighbours write and read.

F01 is left for the share of all reformats in an engine's time. A reformat that changes a type or a
format is F02 at an input, F03 at an output; between layers F04 changes the type, F14 the format
alone. F15 changes neither, and of F16 the formats are unknown.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.findings.finding import Evidence, Finding, Rule
from engine_layer_visualize.analysis.reformat_reasons import Reason, reasons
from engine_layer_visualize.trt import data_types, memory_formats

AT_INPUT: Final = Rule("F02", "reformat-at-input")
AT_OUTPUT: Final = Rule("F03", "reformat-at-output")
TYPE: Final = Rule("F04", "type-change-inside")
FORMAT: Final = Rule("F14", "format-change-inside")
COPY: Final = Rule("F15", "reformat-without-change")
UNKNOWN: Final = Rule("F16", "reformat-unknown-formats")
RULES: Final = (AT_INPUT, AT_OUTPUT, TYPE, FORMAT, COPY, UNKNOWN)


def check(costs: Costs) -> Iterator[Finding]:
    """A finding for each reformat whose record can be read, of all optimisation profiles."""
    layers = costs.engine.layers
    for index, reason in reasons(costs.engine).items():
        change = f"{reason.before} → {reason.after}"
        evidence = (Evidence(change, layers[index].place.line),)
        rule, advice = _rule(reason)
        yield Finding(rule, (index,), costs.of(layers[index]), reason.words, advice, evidence)


def _rule(reason: Reason) -> tuple[Rule, str]:
    """The rule that a reformat meets, and what to try about the change that is known."""
    if "untold" in reason.changes:
        return UNKNOWN, "build with --profilingVerbosity=detailed: then the log has the formats"
    if "copy" in reason.changes:
        return COPY, "search the log for `Generating copy for`: it says which layer needs the copy"
    if any(side.layer is None for side in reason.sources):
        return AT_INPUT, _advice("feed this input", "--inputIOFormats", reason.after)
    if any(side.layer is None for side in reason.targets):
        return AT_OUTPUT, _advice("take this output", "--outputIOFormats", reason.before)
    if "type" in reason.changes:
        return TYPE, "let the layers on both sides run in one precision"
    return FORMAT, "see in the neighbours' autotuning what they take in the other format"


def _advice(do: str, flag: str, words: str) -> str:
    """What to write for a type and a format (`Half channels last, in 8s`) of an input or output."""
    own, _, form = words.partition(" ")
    dtype, order = data_types.of_inputs(own), memory_formats.of_inputs(form)
    if form and order is None:  # only layers inside of an engine have it
        linear = f" (trtexec: {flag}={dtype}:chw)" if dtype else ""
        return f"{do} as {own}{linear}; as {form} an engine cannot have it"
    value = f"={dtype}:{order}" if dtype and order else ""
    return f"{do} as {words} (trtexec: {flag}{value})"
