"""Decides whether a listing is whole, cut, a part of one, or names alone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from engine_layer_visualize.assembly.listings import Reading
from engine_layer_visualize.core.build_info import ListingState
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.core.problems import Place, Problem
from engine_layer_visualize.core.text import shorten
from engine_layer_visualize.reading.blocks import ListingBlock, Record, trimmed
from engine_layer_visualize.reading.markers import LEFT_OUT
from engine_layer_visualize.trt.names import REFORMATTED, profile_of, without_profile

_NAME_WIDTH: Final = 80  # characters of a name
_WITHOUT_TENSORS: Final = "TrainStation"


def of(reading: Reading, layers: Sequence[Layer]) -> tuple[ListingState, Problem | None]:
    """The state of a listing, and the problem to tell.

    `layers`: the engine's, with those that the listing leaves out.
    """
    listing = reading.source

    def cut(how: str) -> tuple[ListingState, Problem]:
        message = f"the listing ends at line {listing.last_line}, {how}"
        return "cut", Problem(Place(listing.file, listing.last_line), "ELV114", message)

    if not reading.blocks and listing.state == "cut":  # a file that is one
        return cut("cut, where the JSON breaks off")
    if not reading.blocks:
        return listing.state, None
    main = reading.blocks[0]
    if main.bare_names:
        return "names", None
    if _is_torn(main, layers):
        return cut("cut inside a record")
    if main.header is None:
        return "part", None  # that the log was cut before them is told
    if why := _shortened(reading.blocks, layers):
        message = f"a part of a listing: {why}"
        return "part", Problem(Place(listing.file, listing.first_line), "ELV115", message)
    if main.last and (why := _cut(main, reading.named[1], layers)):
        return cut(f"probably cut: {why}")
    return listing.state, None


# ---- cut ---------------------------------------------------------------------------------------


def _cut(main: ListingBlock, outputs: Sequence[str] | None, layers: Sequence[Layer]) -> str:
    """Why a listing at the log's end is cut; empty where it may be whole.

    Certain signs are asked first. No layer is missing where the log tells the memory of each: then
    an output that nothing writes is a view, which TensorRT 8.0 does not list.
    """
    if why := _half_named(main, layers) or _short(main):
        return why
    if why := _loose(layers):
        return why
    if main.fenced:
        return "the fence of Markdown around it is not closed"
    if main.dialect == "classic" and main.context.held_layers:
        return ""
    if missing := _unwritten(outputs or (), layers):
        return f"nothing in it writes the output {_shown(missing[0])}"
    if main.dialect == "detailed" and main.context.least_layers and not (main.bindings or main.io):
        return "the names of its inputs and outputs do not follow it"
    return ""


def _short(main: ListingBlock) -> str:
    """Whether it has fewer layers than the log counts before it."""
    least, listed = main.context.least_layers, len(main.records)
    if main.dialect != "classic" or main.header is None or listed >= least:
        return ""
    return f"it has {listed:,} of at least {least:,} layers"


def _is_torn(main: ListingBlock, layers: Sequence[Layer]) -> bool:
    """Whether the input ended inside a record."""
    if main.torn or not main.cut or main.bindings or main.io:
        return main.torn
    if main.dialect == "detailed" and main.header is not None:
        return True  # the names of inputs and outputs follow on the last record
    last = [layer for layer in layers if layer.listed][-1]
    ends = trimmed(main.records[-1].text).endswith(b"->")
    return last.raw is not None or (ends and last.type != _WITHOUT_TENSORS)


def _half_named(main: ListingBlock, layers: Sequence[Layer]) -> str:
    """Whether the log ends inside the names below a detailed listing."""
    if not main.bindings:
        return ""
    tensors = {tensor.name for layer in layers for tensor in (*layer.inputs, *layer.outputs)}
    known = {*tensors, *map(without_profile, tensors)}
    written = {tensor.name for layer in layers for tensor in layer.outputs}
    none = not any(without_profile(name) in main.bindings for name in written)
    last = main.bindings[-1]
    torn = main.cut and last not in known and any(name.startswith(last) for name in known)
    return "the log ends inside the names of its inputs and outputs" if none or torn else ""


def _unwritten(outputs: Iterable[str], layers: Sequence[Layer]) -> list[str]:
    """The outputs that no layer writes, of any optimisation profile that layers are of."""
    written = {tensor.name for layer in layers for tensor in layer.outputs}
    plain = set(map(without_profile, written))
    missing = [name for name in outputs if name not in written and name not in plain]
    copies = {profile_of(name) for name in written} & {profile_of(layer.name) for layer in layers}
    for suffix in copies:  # the names of a copy's layers and tensors all end so
        missing += [
            name + suffix
            for name in outputs
            if suffix and name not in missing and name + suffix not in written
        ]
    return missing


def _loose(layers: Sequence[Layer]) -> str:
    """Whether a tensor was made for a layer that is not there."""
    read = {tensor.name for layer in layers for tensor in layer.inputs}
    for tensor in (tensor for layer in layers for tensor in layer.outputs):
        if tensor.name.startswith(REFORMATTED) and tensor.name not in read:
            return f"nothing in it reads {_shown(tensor.name)}"
    return ""


# ---- a part ------------------------------------------------------------------------------------


def _shortened(blocks: Sequence[ListingBlock], layers: Sequence[Layer]) -> str:
    """How it is told that a person left out records; empty where none is missing."""
    main = blocks[0]
    for number, record in enumerate(main.records, 1):
        lines = [line for line in _behind_name(record) if line.strip()]
        if number == len(main.records):
            lines = lines[:1]
        if any(map(LEFT_OUT.match, lines)):
            return "lines of it were left out"
    if main.last:
        return ""
    if short := _short(main):
        return short
    if main.quoted and main.dialect == "detailed" and not (main.bindings or main.io):
        return "the engine's inputs and outputs do not follow it"
    made = [name for block in blocks for name, mode in block.trtexec_bindings if mode == "Output"]
    if main.quoted and made and len(_unwritten(made, layers)) == len(made):
        return f"nothing in it writes the output {_shown(made[0])}"
    return _loose(layers)


def _behind_name(record: Record) -> Sequence[bytes]:
    """The lines below a record that are no part of its name.

    The name of a `{ForeignNode[a...b]}` can hold newlines.
    """
    tail = record.tail
    if b"{ForeignNode[" not in record.text or b"]}" in record.text:
        return tail
    ends = next((number for number, line in enumerate(tail, 1) if b"]}" in line), 0)
    return tail[ends:]


def _shown(name: str) -> str:
    return f"`{shorten(name, _NAME_WIDTH)}`"
