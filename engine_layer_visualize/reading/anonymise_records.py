"""Replaces names in records of layers, and in messages that stay."""

import builtins
import re
from typing import Final

from engine_layer_visualize.reading import anonymise_names, markers
from engine_layer_visualize.reading.anonymise_names import Names, Rewrite, rewritten
from engine_layer_visualize.reading.build_end import RAISED, stop_words

# ---- a layer's record, the line of an input or output below a listing ----------------------------

# Types, dimensions, formats and kernels stay.

# What stands in a detailed record besides keys and values of TensorRT.
_SLOT: Final = re.compile(
    rb"(?<![A-Za-z])Name: (?P<name>(?:(?!Name: ).){0,4200}?)"
    rb"(?=, LayerType: \w+, Inputs: \[|, Location: \w+, Dim"
    rb"|, Dimensions: \[|, IOMode: )"
    rb"|, LayerType: (?P<type>\w+)"
    rb"|, TacticName: (?P<kernel>.{0,4200}?)(?=, [A-Z]\w{0,40}: |[ \t\r]*\Z)"
    rb"|, Metadata: ?(?P<metadata>.*)",
    re.DOTALL,
)


def is_classic(text: bytes) -> bool:
    """Returns whether a record of the classic listing begins in a line."""
    return b"Layer(" in text and markers.CLASSIC_RECORD.search(text) is not None


def classic_record(text: bytes, names: Names) -> bytes:
    """Rewrites `Layer(TYPE): NAME, Tactic: …`; without a tactic the type may be another's word."""
    match = markers.CLASSIC_RECORD.search(text)
    assert match is not None  # the caller has found it
    before, kind, rest = text[: match.start()], match[0], text[match.end() :]
    if not markers.TACTIC.search(rest):
        kind = names.renamed(kind)
    return names.before(before) + kind + names.renamed(rest)


def is_detailed(text: bytes) -> bool:
    """Returns whether a detailed record, an input or an output begins in a line."""
    if b"Name: " not in text:
        return False
    return (b", LayerType: " in text and markers.TYPE.search(text) is not None) or (
        b", IOMode: " in text and markers.IO_LINE.match(text) is not None
    )


def detailed_record(text: bytes, names: Names) -> bytes:
    """Rewrites `Name: NAME, LayerType: …`, or ` Name: NAME, IOMode: …`."""
    rewrite: dict[str, Rewrite] = {"type": bytes, "kernel": names.kernel}
    slots = []
    for match in _SLOT.finditer(text):
        kind = match.lastgroup
        assert kind is not None  # every alternative has one
        slots.append((*match.span(kind), rewrite.get(kind, names.renamed)))
    return rewritten(text, slots, lambda words: names.renamed(words, anonymise_names.RECORDS))


# ---- messages of TensorRT that stay --------------------------------------------------------------

# A new message that the reader takes something from goes into `messages.txt`, or into `_WITHOUT`
# where it holds no names.


PROSE: Final = anonymise_names.PROSE | anonymise_names.RECORDS

_MESSAGES_SLOT: Final = re.compile(r"([*%~])")


class _Form:
    """The form of a message."""

    __slots__ = ("mark", "parts")

    def __init__(self, text: str) -> None:
        pieces = _MESSAGES_SLOT.split(text.removeprefix("*"))
        self.parts = tuple(  # each with the slot that follows it
            (part.encode(), slot) for part, slot in zip(pieces[::2], (*pieces[1::2], "*")) if part
        )
        self.mark = max((part for part, _ in self.parts), key=len)  # the part that must be there


_FORMS: Final = tuple(map(_Form, anonymise_names.lines_of("messages.txt")))
# They hold no names.
_WITHOUT: Final = re.compile(
    rb"Engine Layer Information:|Layers?(?: Information)?:[ \t\r]*$|Bindings:[ \t\r]*$"
    rb"|I/O Tensors:|Engine Metadata:|=== [\w ]{1,60} ===|=== Profile \(\d+ iterations? ?\) ==="
    rb"|Time ?\(ms\) +Avg\.|(?:Total|Max) [\w ]{1,30} Memory: \d|Peak memory usage of "
    rb"|Skipped printing memory information|(?:After [\w -]{1,80}|Original): \d+ layers"
    rb"|backend strategy \d|optimization profile number \d"
    rb"| completed in \d|Graph optimization time: |Engine built in \d"
    rb"|Parse time: |(?:Deleting|Builder) timing cache: |Loaded \d+ (?:bytes of )?timing cache"
    rb"|(?:Local|Global) timing cache in use|TensorRT version: \d|Computing costs|Computing reform"
    rb"|Skipping tactic \S+ due to |[Ss]ome tactics do not have sufficient workspace"
    rb"|(?:in|de)creasing the workspace size|memPoolSize=workspace:|Setting workspace to \d"
    rb"|Loaded engine size|Deserialization required|Traceback \(most recent call last\):"
    rb"|Detected \d+ inputs and \d|Weight at index \d+: -?\d+ is out of range"
    rb"|GPU Compute Time: "
)
# They tell the version, whatever else stands on their line.
_VERSION: Final = re.compile(
    rb"libnvinfer\w{0,64}\.so\.\d{1,3}\.\d{1,3}\.\d{1,3}"
    rb"|builder: tensorrt_rtx \d{1,3}(?:\.\d{1,4}){1,3}"
)
# e.g. (8-) Tactic: 0x0f Time: 0.0123
TIMED: Final = rb"Tactic: (?:0x[0-9a-fA-F]+|-?\d+) [Tt]ime:? (?:[-+.\deE]+|inf|nan)[ \t\r]*"
# e.g. (all) Bind[ 1]:o[ 0]-> DataType.INT32 (-1, 1) (1, 1) y
_BOUND: Final = re.compile(rb"Bind\[ *\d+\]:[io]\[ *\d+\]-> DataType\.\w+ (?:\([-0-9, ]*\) )+")


def renamed_message(text: bytes, names: Names) -> bytes | None:
    """Replaces the names in a message; None where it is not known."""
    for form in _FORMS:
        if form.mark in text:
            return _filled(text, form, names)
    if match := _BOUND.match(text):
        return match[0] + names.renamed(text[match.end() :])
    if _WITHOUT.search(text):
        return names.prose(text, PROSE)
    if match := RAISED.match(text):
        kind = match[0] if hasattr(builtins, match[0].decode()) else b"Exception"
        return kind + names.prose(text[match.end() :], PROSE)
    version = _VERSION.search(text)
    return version[0] if version else stop_words(text)


def _filled(text: bytes, form: _Form, names: Names) -> bytes:
    pieces: list[bytes] = []
    slot = "*"
    for part, following in form.parts:
        before, there, rest = text.partition(part)
        if there:
            pieces += _slot(before, slot, names), there
            text, slot = rest, following
    return b"".join((*pieces, _slot(text, slot, names)))


def _slot(text: bytes, slot: str, names: Names) -> bytes:
    if slot == "%":
        return names.kernel(text)
    return names.prose(text, PROSE) if slot == "~" else names.renamed(text)
