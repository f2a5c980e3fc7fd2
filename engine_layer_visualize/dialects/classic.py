"""The classic listing, one `Layer(TYPE): …` record a line (TensorRT 5 - 10).

takes: a listing block
gives: layers in execution order, opaque where a record cannot be read, and problems
never: searches a log, joins times, or draws edges
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, Final, TypeAlias

from lark import Token, Transformer

from engine_layer_visualize.errors import Place, Problem, excerpt
from engine_layer_visualize.grammar import Mismatch, Parser
from engine_layer_visualize.lines import ListingBlock, Record
from engine_layer_visualize.model import Layer, Tensor
from engine_layer_visualize.source import decode

# What a terminal of the grammar is called in a message; every terminal has one.
PHRASES: Final = {
    "KIND": "`Layer(TYPE): `",
    "NAME": "a layer name",
    "TACTIC": "`, Tactic: ` and a number",
    "REST": "the tensors",
    "ARROW": "` -> ` and the outputs",
    "_COMMA": "`, ` and another tensor",
    "OLD_TENSOR": "a tensor such as `270[Int8(1,64)]`",
    "NEW_TENSOR": "a tensor such as `270 (Int8[1,64])`",
    "DTYPE": "a data type such as `Float`",
    "EXTENT": "a dimension such as `64` or `64:8`",
    "_SEPARATOR": "`,`",
    "_OPEN": "an opening bracket",
    "_CLOSE": "a closing bracket",
}

_OLD, _NEW = "old", "new"

_Groups: TypeAlias = tuple[tuple[str, ...], ...]  # the tensors between the arrows
_Reading: TypeAlias = tuple[tuple[str, ...], tuple[str, ...]]  # inputs, outputs


@dataclass(frozen=True, slots=True)
class _Parts:
    """A record as the grammar reads it: the tensors between the arrows, names still on them."""

    type: str
    name: str
    tactic: str
    groups: _Groups


class _Rules(Transformer[Any, Any]):
    def old_group(self, tokens: list[Token]) -> tuple[str, ...]:
        return tuple(token.value for token in tokens)

    new_group = old_group

    def old(self, children: list[Any]) -> _Parts:
        name = tactic = ""
        groups = []
        for child in children[1:]:
            if isinstance(child, tuple):
                groups.append(child)
            elif child.type == "TACTIC":
                tactic = child.value[len(", Tactic: ") :].rstrip(", ")
            elif child.type == "NAME":
                name = child.value  # REST, the other one, is not read
        kind = children[0].value[len("Layer(") : -len("): ")]
        return _Parts(kind, name, tactic, tuple(groups))

    new = head = old

    def dims(self, tokens: list[Token]) -> tuple[str, ...]:
        return tuple(token.value for token in tokens)

    def descriptor(self, children: list[Any]) -> tuple[str, tuple[str, ...]]:
        return children[0].value, children[1]


@cache
def parser() -> Parser:
    """The grammar, loaded when the first listing is read."""
    return Parser("classic.lark", (_OLD, _NEW, "head", "descriptor"), _Rules())


def read(
    block: ListingBlock, file: str, known: Iterable[str] = ()
) -> tuple[list[Layer], list[Problem]]:
    """The layers of `block`. `known`: the engine's inputs and outputs, where the log names them."""
    reader = _Reader(file, known)
    last = len(block.records) - 1
    layers = [
        reader.layer(index, record, cut=block.cut and index == last)
        for index, record in enumerate(block.records)
    ]
    return layers, reader.problems


class _Reader:
    """Reads the records of one listing in order: what came before decides ambiguous ones."""

    def __init__(self, file: str, known: Iterable[str]) -> None:
        self._file = file
        self._known = set(known)  # tensor names that cannot be doubted
        self._merged = {name for name in self._known if _is_double(name)}
        self._tensors: dict[str, Tensor] = {}
        self._style = _OLD
        self.problems: list[Problem] = []

    def layer(self, index: int, record: Record, *, cut: bool) -> Layer:
        place = Place(self._file, record.line, record.column)
        text = decode(record.text)
        try:
            parts = self._parsed(text, record.tail)
            left, right = self._sides(parts, place, text)
            inputs = tuple([self._tensor(tensor, text) for tensor in left])
            outputs = tuple([self._tensor(tensor, text) for tensor in right])
        except Mismatch as mismatch:
            return self._opaque(index, place, text, mismatch, cut)
        for tensor in outputs:
            self._known.add(tensor.name)
            if _is_double(tensor.name):
                self._merged.add(tensor.name)
        return Layer(
            index, place, parts.type, parts.name, parts.tactic, inputs, outputs, position=index
        )

    def _parsed(self, text: str, tail: tuple[bytes, ...]) -> _Parts:
        try:
            return _parse(text, self._style_of(text))
        except Mismatch as mismatch:
            # Lines after it may make it whole: a name may hold newlines.
            for line in tail:
                text += "\n" + decode(line)
                try:
                    return _parse(text, self._style_of(text))
                except Mismatch:
                    continue
            raise mismatch

    def _style_of(self, text: str) -> str:
        """All descriptors of a record are of one style, which the last one tells."""
        new, old = text.rfind("])"), text.rfind(")]")
        if new != old:
            self._style = _NEW if new > old else _OLD
        return self._style

    def _opaque(self, index: int, place: Place, text: str, wrong: Mismatch, cut: bool) -> Layer:
        code, message = _named(text, wrong)
        if cut:
            message += " (the log ends in this line)"
        shown, caret = excerpt(text, wrong.offset + 1)
        at = Place(place.file, place.line, place.column + wrong.offset)
        self.problems.append(Problem(at, code, message, shown, caret, _expected(wrong.expected)))
        kind, _, rest = text.removeprefix("Layer(").partition("):")
        # The name is certain up to its tactic, whatever follows; without one there is no name.
        head = _head(text)
        name, tactic = (head.name, head.tactic) if head else (rest.strip(" "), None)
        return Layer(index, place, kind, name, tactic, (), (), raw=text, position=index)

    # ---- readings ----------------------------------------------------------------------------

    def _sides(self, parts: _Parts, place: Place, text: str) -> _Reading:
        """Inputs and outputs, names still on their descriptors. Raises Mismatch."""
        groups = parts.groups
        if self._merged:
            groups = tuple(self._with_known_merged(group) for group in groups)
        if len(groups) == 2:
            return groups[0], groups[1]
        return self._decide(groups, place, text)

    def _with_known_merged(self, group: tuple[str, ...]) -> tuple[str, ...]:
        """Neighbours that together bear a known name are one tensor."""
        tensors = list(group)
        start = 0
        while start < len(tensors):
            for end in range(len(tensors), start + 1, -1):
                whole = ", ".join(tensors[start:end])
                if _split(whole)[0] in self._merged:
                    tensors[start:end] = [whole]
                    break
            start += 1
        return tuple(tensors)

    def _decide(self, groups: _Groups, place: Place, text: str) -> _Reading:
        """Several arrows: which one is the record's? Known names tell, else the leftmost."""
        # Every reading has the same number of tensors; the sort is stable: leftmost first.
        ranked = sorted(_readings(groups), key=self._doubt)
        if not ranked:
            raise Mismatch(len(text), frozenset({"OLD_TENSOR"}))
        best = ranked[0]
        if len(ranked) > 1 and self._doubt(best) == self._doubt(ranked[1]):
            arrow = len(text) - len(" -> ".join(", ".join(g) for g in groups))
            shown, caret = excerpt(text, arrow + 1)
            self.problems.append(
                Problem(
                    place,
                    "ELV107",
                    f"{len(ranked)} readings, and nothing tells which is meant;"
                    " the one with the leftmost arrow is drawn",
                    shown,
                    caret,
                )
            )
        return best

    def _doubt(self, reading: _Reading) -> tuple[int, int]:
        """How many inputs nobody knows, and how few of the outputs somebody does."""
        left, right = reading
        unknown = sum(_split(text)[0] not in self._known for text in left)
        return unknown, -sum(_split(text)[0] in self._known for text in right)

    def _tensor(self, text: str, record: str) -> Tensor:
        """Raises Mismatch, with the offset in the record."""
        tensor = self._tensors.get(text)
        if tensor is None:
            name, descriptor = _split(text)
            try:
                dtype, dims, shape = _descriptor(descriptor)
            except Mismatch as wrong:
                end = max(0, record.find(text)) + len(text) - 1
                raise Mismatch(end - len(descriptor) + wrong.offset, wrong.expected) from None
            tensor = self._tensors[text] = Tensor(name, dtype, dims, shape)
        return tensor


def _parse(text: str, style: str) -> _Parts:
    parts = parser().parse(text, style)
    assert isinstance(parts, _Parts)
    return parts


def _split(tensor: str) -> tuple[str, str]:
    """`270[Int8(1,64)]` -> `270`, `Int8(1,64)`; `270 (Int8[1,64])` -> `270`, `Int8[1,64]`."""
    if tensor.endswith("])"):
        at = tensor.rindex(" (")
        return tensor[:at], tensor[at + 2 : -1]
    at = tensor.rindex("[")
    return tensor[:at], tensor[at + 1 : -1]


@lru_cache(maxsize=1 << 16)
def _descriptor(text: str) -> tuple[str, str, tuple[int, ...]]:
    """(dtype, dims as printed, shape); there are few different ones in an engine."""
    dtype, dims = parser().parse(text, "descriptor")
    return dtype, ",".join(dims), tuple(int(extent.partition(":")[0]) for extent in dims)


def _is_double(name: str) -> bool:
    """Whether a name could be taken for several tensors."""
    return ")], " in name or "]), " in name


def _readings(groups: _Groups) -> Iterator[_Reading]:
    """Every choice of the arrow; the others belong to names, which must end in a descriptor."""
    for arrow in range(1, len(groups)):
        left, right = _glued(groups[:arrow]), _glued(groups[arrow:])
        if left is not None and right is not None:
            yield left, right


def _glued(groups: _Groups) -> tuple[str, ...] | None:
    tensors = list(groups[0])
    for group in groups[1:]:
        if not group:
            return None
        before = tensors.pop() if tensors else ""
        tensors += [f"{before} -> {group[0]}", *group[1:]]
    return tuple(tensors)


def _head(text: str) -> _Parts | None:
    """Type, name and tactic of a record whose tensors cannot be read."""
    try:
        head = parser().parse(text, "head")
    except Mismatch:
        return None
    assert isinstance(head, _Parts)
    return head


def _named(text: str, wrong: Mismatch) -> tuple[str, str]:
    if wrong.expected & {"KIND"}:
        return "ELV104", "not a layer record"
    if wrong.expected & {"NAME"}:
        return "ELV101", "layer record without a tactic"
    if wrong.expected & {"OLD_TENSOR", "NEW_TENSOR"}:
        return "ELV102", "tensor without a descriptor"
    if "ARROW" in wrong.expected and wrong.offset >= len(text):
        return "ELV103", "layer record without an arrow"
    return "ELV104", "unreadable layer record"


def _expected(terminals: frozenset[str]) -> str:
    """The likeliest of what could stand here, in words."""
    for terminal in PHRASES:
        if terminal in terminals and terminal not in ("NAME", "ARROW", "_COMMA"):
            return PHRASES[terminal]
    return next((PHRASES[t] for t in PHRASES if t in terminals), "")
