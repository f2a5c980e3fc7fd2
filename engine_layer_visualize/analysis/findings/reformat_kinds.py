"""A `Subject` in; which rule each of its reformats meets, with its reason, out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Literal

from engine_layer_visualize.analysis.findings.finding import Evidence, Finding, Rule
from engine_layer_visualize.analysis.findings.subject import Subject
from engine_layer_visualize.analysis.reformat_reasons import Reason
from engine_layer_visualize.trt import data_types, memory_formats

ReformatKind = Literal["input", "output", "type", "format", "copy", "unknown"]


def kind(reason: Reason) -> ReformatKind:
    """Where a reformat stands, at an `input` or an `output`, or what it changes between layers."""
    if "untold" in reason.changes:
        return "unknown"
    if "copy" in reason.changes:
        return "copy"
    if any(side.layer is None for side in reason.sources):
        return "input"
    if any(side.layer is None for side in reason.targets):
        return "output"
    return "type" if "type" in reason.changes else "format"


def of_kind(
    subject: Subject, rule: Rule, wanted: ReformatKind, advice: Callable[[Reason], str]
) -> Iterator[Finding]:
    """A finding for each reformat of one kind."""
    for index, reason in subject.reasons.items():
        if kind(reason) == wanted:
            layer = subject.engine.layers[index]
            change = f"{reason.before} → {reason.after}"
            evidence = (Evidence(change, layer.place.line),)
            yield subject.finding(rule, (layer,), reason.words, advice(reason), evidence)


def at_end(do: str, flag: str, words: str) -> str:
    """What to write for a type and a format (`Half channels last, in 8s`) of an input or output."""
    own, _, form = words.partition(" ")
    dtype, order = data_types.of_inputs(own), memory_formats.of_inputs(form)
    if form and order is None:  # only layers inside of an engine have it
        linear = f" (trtexec: {flag}={dtype}:chw)" if dtype else ""
        return f"{do} as {own}{linear}; as {form} an engine cannot have it"
    value = f"={dtype}:{order}" if dtype and order else ""
    return f"{do} as {words} (trtexec: {flag}{value})"
