"""Finds the listings of a log that show the same build, and reads each such group as one engine.

Listings whose names differ are never one engine, nor are two builds of one network.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import Final, NamedTuple, TypeAlias

from engine_layer_visualize.core.build_info import ListingState
from engine_layer_visualize.core.model import InputRange, Layer, Listing
from engine_layer_visualize.core.problems import Place, Problem
from engine_layer_visualize.io.source import decode
from engine_layer_visualize.reading import detailed
from engine_layer_visualize.reading.blocks import ListingBlock
from engine_layer_visualize.reading.build_context import BuildContext, Names
from engine_layer_visualize.reading.scanner import Scan
from engine_layer_visualize.reading.tactics import tactic_number
from engine_layer_visualize.trt import names as layer_names
from engine_layer_visualize.trt.names import without_profile

_MOST_ENDS: Final = 128  # of a network, by which it is told whose engine is listed
# Inputs and outputs of an engine; None: unknown.
_Ends: TypeAlias = "tuple[list[str] | None, list[str] | None]"
_Parsed: TypeAlias = "tuple[list[Layer], list[Problem]]"  # of a listing, in execution order


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
    named: _Ends
    #: The inputs whose shapes vary.
    ranges: tuple[InputRange, ...] = ()
    #: Inputs and outputs, as the listing names them without their direction.
    bindings: tuple[str, ...] = ()
    #: The listings of a log, that of the layers first.
    blocks: tuple[ListingBlock, ...] = ()
    #: The inputs, and the outputs, that trtexec made buffers for.
    trtexec_bindings: _Ends = (None, None)


def groups(scan: Scan, file: str) -> list[Group]:
    """The listings of every engine.

    Each listing that the builder logs is a build. A dump (trtexec's `--dumpLayerInfo`, an
    inspector's text) belongs to the engine before it if it shows its layers; else it is one.
    """
    engines: list[Group] = []
    parsed: dict[ListingBlock, _Parsed] = {}  # of one engine: many would fill the memory
    for block in scan.listings:
        if engines and block.dump:
            if engines[-1].takes(block):
                continue
            # Of an engine whose build is not in the log: what stands before is of another.
            segment = block.segment
            if segment is not None and segment is engines[-1].blocks[0].segment:
                segment = type(segment)()
            block.context, block.segment = BuildContext(before=block.context), segment
        parsed.clear()
        engines.append(Group(block, file, parsed))
    if len(engines) > 1:
        parsed.clear()
    return engines


class Group:
    """The listings of one engine. `parsed`: those that were parsed, by whichever group."""

    def __init__(self, built: ListingBlock, file: str, parsed: dict[ListingBlock, _Parsed]) -> None:
        self.blocks = [built]  # the builder's own first
        self._file, self._parsed = file, parsed
        self._last_is_cut = False

    def takes(self, dump: ListingBlock) -> bool:
        """Whether a dump shows this engine; then it becomes one of the group.

        It may lack layers where the log ends in it or the build's listing is a part of one.
        """
        part = self._is_part()
        built, _ = self._parse(self.blocks[0])
        places = _shown(built, self._parse(dump)[0], more=part)
        may_lack = part or (dump.last and not (dump.bindings or dump.io))
        left = built[places[-1] + 1 :] if places else built
        cut = any(layer.type != "Myelin" for layer in left)
        if places is None or (cut and not may_lack):
            return False
        self.blocks.append(dump)
        self._last_is_cut = cut
        return True

    def read(self) -> Reading:
        """The layers of the richest listing, with what the others add."""
        built, *dumps = self.blocks
        cut = dumps.pop() if self._last_is_cut else None
        main = built
        if built.dialect == "classic":
            main = next((d for d in dumps if d.records and d.dialect == "detailed"), built)
        others = [built if dump is main else dump for dump in dumps]
        bindings = tuple(name for block in self.blocks for name in block.bindings)
        (layers, problems), named = self._main(main, bindings)
        if main is not built:
            layers = self._with_build(layers)
        for names in (block for block in others if block.bare_names):
            layers = _with_lines(layers, self._parse(names)[0])
        self._parsed.clear()
        also = [self._listing(block) for block in others]
        if cut is not None:
            also.append(self._listing(cut)._replace(state="cut"))
        bound = _ends([one for block in self.blocks for one in block.trtexec_bindings])
        return Reading(
            self._listing(main),
            tuple(also),
            tuple(typed(layers) if main.bare_names else layers),
            (*self._problems(main, cut, problems, len(layers)),),
            named,
            next((tuple(block.ranges) for block in self.blocks if block.ranges), ()),
            bindings,
            (main, *others),
            bound if borne_out(layers, *bound) else (None, None),  # of a run of another engine
        )

    def _is_part(self) -> bool:
        """Whether a person quoted some records of the build's listing.

        Then it has no tensor that is an output of the engine.
        """
        built = self.blocks[0]
        _, outputs = _ends(built.trtexec_bindings)
        is_quoted = built.quoted and not built.dump and outputs != []
        return is_quoted and not borne_out(self._parse(built)[0], [], outputs)

    def _parse(self, block: ListingBlock, known: Sequence[str] = ()) -> _Parsed:
        """What is read of a listing. `known`: the engine's inputs and outputs."""
        # Not for a log without a listing.
        from engine_layer_visualize.reading import classic

        if block in self._parsed and not any(map(classic.holds_descriptor, known)):
            return self._parsed[block]
        file, last, is_detailed = self._file, len(block.records) - 1, block.dialect == "detailed"
        reader = detailed.Reader(file) if is_detailed else classic.Reader(file, known)
        each = enumerate(block.records)
        layers = [reader.layer(i, record, cut=block.cut and i == last) for i, record in each]
        for index, name in enumerate(block.bare_names):
            place, text = Place(file, name.line), decode(name.text)
            layers.append(Layer(index, place, "", text, None, (), (), position=index))
        self._parsed[block] = layers, reader.problems
        return layers, reader.problems

    def _main(self, main: ListingBlock, bindings: Sequence[str]) -> tuple[_Parsed, _Ends]:
        """What is read of the richest listing, and the engine's inputs and outputs."""
        named = inputs, outputs = _named(self.blocks)
        layers, problems = self._parse(main, (*(inputs or ()), *(outputs or ())))
        listed = any(block.io for block in self.blocks)  # below it; a record need not name them
        doubted = any(problem.code == "ELV107" for problem in problems)  # it may be there
        sure = listed or doubted or _lacks_no_ops(main)
        if not (inputs or outputs) or not (sure or borne_out(layers, inputs or [], outputs or [])):
            named = _directions(layers, bindings)
        return (layers, problems), named

    def _with_build(self, layers: Sequence[Layer]) -> list[Layer]:
        """The layers of a dump with the lines of the build's, and with their tactics."""
        built, _ = self._parse(self.blocks[0])
        result = list(layers)
        for index, place in enumerate(_shown(built, layers, more=self._is_part()) or ()):
            layer, before = layers[index], built[place]
            same = layer.tactic is None and layer.name == before.name
            tactic = before.tactic if same else layer.tactic
            result[index] = layer._replace(also_line=before.place.line, tactic=tactic)
        return result

    def _problems(
        self, main: ListingBlock, cut: ListingBlock | None, read: Iterable[Problem], layers: int
    ) -> Iterator[Problem]:
        """What could not be read. `read`: of the records; `layers`: how many there are."""
        built, file = self.blocks[0], self._file
        if built.header is None:  # another one is a second print
            message = "records without a header: the log was cut before them"
            yield Problem(Place(file, built.first_line), "ELV106", message)
        yield from read
        if main.bare_names:
            yield detailed.names_only(Place(file, main.first_line), layers, layers)
        if cut is not None:
            message = (
                f"a second listing of the engine ends at line {cut.last_line}, cut: it has "
                f"{len(cut.records or cut.bare_names)} of {layers} layers; the first is taken"
            )
            yield Problem(Place(file, cut.last_line), "ELV114", message)

    def _listing(self, block: ListingBlock) -> Listing:
        state: ListingState = "names" if block.bare_names else "whole"
        return Listing(self._file, block.first_line, block.last_line, block.dialect, state)


def _shown(built: Sequence[Layer], dumped: Sequence[Layer], more: bool = False) -> list[int] | None:
    """Finds the built layer that every dumped one shows; None where they are of two engines.

    Equal names in equal order; a Myelin layer stands for its records, also for none. `more`: the
    last built ones may be missing; then fewer are returned.
    """
    places: list[int] = []
    place = 0
    for layer in dumped:
        inside = layer_names.myelin_index(layer.name)
        while place < len(built) and built[place].name != layer.name:
            if built[place].type != "Myelin":
                return None
            if inside == place:
                break
            place += 1
        if place == len(built):
            return places if more and places else None
        if built[place].name == layer.name and _are_others(built[place].tactic, layer.tactic):
            return None
        places.append(place)
        place += built[place].name == layer.name  # inside a Myelin layer, the next may be, too
    return places


def _are_others(built: str | None, dumped: str | None) -> bool:
    """Whether a layer has another tactic in a dump: that is of another build."""
    numbers = {tactic_number(one.encode()) for one in (built, dumped) if one is not None}
    return None not in numbers and len(numbers) > 1


def of_file(content: detailed.ListingFile, file: str) -> Reading:
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
    on_dla = any(layer_names.is_dla_copy(layer.name) for layer in layers)
    return [
        layer
        if layer.type or layer.raw is not None
        else layer._replace(type=layer_names.type_in_name(layer.name, on_dla))
        for layer in layers
    ]


def _directions(layers: Sequence[Layer], bindings: Sequence[str]) -> _Ends:
    """Which bindings are read before they are written, and which are written; None: no bindings."""
    if not bindings:
        return None, None
    written, read = set[str](), set[str]()
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


def _with_lines(layers: Sequence[Layer], names: Sequence[Layer]) -> list[Layer]:
    """The layers with the lines of a listing that holds their names alone."""
    lines: dict[int, int] = {}
    for place, name in zip(_shown(layers, names) or (), names):
        lines.setdefault(place, name.place.line)
    return [layer._replace(also_line=lines.get(layer.index)) for layer in layers]


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


def _named(blocks: Sequence[ListingBlock]) -> _Ends:
    """Inputs and outputs that the log names for this engine; None: not named.

    Those below a detailed listing, else those of the network. A log may define several networks
    before it builds one; the definition that the listing mentions most is the engine's, the last
    of those that tie.
    """
    if io := next((block.io for block in blocks if block.io), None):
        return _ends(io)
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
