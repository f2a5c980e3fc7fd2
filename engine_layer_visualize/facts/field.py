"""Defines `Field`: one fact of a layer, a tensor or an engine, with its key, words and value."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any, Final, Generic, Literal, NamedTuple, TypeAlias, TypeVar, get_args

from engine_layer_visualize.core.model import JsonValue, Tensor
from engine_layer_visualize.core.text import amount, milliseconds, percent
from engine_layer_visualize.linting.subject import Subject


class ListOf(NamedTuple):
    """Several values of one type: a tuple or a list."""

    of: Type


class Struct(NamedTuple):
    """Values with names: a tuple in the order of `fields`."""

    fields: tuple[tuple[str, Type], ...]


# Of a single value it is Python's. `dict`: JSON with keys of its own, which is not in tables.
Type: TypeAlias = type | ListOf | Struct

TEXTS: Final = ListOf(str)
ROWS: Final = ListOf(dict)
_KINDS: Final[dict[str, Type]] = {  # by unit
    **{"ms": float, "share": float, "GHz": float, "GB/s": float, "1/s": float},
    **{"bytes": int, "MiB": int, "KiB": int, "bit": int},
}
_UNITS: Final = {  # by the end of a key
    **{"ms": "ms", "bytes": "bytes", "share": "share", "mib": "MiB", "kib": "KiB"},
    **{"ghz": "GHz", "gbs": "GB/s", "qps": "1/s", "bits": "bit"},
}
_WORDS_OF_UNITS: Final[dict[str, Callable[[Any], str]]] = {
    "ms": milliseconds,
    "bytes": lambda size: amount(int(size)),
    "share": percent,
}

# json: the document of an engine; table: the table `layers`; tooltip: of pictures and DOT;
# panel: of the page; exchange: traces, ONNX.
Place = Literal["json", "table", "tooltip", "panel", "exchange"]
EVERYWHERE: Final[frozenset[Place]] = frozenset(get_args(Place))
DATA: Final = frozenset[Place](("json", "table"))
FILES: Final = frozenset[Place](("json", "table", "exchange"))
JSON: Final = frozenset[Place](("json",))
TABLE: Final = frozenset[Place](("table",))
WORDS: Final = frozenset[Place](("tooltip", "panel"))
TOOLTIP: Final = frozenset[Place](("tooltip",))
PANEL: Final = frozenset[Place](("panel",))
EXCHANGE: Final = frozenset[Place](("exchange",))
ASKED: Final = frozenset[Place]()  # only where an output asks for its key

Item = TypeVar("Item")
Value: TypeAlias = "Callable[[Subject, Item], Any]"
# Of one value: a text, or several lines.
Words: TypeAlias = "str | tuple[str, ...]"


NODE: Final = "{node}"  # in a label: what layers are made of, such as `ONNX node`


def at(
    path: str,
    roots: Mapping[str, Value[Any]] = MappingProxyType({}),
    made: Callable[[Any], Any] | None = None,
) -> Value[Any]:
    """Makes the value at a path of attributes; None where anything on the way is.

    Args:
        path: The names of attributes, the first of them the item's, such as `time.min_ms`.
        roots: What a first name means that is no attribute of the item.
        made: What is made of the value where it is known.
    """
    first, *names = path.split(".")
    root = roots.get(first)

    def value(subject: Subject, item: Any) -> Any:
        reached = getattr(item, first) if root is None else root(subject, item)
        for name in names:
            if reached is None:
                return None
            reached = getattr(reached, name)
        return reached if made is None or reached is None else made(reached)

    return value


class Field(Generic[Item]):
    """One fact.

    Args:
        key: Its path in the JSON, such as `facts.memory.scratch`; unique.
        label: The words that people read for it.
        doc: What it means, in one sentence; the docs and schemas are made from it.
        places: Where it stands.
        kind: The type of the value; by default that of the unit, else a text.
        value: The exact value, None where it is unknown; by default what is at the path `key`.
        path: Where else the value is.
        made: What is made of the value at a path, as `at` has it.
        text: The value as words with its unit; by default that of the unit.
        column: Its name in tables and in the files of other programs; by default the end of `key`.
        unit: `ms`, `bytes`, `share` (from 0 to 1), `FLOP/byte` or empty; by default that of the
            end of `key`.
        line: The label of the line that it shares with other fields, where it shares one.
        always: Whether it is never null where its object is there.
        roots: What the first name of a path may mean, as `at` has it.
    """

    def __init__(
        self,
        key: str,
        label: str,
        doc: str,
        places: frozenset[Place] = EVERYWHERE,
        kind: Type | None = None,
        *,
        value: Value[Item] | None = None,
        path: str = "",
        made: Callable[[Any], Any] | None = None,
        text: Callable[[Any], Words] | None = None,
        column: str = "",
        unit: str | None = None,
        line: str = "",
        always: bool = False,
        roots: Mapping[str, Value[Any]] = MappingProxyType({}),
    ) -> None:
        end = key.rpartition(".")[2]
        self.key, self.label, self.doc, self.places = key, label, doc, places
        self.name = column or end
        self.unit = _UNITS.get(end.rpartition("_")[2], "") if unit is None else unit
        self.type: Type = kind or _KINDS.get(self.unit, str)
        self.value: Value[Item] = value or at(path or key, roots, made)
        self.text, self.line, self.always = text, line, always

    def words(self, value: Any) -> Words:
        """A value that is known, as people read it."""
        return self.text(value) if self.text is not None else _by_unit(value, self.unit)


def _by_unit(value: Any, unit: str) -> Words:
    """The words of a value without words of its own."""
    if isinstance(value, (tuple, list)):
        return tuple(str(each) for each in value)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return str(value)
    if unit in _WORDS_OF_UNITS:
        return _WORDS_OF_UNITS[unit](value)
    number = f"{value:,}" if isinstance(value, int) else f"{value:,.4g}"
    return f"{number} {unit}".rstrip()


def of_place(fields: Iterable[Field[Item]], place: Place) -> tuple[Field[Item], ...]:
    """The fields that stand there."""
    return tuple(field for field in fields if place in field.places)


def by_name(fields: Iterable[Field[Item]], names: Iterable[str]) -> tuple[Field[Item], ...]:
    """The fields in the order of these names, those that are not named at the end."""
    left = {field.name: field for field in fields}
    return (*[left.pop(name) for name in names if name in left], *left.values())


def lines(
    fields: Iterable[Field[Item]], subject: Subject, item: Item
) -> list[tuple[str, tuple[str, ...]]]:
    """What is known, as a label and its texts; fields that share a line, as one text."""
    texts_of: dict[str, list[str]] = defaultdict(list)
    shared: set[str] = set()
    for field in fields:
        value = field.value(subject, item)
        words = None if value in (None, (), "") else field.words(value)
        if words and field.line:
            shared.add(field.line)
            texts_of[field.line].append(f"{field.label} {words}".strip())
        elif words:
            label = field.label
            if NODE in label:
                label = label.replace(NODE, subject.frontend.node)
            texts_of[label] += [words] if isinstance(words, str) else words
    return [
        (label, (", ".join(texts),) if label in shared else tuple(texts))
        for label, texts in texts_of.items()
    ]


Tree: TypeAlias = "dict[str, Field[Any] | Tree]"  # keys of an object, in order
LEFT_OUT: Final = ("strides",)  # keys that are left out where they are unknown
_PLAIN: Final = frozenset((str, int, float, bool, type(None)))


def tree(fields: Iterable[Field[Any]]) -> Tree:
    """The objects of the JSON by the fields' keys."""
    root: Tree = {}
    for field in of_place(fields, "json"):
        *path, last = field.key.split(".")
        branch: Any = root
        for part in path:
            branch = branch.setdefault(part, {})
        branch[last] = field
    return root


class Objects:
    """The document of an item.

    `there` has, for an object that may be null (`time`), a value that is None where it is null.
    """

    def __init__(self, fields: Iterable[Field[Any]], there: Mapping[str, Value[Any]]) -> None:
        self._there, self._tree = there, tree(fields)

    def of(self, subject: Subject, item: Any) -> dict[str, JsonValue]:
        """The document of one item."""
        return self._object(self._tree, "", subject, item)

    def part(self, subject: Subject, item: Any, key: str) -> Any:
        """What stands at one key of it."""
        return self._object({key: self._tree[key]}, "", subject, item)[key]

    def _object(self, keys: Tree, path: str, subject: Subject, item: Any) -> dict[str, JsonValue]:
        made: dict[str, JsonValue] = {}
        for key, branch in keys.items():
            if isinstance(branch, dict):
                there = self._there.get(path + key)
                known = there is None or there(subject, item) is not None
                inner = self._object(branch, f"{path}{key}.", subject, item) if known else None
                made[key] = inner
            else:
                value = branch.value(subject, item)
                made[key] = value if type(value) in _PLAIN else plain(value)
        return made


def plain(value: Any) -> JsonValue:
    """Records as objects, tuples as lists."""
    if type(value) in _PLAIN:
        return value  # type: ignore[no-any-return]
    if isinstance(value, Tensor):
        return _tensor(value)
    if isinstance(value, Mapping):
        return {key: plain(each) for key, each in value.items()}
    if names := getattr(value, "_fields", None):
        return {name: plain(each) for name, each in zip(names, value)}
    return [plain(each) for each in value]


def picked(value: Any, *names: str) -> dict[str, JsonValue]:
    """The values of these names, as an object."""
    return {name: plain(getattr(value, name)) for name in names}


def _tensor(tensor: Tensor) -> JsonValue:
    """Written out: there are many. TensorRT-RTX alone prints strides."""
    keys: dict[str, JsonValue] = {
        "name": tensor.name,
        "dtype": tensor.dtype,
        "dims": tensor.dims,
        "shape": list(tensor.shape),
        "format": tensor.format,
    }
    if tensor.strides is not None:
        keys["strides"] = tensor.strides
    return keys
