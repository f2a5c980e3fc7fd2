"""Reads the file that the command `snapshot` writes.

A file is taken whole or not at all: a baseline of which a part is missing would let an engine pass.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, NoReturn, TypeVar

from engine_layer_visualize.core.build_info import LayerFacts
from engine_layer_visualize.core.model import JsonValue, Layer, Tensor
from engine_layer_visualize.core.problems import Place, Problem, ReadError
from engine_layer_visualize.core.snapshot import (
    KEPT_WEIGHTS,
    KINDS,
    NODES_FROM,
    NOWHERE,
    Conditions,
    Coverage,
    GateRun,
    Snapshot,
    kept_tensor,
)
from engine_layer_visualize.io.json_stream import finite
from engine_layer_visualize.io.source import MAX_WHOLE, Source

_OURS: Final = re.compile(rb'\s*\{\s*"schema"\s*:')
_SCHEMAS: Final = (1, 2)
_MAX_LAYERS: Final = 1_000_000  # of an older file, which says how many without listing them
_HINT: Final = "write it with `snapshot --log_file old.log --output baseline.json`"
_TYPES: Final = {"product": "MatMul", None: "Shuffle"}  # where an operator's word is no type
Value = TypeVar("Value")
Reader = Callable[[Any], Value]


def sniff(head: bytes) -> bool:
    """Whether this is a JSON document of this program, which no log is."""
    return _OURS.match(head) is not None


def read(path: str | Path) -> Snapshot:
    """Reads a file.

    Raises:
        ReadError: it is no snapshot (ELV705), or cannot be read (ELV109, ELV401).
    """
    source = Source(path, max_line=MAX_WHOLE)
    return of_text(source.text(), source.name)


def of_text(text: str, file: str) -> Snapshot:
    """Reads the text of a file.

    Raises:
        ReadError: it is no snapshot (ELV705).
    """
    try:
        document: Any = json.loads(text)
    except json.JSONDecodeError as error:
        place = Place(file, error.lineno, error.colno)
        message = f"no snapshot: not JSON: {error.msg.lower()}"
        raise ReadError(Problem(place, "ELV705", message), _HINT) from None
    except (ValueError, RecursionError):
        message = "no snapshot: nested too deeply, or a number too long"
        raise ReadError(Problem(Place(file, 1), "ELV705", message), _HINT) from None
    try:
        whole = _Object(document, "the document")
        schema = whole.get("schema", lambda value: value)
        if schema not in _SCHEMAS or isinstance(schema, bool):
            _wrong(f"of schema {schema!r:.20}, and not {' or '.join(map(str, _SCHEMAS))}")
        return _snapshot(whole.object("snapshot"), of_groups=schema == 1)
    except _WrongError as wrong:
        message = f"no snapshot that can be used: {wrong}"
        raise ReadError(Problem(Place(file, 1), "ELV705", message), _HINT) from None


# ---- values of a document ----------------------------------------------------------------------


class _WrongError(Exception):
    pass


def _wrong(why: str) -> NoReturn:
    raise _WrongError(why)


class _Object:
    """An object of the document; `what` it is called in messages."""

    def __init__(self, value: Any, what: str) -> None:
        if not isinstance(value, dict):
            _wrong(f"{what} is no object")
        self._value, self._what = value, what

    def get(self, key: str, read: Reader[Value]) -> Value:
        """The value of a key, as `read` takes it, which raises ValueError with what is wanted."""
        if key not in self._value:
            _wrong(f"{self._what} has no `{key}`")
        try:
            return read(self._value[key])
        except ValueError as wanted:
            return _wrong(f"`{key}` of {self._what} is not {wanted}")

    def added(self, key: str, read: Reader[Value], instead: Value) -> Value:
        """The value of a key that may be missing."""
        return self.get(key, read) if key in self._value else instead

    def object(self, key: str) -> _Object:
        return _Object(self.get(key, lambda value: value), f"`{key}`")

    def objects(self, key: str, added: bool = False) -> list[_Object]:
        values = self.added(key, _list, []) if added else self.get(key, _list)
        return [_Object(value, f"an element of `{key}`") for value in values]


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError("a text")
    return value


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise ValueError("a list")
    return value


def _yes(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError("true or false")
    return value


def _number(value: Any) -> float:
    if (number := finite(value)) is None:
        raise ValueError("a number from 0 on")
    return number


def _deviation(value: Any) -> float:
    below = isinstance(value, (int, float)) and value < 0
    return -_number(-value) if below else _number(value)


def _count(value: Any) -> int:
    return _integer(value, 0)


def _integer(value: Any, least: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise ValueError(f"a whole number from {least} on")
    return value


def _below(number: int, what: str) -> Reader[int]:
    """Of a number that counts layers or tensors from 0."""

    def index(value: Any) -> int:
        if _count(value) >= number:
            raise ValueError(f"one of the {number} {what}")
        return int(value)

    return index


def _known(read: Reader[Value]) -> Reader[Value | None]:
    return lambda value: None if value is None else read(value)


def _each(read: Reader[Value]) -> Reader[tuple[Value, ...]]:
    return lambda values: tuple(map(read, _list(values)))


def _among(words: tuple[Value, ...]) -> Reader[Value]:
    def word(value: Any) -> Value:
        if value not in words:
            raise ValueError(f"one of {', '.join(map(str, words))}")
        return words[words.index(value)]

    return word


_TIMES: Final = _each(_known(_number))


# ---- a snapshot --------------------------------------------------------------------------------


def _snapshot(found: _Object, of_groups: bool) -> Snapshot:
    told = found.object("conditions")
    text, number = _known(_text), _known(_number)
    profiles = tuple(map(_run, found.objects("profiles")))
    coverage = found.objects("coverage", added=True)
    if len(coverage) not in (0, len(profiles)):
        _wrong(f"`coverage` has {len(coverage)} values, and there are {len(profiles)} profiles")
    layers, edges, times = (_grouped if of_groups else _listed)(found, len(profiles))
    return Snapshot(
        found.get("file", _text),
        found.get("engine", _count),
        Conditions(
            told.get("tensorrt", text),
            told.get("device", text),
            told.get("compute_clock_ghz", number),
            told.get("memory_clock_ghz", number),
            told.get("batch", text),
            told.get("optimization_profile", text),
            told.get("statistic", text),
        ),
        found.get("reformats", _count),
        tuple(
            (part.get("part", _text), part.get("bytes", _count)) for part in found.objects("memory")
        ),
        tuple(map(_run, found.objects("runs"))),
        profiles,
        layers,
        edges,
        times,
        tuple(
            (each.get("code", _text), each.get("count", _count))
            for each in found.objects("findings")
        ),
        tuple(
            Coverage(
                each.get("timed", _count), each.get("layers", _count), each.get("part", _number)
            )
            for each in coverage
        ),
        tuple(
            (each.get("code", _text), each.get("message", _text))
            for each in found.objects("unfit", added=True)
        ),
    )


def _run(found: _Object) -> GateRun:
    kind = found.get("kind", _text)
    if kind not in KINDS:
        _wrong(f"no kind of times {kind!r:.40}; there are {', '.join(KINDS)}")
    return GateRun(
        found.get("file", _text),
        found.get("ms", _number),
        found.get("off", _each(_deviation)),
        KINDS[KINDS.index(kind)],
        found.get("digest", _text),
        found.added("drift", _number, 0.0),
    )


_Described = tuple[
    "tuple[Layer, ...]",
    "tuple[tuple[int, int | None], ...]",
    "tuple[tuple[float | None, ...], ...]",
]  # layers, edges, times of each profile


def _listed(found: _Object, runs: int) -> _Described:
    """The listing of an engine."""
    tensors = [
        kept_tensor(row.get("name", _text), row.get("dtype", _known(_text)), row.get("dims", _text))
        for row in _rows(found, "tensors", "name", "dtype", "dims")
    ]
    columns = ("type", "weights", "operation", "listed", "opaque")
    kinds = [_kind(row) for row in _rows(found, "kinds", *columns)]
    rows = _rows(found, "listing", "kind", "name", "inputs", "outputs", "ms", "nodes", "nodes_from")
    if found.get("layers", _count) != len(rows):
        _wrong(f"`layers` is not {len(rows)}, the number of layers in `listing`")
    index = _below(len(rows), "layers")
    edges = tuple(
        (row.get("source", index), row.get("target", _known(index)))
        for row in _rows(found, "edges", "source", "target")
    )
    layers = tuple(_layer(number, row, kinds, tensors) for number, row in enumerate(rows))
    return layers, edges, _by_run([_timed(row, runs, "a layer") for row in rows], runs)


def _kind(row: _Object) -> Layer:
    """A layer of this kind, without what makes it one of several."""
    weights = row.get("weights", _known(_each(_known(_text))))
    operation = row.get("operation", _known(_text))
    attributes: list[tuple[str, JsonValue]] = []
    if weights is not None:
        attributes.append((KEPT_WEIGHTS, list(weights)))
    if operation is not None:
        attributes.append(("ParameterType", operation))
    return replace(
        _bare(0, row.get("type", _text), ""),
        attributes=tuple(attributes),
        listed=row.get("listed", _yes),
        raw="" if row.get("opaque", _yes) else None,
    )


def _layer(index: int, row: _Object, kinds: list[Layer], tensors: list[Tensor]) -> Layer:
    which = _each(_below(len(tensors), "tensors"))
    nodes, facts = row.get("nodes", _each(_text)), None
    if nodes:
        facts = LayerFacts(
            onnx_nodes=nodes, onnx_nodes_from=row.get("nodes_from", _among(NODES_FROM))
        )
    return replace(
        kinds[row.get("kind", _below(len(kinds), "kinds"))],
        index=index,
        name=row.get("name", _text),
        inputs=tuple(tensors[i] for i in row.get("inputs", which)),
        outputs=tuple(tensors[i] for i in row.get("outputs", which)),
        facts=facts,
    )


def _grouped(found: _Object, runs: int) -> _Described:
    """What schema 1 knows of an engine: groups of layers that ONNX nodes join.

    The first layer of a group has its nodes, its work and its time; the others serve it.
    """
    number = found.get("layers", _count)
    if number > _MAX_LAYERS:
        _wrong(f"`layers` is more than {_MAX_LAYERS:,}")
    index = _each(_below(number, "layers"))
    layers = [_bare(at, "Constant", "") for at in range(number)]
    times: list[tuple[float | None, ...]] = [(None,) * runs] * number
    edges: list[tuple[int, int | None]] = []
    for row in _rows(found, "groups", "nodes", "names", "layers", "operator", "output", "ms"):
        nodes, names = row.get("nodes", _each(_text)), row.get("names", _each(_text))
        operator = row.get("operator", _known(_text))
        shape = row.get("output", _each(lambda value: _integer(value, -1)))
        ms = _timed(row, runs, "a group")
        main, *others = row.get("layers", index) or _wrong("`layers` of a group is empty")
        written = kept_tensor("", None, ",".join(map(str, (1, *shape))))
        layers[main] = _bare(
            main,
            _TYPES.get(operator, operator or ""),
            (*nodes, *names, "")[0],
            (written,),
            LayerFacts(onnx_nodes=nodes, onnx_nodes_from="graph") if nodes else None,
        )
        times[main] = ms
        for other in others:
            layers[other] = _bare(other, "NoOp", "")
            edges.append((other, main))
    return tuple(layers), tuple(edges), _by_run(times, runs)


def _bare(
    index: int,
    type: str,
    name: str,
    outputs: tuple[Tensor, ...] = (),
    facts: LayerFacts | None = None,
) -> Layer:
    return Layer(index, NOWHERE, type, name, None, (), outputs, facts=facts)


def _rows(found: _Object, key: str, *names: str) -> list[_Object]:
    """Lists of values, which have these names."""
    what = f"a row of `{key}`" if key != "groups" else "a group"
    rows = found.get(key, _list)
    for row in rows:
        if not isinstance(row, list) or len(row) != len(names):
            _wrong(f"{what} is no list of {', '.join(names)}")
    return [_Object(dict(zip(names, row)), what) for row in rows]


def _timed(row: _Object, runs: int, what: str) -> tuple[float | None, ...]:
    ms = row.get("ms", _TIMES)
    if len(ms) != runs:
        _wrong(f"`ms` of {what} has {len(ms)} values, and there are {runs} profiles")
    return ms


def _by_run(
    times: list[tuple[float | None, ...]], runs: int
) -> tuple[tuple[float | None, ...], ...]:
    return tuple(tuple(ms[run] for ms in times) for run in range(runs))
