"""Tells which rule a reformat meets, and what to try about it."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from typing import Final, Literal, NamedTuple

from engine_layer_visualize.analysis import trtexec
from engine_layer_visualize.analysis.reformat_reasons import Reason, Side
from engine_layer_visualize.analysis.work import LAUNCH
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.core.text import plural
from engine_layer_visualize.core.words import Words
from engine_layer_visualize.linting.finding import Evidence, Finding, Rule
from engine_layer_visualize.linting.io_formats import EndFormats, part
from engine_layer_visualize.linting.quantisation import QUANTISED
from engine_layer_visualize.linting.roles import part_of_computing
from engine_layer_visualize.linting.rule import finding, named
from engine_layer_visualize.linting.subject import Subject
from engine_layer_visualize.trt import types
from engine_layer_visualize.trt.names import parts, without_profile
from engine_layer_visualize.trt.types import canonical, of_combination, width

_ENDS: Final = {
    True: ("feed this input", "--inputIOFormats"),
    False: ("take this output", "--outputIOFormats"),
}
_COPIES: Final = {True: "H2D Latency", False: "D2H Latency"}
_ON_GPU: Final = ", if the data stays on the GPU: else its padding is copied, too"
_CHANNEL_AXIS: Final = 1
_LEAST_ELEMENTS: Final = 8
_LEAST_SHARE: Final = 0.01  # of the time of the engine, for reformats of fewer elements
# Whose networks trtexec does not build: where an input's type and format are set instead.
_WITHOUT_TRTEXEC: Final = {
    "torch": {True: " (dtype and format of `torch_tensorrt.Input`)", False: ""},
    "api": dict.fromkeys((True, False), " (the tensor's dtype and `allowed_formats`)"),
}
_TYPES_OF_MODEL: Final = (11,)  # from this version on the ends have the model's types
_STRIDED: Final = " long-strided"  # behind a format combination
_CLONE: Final = "_clone_"  # in the name of a node that was cut in several: it serves others, too
_QUANTISERS: Final = {
    True: ("QuantizeLinear", "feed {} that is quantised so"),
    False: ("DequantizeLinear", "dequantise the {} that the engine then writes"),
}
_OF_TORCH: Final = ("", "linear", "channels last")  # the formats of its inputs


class Try(NamedTuple):
    """What to try about a reformat.

    Attributes:
        advice: the sentence.
        part: the part of the reformat's time that this can save at most; None: unknown.
        padded: the channels of the tensor, and those that it has then, where these are more.
        evidence: what the advice rests on.
    """

    advice: str
    part: float | None = 1.0
    padded: tuple[int, int] | None = None
    evidence: tuple[Evidence, ...] = ()


ReformatKind = Literal["input", "output", "type", "other"]
_MOST_LINES: Final = 3  # of the log, as evidence
_WHERE: Final = {"input": " at inputs", "output": " at outputs"}
_VERBOSE: Final = "keep the whole VERBOSE log: its lines `Adding reformat layer` have the formats"
_LOG: Final = ": then the log has the formats"
_JSON: Final = "read the formats in the JSON of {}: this listing does not have them"


def reasons(subject: Subject) -> list[Reason]:
    """Returns the reasons of the optimisation profile's reformats."""
    every = subject.reasons
    return [every[layer.index] for layer in subject.reformats if layer.index in every]


def kinds(subject: Subject, reason: Reason) -> tuple[ReformatKind, ...]:
    """Returns where a reformat stands, or what it changes between layers.

    `input`, `output` or both: it stands there. `other`: it changes nothing, or nothing is known,
    such as who reads it; it is a layer of the network that is no quantiser; or it moves a part of
    a tensor, which has to be put into its place whatever its format, unless its type changes, or
    all parts can be written there in the format that it reads.
    """
    if "copy" in reason.changes or reason.cause == "network":
        return ("other",)
    if not reason.sources or not reason.targets:  # where it stands is not known
        return ("other",)
    whole = not reason.in_part and reason.cause != "concat"
    whole = whole or (reason.is_builders and _is_written_in_place(subject, reason))
    ends: dict[ReformatKind, tuple[Side, ...]] = {"input": reason.sources, "output": reason.targets}
    at_ends = (*(end for end, sides in ends.items() if any(side.layer is None for side in sides)),)
    if at_ends:  # a part of a concatenation is copied in any case, but need not be quantised
        quantises = reason.cause == "quantiser" and "type" in reason.changes
        return at_ends if (whole or quantises) and reason.cause != "cast" else ("other",)
    return ("type",) if "type" in reason.changes else ("other",)


def _is_written_in_place(subject: Subject, reason: Reason) -> bool:
    """Whether all that write an output's parts were timed so in the format of the reformat's input.

    A part is written into the place of a larger tensor by strides that are longer than its own.
    """
    if any(side.layer is not None for side in reason.targets):
        return False
    names = {side.tensor for side in reason.targets}
    layers = subject.engine.layers
    parts = {edge.source for edge in subject.edges if edge.target is None and edge.tensor in names}
    writers = {side.layer for side in reason.sources} | (parts - {reason.layer})
    return all(
        index is not None
        and any(
            formats.endswith(_STRIDED)
            and of_combination(formats.removesuffix(_STRIDED))[1:] == ((reason.before,),)
            for tried in subject.tuned(layers[index]).combinations
            if (formats := tried.formats)
        )
        for index in writers
    )


def of_kind(
    subject: Subject,
    rule: Rule,
    wanted: ReformatKind,
    advice: Callable[[Reason], Try | None],
) -> Iterator[Finding]:
    """Yields a finding for all reformats of one kind with the same change and the same advice.

    Where the formats are unknown, the advice is how to get them.

    Args:
        subject: the engine.
        rule: the rule that asks.
        wanted: the kind.
        advice: gives what to try; None: nothing is said about this reformat.
    """
    by_change: dict[tuple[str, str, bool], list[tuple[Reason, Try]]] = defaultdict(list)
    for reason in reasons(subject):
        if wanted in kinds(subject, reason):
            do = Try(_with_formats(subject), None) if "untold" in reason.changes else advice(reason)
            if do is None:
                continue
            key = f"{reason.before} → {reason.after}", do.advice, do.padded is not None
            by_change[key].append((reason, do))
    for (change, todo, _), reformats in by_change.items():
        first, _ = reformats[0]
        layers = [subject.engine.layers[reason.layer] for reason, _ in reformats]
        evidence = [
            fact
            for layer, (_, do) in zip(layers[:_MOST_LINES], reformats)
            for fact in (Evidence(change, layer.place.line), *do.evidence)
        ]
        stakes = [
            ms * do.part
            for layer, (_, do) in zip(layers, reformats)
            if do.part is not None and (ms := subject.ms(layer)) is not None
        ]
        why: Words = first.words
        if len(reformats) > 1:
            where = _WHERE.get(wanted, " between layers")
            what = f"{where}, {change}"
            if "untold" in first.changes:
                what = f" of {first.before}{where}, their formats are unknown"
            why = (f"{len(reformats)} reformats{what}: ", *named(layers))
            todo = todo.replace("this output", "these outputs").replace(
                "this input", "these inputs"
            )
        priced = any(do.part is not None for _, do in reformats)
        todo += _padding((do.padded for _, do in reformats), priced)
        stake = sum(stakes) if stakes else None
        yield finding(subject, rule, layers, why, todo, evidence, ms=stake, part=None)


def _with_formats(subject: Subject) -> str:
    """Returns how to see the formats that the listing does not have."""
    engine = subject.engine
    by_trtexec = subject.frontend.source not in _WITHOUT_TRTEXEC
    has_json = any(listing.dialect == "inspector-json" for listing in (engine.source, *engine.also))
    if has_json or not trtexec.has_verbosity(engine):
        return _VERBOSE
    if trtexec.is_detailed(engine):
        return _JSON.format("`trtexec --exportLayerInfo`" if by_trtexec else "the engine inspector")
    if by_trtexec:
        return f"build with --profilingVerbosity=detailed{_LOG}"
    return f"build with detailed profiling verbosity{_LOG}"


def at_end(subject: Subject, entry: bool) -> Callable[[Reason], Try | None]:
    """Returns a function that says what to try about a reformat at an input or an output.

    The flag has the parts of all inputs or outputs: what is tried for one is tried for the others,
    too.

    Args:
        subject: the engine.
        entry: whether inputs are meant.
    """
    wanted: dict[str, str] = {}
    at_ends: set[int] = set()
    for reason in reasons(subject):
        if ("input" if entry else "output") in kinds(subject, reason):
            at_ends.add(reason.layer)
            for name, needed in _parts(reason, entry).items():
                wanted.setdefault(name, needed)
    ends = EndFormats(subject, entry, wanted)
    others = _serving_others(subject, at_ends)
    return lambda reason: _at_end(subject, reason, entry, ends, others)


def _parts(reason: Reason, entry: bool) -> dict[str, str]:
    """Returns the part of the flag that each input or output needs for this reformat to go."""
    words, other = (reason.after, reason.before) if entry else (reason.before, reason.after)
    stays = _stays(words, other) or reason.cause == "quantiser"
    needed = None if stays else part(words)
    if needed is None or "untold" in reason.changes:
        return {}
    sides = reason.sources if entry else reason.targets
    return {without_profile(side.tensor): needed for side in sides if side.layer is None}


def _stays(words: str, other: str) -> bool:
    """Whether an input or output can have only the type, and has it."""
    type_word, _, form = words.partition(" ")
    inside = bool(form) and types.formats_of_inputs(form) is None
    return inside and type_word == other.partition(" ")[0]


def _at_end(
    subject: Subject, reason: Reason, entry: bool, ends: EndFormats, others: set[str]
) -> Try | None:
    """Returns what to try about a reformat at an end; None where there is nothing to try.

    `others`: nodes that serve others, too.
    """
    do, flag = _ENDS[entry]
    words, other = (reason.after, reason.before) if entry else (reason.before, reason.after)
    type_word, _, form = words.partition(" ")
    source, model = subject.frontend.source, subject.frontend.model
    if _stays(words, other) or _is_tiny(subject, subject.engine.layers[reason.layer]):
        return None
    if reason.cause == "quantiser":
        node, how = _QUANTISERS[entry]
        own = _cut_nodes(subject.engine.layers[reason.layer])
        if canonical(type_word) not in QUANTISED or own & others:
            return None
        saved: float | None = _fewer_bytes(type_word, other, None) if reason.in_part else 1.0
        inside = bool(form) and types.formats_of_inputs(form) is None
        stays = "; a reformat to the format inside the engine stays"
        if reason.in_part:
            stays = "; a copy of this part stays, of fewer bytes"
        elif not inside:
            vector = types.vector_width(form) > 1
            stays = f", in the format {part(words)}: else a reformat stays" if vector else ""
        return Try(f"take the {node} out of {model}, and {how.format(type_word)}{stays}", saved)
    needed = _parts(reason, entry)
    value = f" ({ends.flag(needed) if needed else f'trtexec: {flag}'})"
    value = _WITHOUT_TRTEXEC[source][entry] if source in _WITHOUT_TRTEXEC else value
    if (subject.version or ()) >= _TYPES_OF_MODEL:  # its flag takes a format alone
        value = "" if type_word == other.partition(" ")[0] else f" in {model}"
    inside = bool(form) and types.formats_of_inputs(form) is None
    layer = subject.engine.layers[reason.layer]
    if inside or (source == "torch" and form not in _OF_TORCH):
        if type_word == other.partition(" ")[0]:
            return None
        fewer, ms = _fewer_bytes(type_word, other, _padded(layer, form, entry)), subject.ms(layer)
        # So short a reformat takes its time to be launched: fewer bytes do not shorten it.
        if not fewer or (ms is not None and ms < LAUNCH):
            return None
        return Try(f"{do} as {type_word}{value}; the reformat to {form} stays", fewer)
    if canonical(type_word) == "Int8" and canonical(other.partition(" ")[0]) != "Int8":
        value += ", quantised with the scale of this tensor"
        # Convolutions read Int8 in vectors: which, a listing without formats does not say.
        value += "" if form else "; a reformat to the order that is read may stay"
        return Try(f"{do} as {words}{value}")
    padded = _padded(layer, form, entry)
    # A copy of more bytes between host and GPU may take longer than the reformat.
    is_copied = padded is not None and part_of_computing(subject, _COPIES[entry]) is not None
    stays = _ON_GPU if is_copied else ""
    return Try(f"{do} as {words}{value}{stays}", None if is_copied else 1.0, padded)


def _is_tiny(subject: Subject, layer: Layer) -> bool:
    """Whether a reformat is of few elements, and takes a small part of the time or an unknown."""
    shape, share = layer.outputs[0].shape if layer.outputs else None, subject.share(layer)
    is_small = shape is not None and 0 < math.prod(shape) < _LEAST_ELEMENTS
    return is_small and (share is None or share < _LEAST_SHARE)


def _cut_nodes(layer: Layer) -> set[str]:
    """Returns the nodes cut in several of which a layer's name has a part."""
    if _CLONE not in layer.name:  # most names
        return set()
    return {name.partition(_CLONE)[0] for name in parts(layer.name) if _CLONE in name}


def _serving_others(subject: Subject, at_ends: set[int]) -> set[str]:
    """Returns the nodes cut in several that stand elsewhere, too, as far as names tell.

    A node of which the engine has a single part is one: the others are not in sight.
    """
    layers: dict[str, set[int]] = defaultdict(set)
    for layer in subject.layers:
        for node in _cut_nodes(layer):
            layers[node].add(layer.index)
    return {node for node, own in layers.items() if len(own) < 2 or not own <= at_ends}


def _fewer_bytes(type_word: str, other: str, padded: tuple[int, int] | None) -> float:
    """Returns the part of its bytes that a reformat saves where both sides have one type.

    It is 0 where this type has no fewer bits. `padded`: the channels, and those with padding, of
    the side that has the type now.
    """
    less, more = width(type_word), width(other.partition(" ")[0])
    if not less or not more:
        return 1.0
    channels, whole = padded or (1, 1)
    return max(0.0, (more - less) / (more + less * whole / channels))


def _padding(padded: Iterable[tuple[int, int] | None], priced: bool) -> str:
    """Returns `; that pads 2 channels to 8 …` for all numbers; empty where none are."""
    blocks: dict[int, set[int]] = defaultdict(set)
    for channels, whole in filter(None, padded):
        blocks[whole].add(channels)
    words = [
        f"{', '.join(map(str, sorted(odd)))} {plural(max(odd), 'channel')} to {k}"
        for k, odd in sorted(blocks.items())
    ]
    if not words:
        return ""
    more = ", and the saving leaves out what more the program then copies" if priced else ""
    return f"; that pads {' and '.join(words)}{more}"


def _padded(layer: Layer, form: str, entry: bool) -> tuple[int, int] | None:
    """Returns the channels without and with padding, such as 3 and 8; None if none are added."""
    shape = (layer.inputs if entry else layer.outputs)[0].shape
    block = types.vector_width(form)
    if block == 1 or len(shape) < _CHANNEL_AXIS + 1 or shape[_CHANNEL_AXIS] <= 0:
        return None
    channels = shape[_CHANNEL_AXIS]
    whole = -(-channels // block) * block
    return (channels, whole) if whole > channels else None
