"""Finds the listings of a log that show the same build, and reads each such group as one engine.

Listings whose names differ are never one engine, nor are two builds of one network.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain, islice
from typing import Final, NamedTuple, TypeAlias

from engine_layer_visualize.core.build_info import ListingState
from engine_layer_visualize.core.model import InputRange, Layer, Listing
from engine_layer_visualize.core.problems import Place, Problem
from engine_layer_visualize.io.source import decode
from engine_layer_visualize.reading.blocks import ListingBlock, Record
from engine_layer_visualize.reading.build_context import BuildContext, Names
from engine_layer_visualize.reading.inspector_json import ListingFile, names_only
from engine_layer_visualize.reading.scanner import Scan
from engine_layer_visualize.trt.names import (
    is_dla_copy,
    myelin_index,
    type_in_name,
    without_profile,
)

_MOST_ENDS: Final = 128  # of a network, by which it is told whose engine is listed
# Inputs and outputs of an engine; None: unknown.
_Named: TypeAlias = "tuple[list[str] | None, list[str] | None]"


class Reading(NamedTuple):
    """The layers of one engine, before times and edges."""

    #: Where its listing stands.
    source: Listing
    #: Where other listings of the engine stand.
    also: tuple[Listing, ...]
    #: In execution order.
    layers: tuple[Layer, ...]
    #: What could not be read.
    problems: tuple[Problem, ...]
    #: The engine's inputs, and its outputs.
    named: _Named
    #: The inputs whose shapes vary.
    ranges: tuple[InputRange, ...] = ()
    #: Inputs and outputs, as the listing names them without their direction.
    bindings: tuple[str, ...] = ()
    #: The listings of a log, that of the layers first.
    blocks: tuple[ListingBlock, ...] = ()
    #: The inputs, and the outputs, that trtexec made buffers for.
    trtexec_bindings: _Named = (None, None)


def groups(scan: Scan) -> list[list[ListingBlock]]:
    """The listings of every engine, the builder's own first.

    Each listing that the builder logs is a build. A dump (trtexec's `--dumpLayerInfo`, an
    inspector's text) belongs to the engine before it if the layers' names agree, as far as they go
    where the log ends in it or the build's listing is a part of one; else it is one.
    """
    engines: list[list[ListingBlock]] = []
    for block in scan.listings:
        if not (block.dump and engines):
            engines.append([block])
            continue
        built = engines[-1][0]
        part = _is_part(built)
        some = part or _is_open(block)
        if _correspond(_names(built), _names(block), some=some, more=part) is not None:
            engines[-1].append(block)
            continue
        # Of an engine whose build is not in the log: what stands before is of another.
        segment = block.segment
        if segment is not None and segment is built.segment:
            segment = type(segment)()
        context = BuildContext(before=block.context)
        engines.append([replace(block, context=context, segment=segment)])
    return engines


def _is_part(built: ListingBlock) -> bool:
    """Whether a person quoted some records of a build's listing.

    Then it has no tensor that is an output of the engine.
    """
    _, outputs = _ends(built.trtexec_bindings)
    if built.dump or not (built.quoted and outputs):
        return False
    return not borne_out(_names(built), [], outputs)


def _is_open(block: ListingBlock) -> bool:
    """Whether more records may have followed where the log ends."""
    return block.last and not (block.bindings or block.io)


def _correspond(
    built: Sequence[Layer], dumped: Sequence[Layer], some: bool = False, more: bool = False
) -> tuple[int, ...] | None:
    """Finds the built layer that every dumped one shows; None where they are of two engines.

    Equal names in equal order; a Myelin layer stands for its records, also for none. `some`: the
    last dumped ones may be missing; `more`: the last built ones, then fewer are returned.
    """
    place, shown = 0, []
    for layer in dumped:
        inside = myelin_index(layer.name)
        while place < len(built):
            if built[place].name == layer.name:
                shown.append(place)
                place += 1
                break
            if built[place].type != "Myelin":
                return None
            if inside == place:  # and the next record may be inside, too
                shown.append(place)
                break
            place += 1
        else:
            return tuple(shown) if more and shown else None
    rest = (layer for layer in built[place:] if layer.type != "Myelin")
    return tuple(shown) if some or next(rest, None) is None else None


def read(blocks: Sequence[ListingBlock], file: str) -> Reading:
    """The engine of one group: the layers of its richest listing, with what the others add."""
    main, others = blocks[0], list(blocks[1:])
    built, cut, part = None, None, _is_part(blocks[0])
    open_end = bool(others) and (part or _is_open(others[-1]))
    if open_end and _correspond(_names(main), _names(others[-1]), more=part) is None:
        cut = others.pop()
    richer = next((one for one in others if one.records and one.dialect == "detailed"), None)
    if richer is not None and main.dialect == "classic":
        others[others.index(richer)] = main
        main, built = richer, _names(main)
    layers, problems, named = _main(main, blocks, file)
    if built is not None:
        shown = _correspond(built, layers, more=part)
        assert shown is not None  # that is why they are a group
        for index, number in enumerate(shown):
            layer, before = layers[index], built[number]
            same = layer.tactic is None and layer.name == before.name
            tactic = before.tactic if same else layer.tactic
            layers[index] = replace(layer, also_line=before.place.line, tactic=tactic)
    for block in others:
        if block.bare_names:
            layers = _beside(layers, _names(block))
    if blocks[0].header is None:  # another one is a second print
        message = "records without a header: the log was cut before them"
        place = Place(file, _records(blocks[0])[0].line)
        problems = [Problem(place, "ELV106", message), *problems]
    if main.bare_names:
        count = len(layers)
        problems.append(names_only(Place(file, main.header or 1), count, count))
        layers = typed(layers)
    also = tuple(_listing(block, file) for block in others)
    if cut is not None:
        half = replace(_listing(cut, file), state="cut")
        also += (half,)
        message = (
            f"a second listing of the engine ends at line {half.last_line}, cut: it has "
            f"{len(_records(cut))} of {len(layers)} layers; the first is taken"
        )
        problems.append(Problem(Place(file, half.last_line), "ELV114", message))
    ranges = next((tuple(block.ranges) for block in blocks if block.ranges), ())
    bindings = tuple(name for block in blocks for name in block.bindings)
    bound = _ends([one for block in blocks for one in block.trtexec_bindings])
    return Reading(
        _listing(main, file),
        also,
        tuple(layers),
        tuple(problems),
        named,
        ranges,
        bindings,
        (main, *others),
        bound if borne_out(layers, *bound) else (None, None),  # of a run of another engine
    )


def of_file(content: ListingFile, file: str) -> Reading:
    """The engine of a file that is one listing."""
    named = _ends(content.io) if content.io else _directions(content.layers, content.bindings)
    state: ListingState = "names" if content.bare == len(content.layers) else "whole"
    state = "cut" if content.cut else state
    listing = Listing(file, content.line, content.layers[-1].place.line, "inspector-json", state)
    bindings = tuple(content.bindings)
    return Reading(listing, (), tuple(typed(content.layers)), (), named, bindings=bindings)


def typed(named: Iterable[Layer]) -> list[Layer]:
    """The layers, of which those without a record have the types that their names tell."""
    layers = [*named]
    on_dla = any(is_dla_copy(layer.name) for layer in layers)
    return [
        layer
        if layer.type or layer.raw is not None
        else replace(layer, type=type_in_name(layer.name, on_dla))
        for layer in layers
    ]


def _main(
    main: ListingBlock, blocks: Sequence[ListingBlock], file: str
) -> tuple[list[Layer], list[Problem], _Named]:
    """Layers and problems of one listing of the group, and the engine's inputs and outputs."""
    inputs, outputs = _named(blocks)
    layers, problems = _layers(main, file, (*(inputs or ()), *(outputs or ())))
    listed = any(block.io for block in blocks)  # below the listing; a record need not name them
    doubted = any(problem.code == "ELV107" for problem in problems)  # it may be there
    if (inputs or outputs) and (
        listed or doubted or _lacks_no_ops(main) or borne_out(layers, inputs or [], outputs or [])
    ):
        return layers, problems, (inputs, outputs)
    bindings = [name for block in blocks for name in block.bindings]
    return layers, problems, _directions(layers, bindings)


def _directions(layers: Sequence[Layer], bindings: Sequence[str]) -> _Named:
    """Which bindings are read before they are written, and which are written; None: no bindings."""
    if not bindings:
        return None, None
    written: set[str] = set()
    read: set[str] = set()
    for layer in layers:
        read.update(tensor.name for tensor in layer.inputs if tensor.name not in written)
        written.update(tensor.name for tensor in layer.outputs)
    names = list(dict.fromkeys(bindings))
    return [name for name in names if name in read], [name for name in names if name in written]


def _lacks_no_ops(main: ListingBlock) -> bool:
    """Whether it lists fewer layers than passes count, as up to TensorRT 8.0.

    Then no record need name the network's inputs and outputs.
    """
    return 0 < main.context.held_layers < main.context.passed_layers


def _beside(layers: list[Layer], names: Sequence[Layer]) -> list[Layer]:
    """The layers with the lines of a listing that holds their names alone."""
    lines: dict[int, int] = {}
    for number, name in zip(_correspond(layers, names) or (), names):
        lines.setdefault(number, name.place.line)
    return [replace(layer, also_line=lines.get(layer.index)) for layer in layers]


def _names(block: ListingBlock) -> list[Layer]:
    return _layers(block, "")[0]


def _layers(
    block: ListingBlock, file: str, known: tuple[str, ...] = ()
) -> tuple[list[Layer], list[Problem]]:
    """The layers of a listing in execution order. `known`: the engine's inputs and outputs."""
    from engine_layer_visualize.reading import classic, detailed  # not for a log without a listing

    if block.bare_names:
        return [
            Layer(n, Place(file, one.line), "", decode(one.text), None, (), (), position=n)
            for n, one in enumerate(block.bare_names)
        ], []
    reader = detailed.Reader(file) if block.dialect == "detailed" else classic.Reader(file, known)
    last = len(block.records) - 1
    layers = [
        reader.layer(index, record, cut=block.cut and index == last)
        for index, record in enumerate(block.records)
    ]
    return layers, reader.problems


def _listing(block: ListingBlock, file: str) -> Listing:
    state: ListingState = "names" if block.bare_names else "whole"
    return Listing(file, block.first_line, block.last_line, block.dialect, state)


def _records(block: ListingBlock) -> list[Record]:
    return block.records or block.bare_names


def _mentions(text: bytes, name: str) -> bool:
    """Whether a listing has a tensor of that name; a short name is a part of many words."""
    words = name.encode("utf-8", "backslashreplace")
    after = (b"[", b" (", b" [profile ", b", Location: ", b", Dimensions: ")
    return any(b" " + words + end in text for end in after)


def borne_out(layers: Sequence[Layer], inputs: list[str], outputs: list[str]) -> bool:
    """Whether any of the names is a tensor's; else they were only words in the log."""
    if any(layer.raw is not None for layer in layers):
        return True  # it may be there
    named = {*inputs, *outputs}
    tensors = (t for layer in layers for t in (*layer.inputs, *layer.outputs))
    return any(without_profile(tensor.name) in named or tensor.name in named for tensor in tensors)


def _ends(io: Sequence[tuple[str, str]]) -> tuple[list[str], list[str]]:
    """The inputs and the outputs among (name, Input or Output)."""
    inputs, outputs = ([name for name, its in io if its == mode] for mode in ("Input", "Output"))
    return inputs, outputs


def _named(blocks: Sequence[ListingBlock]) -> _Named:
    """Inputs and outputs that the log names for this engine; None: not named.

    Those below a detailed listing, else those of the network. A log may define several networks
    before it builds one; the definition that the listing mentions most is the engine's, the last
    of those that tie.
    """
    for block in blocks:
        if block.io:
            return _ends(block.io)
    main = blocks[0]
    definitions = main.context.definitions(main.host)
    text = b"\n".join(record.text for record in main.records) if definitions else b""

    def mentioned(names: Names) -> int:
        ends = islice(chain(names.inputs, names.outputs), _MOST_ENDS)
        return sum(_mentions(text, name) for name in ends)

    best = max(reversed(definitions), key=mentioned, default=None)
    if best is None or not (mentioned(best) or _lacks_no_ops(main)):
        return None, None
    return best.inputs or None, best.outputs or None
