"""A `Subject` in; which rule each of its reformats meets, with its reason, out."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Final, Literal

from engine_layer_visualize.analysis.findings.finding import Evidence, Finding, Rule
from engine_layer_visualize.analysis.findings.subject import Subject
from engine_layer_visualize.analysis.reformat_reasons import Reason
from engine_layer_visualize.core.words import Words
from engine_layer_visualize.trt import data_types, memory_formats

ReformatKind = Literal["input", "output", "type", "format", "copy", "unknown"]
_SHOWN: Final = 3  # lines of the log as evidence


_FORMATS: Final = "build with --profilingVerbosity=detailed: then the log has the formats"


def kind(reason: Reason) -> ReformatKind:
    """Where a reformat stands, at an `input` or an `output`, or what it changes between layers."""
    if "copy" in reason.changes:
        return "copy"
    if any(side.layer is None for side in reason.sources):
        return "input"
    if any(side.layer is None for side in reason.targets):
        return "output"
    if "untold" in reason.changes:
        return "unknown"
    return "type" if "type" in reason.changes else "format"


def of_kind(
    subject: Subject, rule: Rule, wanted: ReformatKind, advice: Callable[[Reason], str]
) -> Iterator[Finding]:
    """A finding for all reformats of one kind with the same change and the same advice. Where the
    formats are unknown, the advice is how to get them."""
    found: dict[tuple[str, str], list[Reason]] = defaultdict(list)
    for reason in subject.reasons.values():
        if kind(reason) == wanted:
            words = _FORMATS if "untold" in reason.changes else advice(reason)
            found[f"{reason.before} → {reason.after}", words].append(reason)
    for (change, words), several in found.items():
        layers = [subject.engine.layers[reason.layer] for reason in several]
        evidence = [Evidence(change, layer.place.line) for layer in layers[:_SHOWN]]
        why: Words = several[0].words
        if len(several) > 1:
            unknown = ", their formats are unknown" * ("untold" in several[0].changes)
            why = (f"{len(several)} reformats, {change}{unknown}: ", *subject.names(layers))
        yield subject.finding(rule, layers, why, words, evidence)


def at_end(do: str, flag: str, words: str) -> str:
    """What to write for a type and a format (`Half channels last, in 8s`) of an input or output."""
    own, _, form = words.partition(" ")
    dtype, order = data_types.of_inputs(own), memory_formats.of_inputs(form)
    if form and order is None:  # only layers inside of an engine have it
        linear = f" (trtexec: {flag}={dtype}:chw)" if dtype else ""
        return f"{do} as {own}{linear}; as {form} an engine cannot have it"
    value = f"={dtype}:{order}" if dtype and order else ""
    return f"{do} as {words} (trtexec: {flag}{value})"
