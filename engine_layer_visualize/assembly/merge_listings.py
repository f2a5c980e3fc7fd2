"""One build, one engine: which listings of a log show the same build.

takes: a Scan
gives: its listings in groups, one for each engine; of a group, the layers of its richest listing
never: merges listings whose names differ, or two builds of one network
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Protocol

from engine_layer_visualize.core.model import Layer, Listing
from engine_layer_visualize.core.problems import Place, Problem
from engine_layer_visualize.inputs.buildlog.blocks import ListingBlock, Record
from engine_layer_visualize.inputs.buildlog.build_context import Facts
from engine_layer_visualize.inputs.buildlog.scanner import Scan
from engine_layer_visualize.trt.layer_names import myelin_index, without_profile


class _ListingFormat(Protocol):
    def read(
        self, block: ListingBlock, file: str, known: Iterable[str]
    ) -> tuple[list[Layer], list[Problem]]: ...


@dataclass(frozen=True, slots=True)
class Reading:
    """The layers of one engine, before times and edges. `named`: inputs, outputs (None: untold)."""

    source: Listing
    also: tuple[Listing, ...]
    layers: tuple[Layer, ...]
    problems: tuple[Problem, ...]
    named: tuple[list[str] | None, list[str] | None]


def groups(scan: Scan) -> list[list[ListingBlock]]:
    """The listings of every engine, the builder's own first.

    What the builder logs is a build of its own. A dump (trtexec's `--dumpLayerInfo`, an inspector's
    text) belongs to the engine before it if the layers' names agree, else it is an engine.
    """
    found: list[list[ListingBlock]] = []
    for block in scan.listings:
        if block.dump and found and correspond(_names(found[-1][0]), _names(block)) is not None:
            found[-1].append(block)
        else:
            if block.dump and found:  # its build is not in the log
                block.facts = Facts(version=block.facts.version)
                if block.account is not None and block.account is found[-1][0].account:
                    block.account = type(block.account)()  # nothing is known of it
            found.append([block])
    return found


def correspond(built: Sequence[Layer], dumped: Sequence[Layer]) -> tuple[int, ...] | None:
    """For every dumped layer the built one that it shows; None where they are of two engines.

    Equal names in equal order; a Myelin layer stands for its records, also for none.
    """
    at, shown = 0, []
    for layer in dumped:
        inside = myelin_index(layer.name)
        while at < len(built):
            if built[at].name == layer.name:
                shown.append(at)
                at += 1
                break
            if built[at].type != "Myelin":
                return None
            if inside == at:  # and the next record may be inside, too
                shown.append(at)
                break
            at += 1
        else:
            return None
    rest = (layer for layer in built[at:] if layer.type != "Myelin")
    return tuple(shown) if next(rest, None) is None else None


def read(blocks: Sequence[ListingBlock], file: str) -> Reading:
    """The engine of one group."""
    main, others = blocks[0], list(blocks[1:])
    richer = next((block for block in others if block.records), None)
    if richer is not None and main.dialect == "classic":
        others[others.index(richer)] = main
        main, built = richer, _layers(main, file)[0]
    else:
        built = None
    inputs, outputs = _named(blocks)
    layers, problems = _layers(main, file, (*(inputs or ()), *(outputs or ())))
    told = any(block.io for block in blocks)  # below the listing; a record need not name them
    if (inputs or outputs) and not told and not _borne_out(layers, inputs, outputs):
        inputs = outputs = None
        layers, problems = _layers(main, file)
    if built is not None:
        shown = correspond(built, layers)
        assert shown is not None  # that is why they are a group
        layers = [_joined(layer, built[number]) for layer, number in zip(layers, shown)]
    for block in others:
        if block.bare_names:
            layers = _beside(layers, _names(block))
    for block in blocks:
        if block.header is None:
            place = Place(file, _all_records(block)[0].line)
            message = "records without a header: the log was cut before them"
            problems.insert(0, Problem(place, "ELV106", message))
    if main.bare_names:
        count = len(layers)
        problems.append(names_only(Place(file, main.header or 1), count, count))
    if not (inputs or outputs):
        inputs, outputs = directions(layers, [n for block in blocks for n in block.bindings])
    also = tuple(_listing(block, file) for block in others)
    return Reading(_listing(main, file), also, tuple(layers), tuple(problems), (inputs, outputs))


def directions(
    layers: Sequence[Layer], bindings: Sequence[str]
) -> tuple[list[str] | None, list[str] | None]:
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


def names_only(place: Place, bare: int, layers: int) -> Problem:
    """The warning for an engine that keeps names alone of so many of its layers."""
    which = "the layers' names" if bare == layers else f"the names of {bare} of {layers} layers"
    message = (
        f"{which} alone, no tensors, so no graph{' there' * (bare < layers)};"
        " for one, build with --profilingVerbosity=detailed"
    )
    return Problem(place, "ELV111", message)


def _beside(layers: list[Layer], names: Sequence[Layer]) -> list[Layer]:
    """The layers with the lines of a listing that holds their names alone."""
    lines: dict[int, int] = {}
    for number, name in zip(correspond(layers, names) or (), names):
        lines.setdefault(number, name.place.line)
    return [replace(layer, also_line=lines.get(layer.index)) for layer in layers]


def _joined(layer: Layer, built: Layer) -> Layer:
    layer = replace(layer, also_line=built.place.line)
    if layer.tactic is None and layer.name == built.name:
        layer = replace(layer, tactic=built.tactic)
    return layer


def _names(block: ListingBlock) -> list[Layer]:
    return _layers(block, "")[0]


def _layers(
    block: ListingBlock, file: str, known: tuple[str, ...] = ()
) -> tuple[list[Layer], list[Problem]]:
    # Entered only where there is a listing: it imports lark.
    kind: _ListingFormat = import_module(f"engine_layer_visualize.inputs.listings.{block.dialect}")
    return kind.read(block, file, known)


def _listing(block: ListingBlock, file: str) -> Listing:
    records = _all_records(block)
    first = records[0].line if block.header is None else block.header
    return Listing(file, first, records[-1].line, block.dialect)


def _all_records(block: ListingBlock) -> list[Record]:
    return block.records or block.bare_names


def _mentions(text: bytes, name: str) -> bool:
    """Whether a listing has a tensor of that name; short names stand in much else."""
    words = name.encode("utf-8", "backslashreplace")
    after = (b"[", b" (", b" [profile ", b", Location: ", b", Dimensions: ")
    return any(b" " + words + end in text for end in after)


def _borne_out(
    layers: Sequence[Layer], inputs: list[str] | None, outputs: list[str] | None
) -> bool:
    """Whether any of the names is a tensor's; else they were only words in the log."""
    if any(layer.raw is not None for layer in layers):
        return True  # it may be there
    named = {*(inputs or ()), *(outputs or ())}
    tensors = (t for layer in layers for t in (*layer.inputs, *layer.outputs))
    return any(without_profile(tensor.name) in named or tensor.name in named for tensor in tensors)


def _named(blocks: Sequence[ListingBlock]) -> tuple[list[str] | None, list[str] | None]:
    """Inputs and outputs that the log names for this engine; None: not named.

    Those below a detailed listing, else those of the network. A log may define several networks
    before it builds one; the definition that the listing mentions most is the engine's, the last
    of those that tie.
    """
    for block in blocks:
        if block.io:
            return (
                [name for name, mode in block.io if mode == "Input"],
                [name for name, mode in block.io if mode == "Output"],
            )
    main = blocks[0]
    definitions = main.facts.definitions(main.host)
    if not definitions:
        return None, None
    text = b"\n".join(record.text for record in main.records)
    best, most = None, 0
    for names in definitions:
        mentioned = sum(_mentions(text, name) for name in (*names.inputs, *names.outputs))
        if mentioned >= max(most, 1):
            best, most = names, mentioned
    if best is None:
        return None, None
    return best.inputs or None, best.outputs or None
