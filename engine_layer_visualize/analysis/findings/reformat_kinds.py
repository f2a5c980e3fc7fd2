"""A `Subject` in; which rule each of its reformats meets, with its reason, out."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from typing import Final, Literal, NamedTuple

from engine_layer_visualize.analysis.findings.finding import Evidence, Finding, Rule
from engine_layer_visualize.analysis.findings.io_formats import EndFormats, part
from engine_layer_visualize.analysis.findings.subject import Subject
from engine_layer_visualize.analysis.reformat_reasons import Reason
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.core.text import plural
from engine_layer_visualize.core.words import Words
from engine_layer_visualize.trt import memory_formats
from engine_layer_visualize.trt.data_types import canonical
from engine_layer_visualize.trt.layer_names import without_profile

_ENDS: Final = {
    True: ("feed this input", "--inputIOFormats"),
    False: ("take this output", "--outputIOFormats"),
}
_CHANNELS: Final = 1  # the axis


class Try(NamedTuple):
    """What to try, and the part of the reformats' time that it can save at most. `padded`: the
    channels of the tensor, and those that it has then, where these are more; `evidence`: what the
    advice rests on."""

    advice: str
    part: float = 1.0
    padded: tuple[int, int] | None = None
    evidence: tuple[Evidence, ...] = ()


ReformatKind = Literal["input", "output", "type", "format", "copy", "untold"]
_SHOWN: Final = 3  # lines of the log as evidence
_WHERE: Final = {"input": " at inputs", "output": " at outputs"}


_DETAILED: Final = "build with {}: then the log has the formats"
_VERBOSITY: Final = (8, 2)  # the first version whose trtexec has --profilingVerbosity


def kind(reason: Reason) -> ReformatKind:
    """Where a reformat stands, at an `input` or an `output`, or what it changes between layers."""
    if "copy" in reason.changes:
        return "copy"
    if any(side.layer is None for side in reason.sources):
        return "input"
    if any(side.layer is None for side in reason.targets):
        return "output"
    if "untold" in reason.changes:
        return "untold"
    return "type" if "type" in reason.changes else "format"


def of_kind(
    subject: Subject,
    rule: Rule,
    wanted: ReformatKind,
    advice: Callable[[Reason], Try] | None = None,
    is_meant: Callable[[Layer], bool] = lambda layer: True,
) -> Iterator[Finding]:
    """A finding for all reformats of one kind with the same change and the same advice. Where the
    formats are unknown, the advice is how to get them: `untold` needs no other."""
    old = subject.version is not None and subject.version < _VERBOSITY
    flag = "--nvtxMode=verbose" if old else "--profilingVerbosity=detailed"
    found: dict[tuple[str, str, bool], list[tuple[Reason, Try]]] = defaultdict(list)
    for reason in subject.reasons.values():
        if kind(reason) == wanted and is_meant(subject.engine.layers[reason.layer]):
            do = Try(_DETAILED.format(flag))
            if advice is not None and "untold" not in reason.changes:
                do = advice(reason)
            key = f"{reason.before} → {reason.after}", do.advice, do.padded is not None
            found[key].append((reason, do))
    for (change, todo, _), several in found.items():
        first, _ = several[0]
        layers = [subject.engine.layers[reason.layer] for reason, _ in several]
        evidence = [
            fact
            for layer, (_, do) in zip(layers[:_SHOWN], several)
            for fact in (Evidence(change, layer.place.line), *do.evidence)
        ]
        parts = [
            ms * do.part
            for layer, (_, do) in zip(layers, several)
            if (ms := subject.ms(layer)) is not None
        ]
        why: Words = first.words
        if len(several) > 1:
            where = _WHERE.get(wanted, " between layers")
            what = f"{where}, {change}"
            if "untold" in first.changes:
                what = f" of {first.before}{where}, their formats are unknown"
            why = (f"{len(several)} reformats{what}: ", *subject.names(layers))
            todo = todo.replace("this output", "these outputs").replace(
                "this input", "these inputs"
            )
        todo += _padding(do.padded for _, do in several)
        stake = sum(parts) if parts else None
        yield subject.finding(rule, layers, why, todo, evidence, ms=stake, part=None)


def at_end(subject: Subject, entry: bool) -> Callable[[Reason], Try]:
    """What to write for the type and the format of an input (`entry`) or an output. The flag has
    the parts of all of them: what is to be tried for one is to be tried for the others, too."""
    wanted: dict[str, str] = {}
    for reason in subject.reasons.values():
        if kind(reason) == ("input" if entry else "output"):
            for name, one in _parts(reason, entry).items():
                wanted.setdefault(name, one)
    ends = EndFormats(subject, entry, wanted)
    return lambda reason: _at_end(subject, reason, entry, ends)


def _parts(reason: Reason, entry: bool) -> dict[str, str]:
    """The part of the flag that each input or output needs for this reformat to go."""
    words, other = (reason.after, reason.before) if entry else (reason.before, reason.after)
    found = None if _stays(words, other) or _is_quantised(reason, words) else part(words)
    if found is None or "untold" in reason.changes:
        return {}
    sides = reason.sources if entry else reason.targets
    return {without_profile(side.tensor): found for side in sides if side.layer is None}


def _stays(words: str, other: str) -> bool:
    """Whether an input or output can have the type alone, and has it."""
    own, _, form = words.partition(" ")
    inside = bool(form) and memory_formats.of_inputs(form) is None
    return inside and own == other.partition(" ")[0]


def _is_quantised(reason: Reason, words: str) -> bool:
    return reason.origin == "QDQ" and canonical(words.partition(" ")[0]) == "Int8"


def _at_end(subject: Subject, reason: Reason, entry: bool, ends: EndFormats) -> Try:
    do, flag = _ENDS[entry]
    words, other = (reason.after, reason.before) if entry else (reason.before, reason.after)
    own, _, form = words.partition(" ")
    if _stays(words, other):
        return Try(f"leave it: {'fed' if entry else 'taken'} as {form} it cannot be", 0.0)
    needed = _parts(reason, entry)
    value = f" ({ends.flag(needed) if needed else f'trtexec: {flag}'})"
    if form and memory_formats.of_inputs(form) is None:  # only layers inside of an engine have it
        return Try(f"{do} as {own}{value}; as {form} an engine cannot have it", 0.5)
    layer = subject.engine.layers[reason.layer]
    if _is_quantised(reason, words):
        return Try("take the QuantizeLinear out of the model, and feed Int8 that is quantised so")
    if canonical(own) == "Int8" and canonical(other.partition(" ")[0]) != "Int8":
        value += ", quantised with the scale of this tensor"
        return Try(f"{do} as {words}{value}")
    return Try(f"{do} as {words}{value}", padded=_padded(layer, form, entry))


def _padding(found: Iterable[tuple[int, int] | None]) -> str:
    """`; 2 channels would be padded to 8: …`, of all numbers of channels; empty where none are."""
    blocks: dict[int, set[int]] = defaultdict(set)
    for channels, whole in filter(None, found):
        blocks[whole].add(channels)
    words = [
        f"{', '.join(map(str, sorted(own)))} {plural(max(own), 'channel')} would be padded to {k}"
        for k, own in sorted(blocks.items())
    ]
    more = ": only where no more bytes have to be copied for it"
    return f"; {', '.join(words)}{more}" if words else ""


def _padded(layer: Layer, form: str, entry: bool) -> tuple[int, int] | None:
    """3 channels that are 8 with padding; None where they fill the vectors, or are unknown."""
    shape = (layer.inputs if entry else layer.outputs)[0].shape
    block = memory_formats.vector_width(form)
    if block == 1 or len(shape) < _CHANNELS + 1 or shape[_CHANNELS] <= 0:
        return None
    channels = shape[_CHANNELS]
    whole = -(-channels // block) * block
    return (channels, whole) if whole > channels else None
