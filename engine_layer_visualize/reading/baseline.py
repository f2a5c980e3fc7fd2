"""Reads the file that `gate --save` writes.

A file is taken whole or not at all: a baseline of which a part is missing would let an engine pass.
"""

import json
import re
import typing
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from types import NoneType
from typing import Any, Final, Literal, NoReturn, TypeVar

from engine_layer_visualize.core.problems import Place, Problem, ReadError
from engine_layer_visualize.core.snapshot import MIN_ITERATIONS, GateRun, Snapshot
from engine_layer_visualize.io.json_stream import finite
from engine_layer_visualize.io.source import Source

_OURS: Final = re.compile(rb'\s*\{\s*"schema"\s*:')
# What files of earlier versions do not tell of a run; they had to have enough iterations.
_EARLIER: Final[dict[type, dict[str, Any]]] = {
    GateRun: {"iterations": MIN_ITERATIONS, "mean": None, "p99": None}
}
_BASELINE: Final = re.compile(rb'\{"schema": \d+, "snapshot": \{')
_HINT: Final = "write it with `gate --save baseline.json old.log`"
Record = TypeVar("Record")
_SCHEMA: Final = 2


def is_document(path: str | Path) -> bool:
    """Whether a file is a JSON document of this program, which no log is."""
    return _begins(path, _OURS)


def is_one(path: str | Path) -> bool:
    """Whether a file was written as a baseline, of whatever schema."""
    return _begins(path, _BASELINE)


def _begins(path: str | Path, pattern: re.Pattern[bytes]) -> bool:
    try:
        return pattern.match(Source(path).head()) is not None
    except ReadError:  # the reader of logs says so
        return False


def read(path: str | Path) -> Snapshot:
    """Reads a file. Raises ReadError: no snapshot (ELV705), or not read (ELV109, ELV401)."""
    source = Source(path)
    return of_text(source.text(), source.name)


def of_text(text: str, file: str) -> Snapshot:
    """Reads the text of a file. Raises ReadError (ELV705): it is no snapshot."""
    place = Place(file, 1)
    try:
        return _document(json.loads(text))
    except json.JSONDecodeError as error:
        place = Place(file, error.lineno, error.colno)
        why = f": not JSON: {error.msg.lower()}"
    except (ValueError, RecursionError):
        why = ": nested too deeply, or a number too long"
    except _WrongError as wrong:
        why = f" that can be used: {wrong}"
    raise ReadError(Problem(place, "ELV705", f"no snapshot{why}"), _HINT)


def _document(document: Any) -> Snapshot:
    if not isinstance(document, dict):
        _wrong("the document is no object")
    for key in ("schema", "snapshot"):
        if key not in document:
            _wrong(f"the document has no `{key}`")
    if document["schema"] != _SCHEMA:
        _wrong(f"of schema {document['schema']!r:.20}, and not {_SCHEMA}")
    return _checked(_record(Snapshot, document["snapshot"], "`snapshot`"))


# ---- what stands in a file ---------------------------------------------------------------------

_ROWS: Final = ("kinds", "tensors", "listing", "edges")  # keys; each row is a list of its values


class _WrongError(Exception):
    pass


def _wrong(why: str) -> NoReturn:
    raise _WrongError(why)


_hints: Final[Callable[[type], dict[str, Any]]] = cache(typing.get_type_hints)


def _record(kind: type[Record], value: Any, what: str, *, is_row: bool = False) -> Record:
    """An object or a row, as a class wants it; `what` it is called."""
    hints = _hints(kind)
    if is_row:
        if not isinstance(value, list) or len(value) != len(hints):
            _wrong(f"{what} is no list of {', '.join(hints)}")
        value = dict(zip(hints, value))
    elif not isinstance(value, dict):
        _wrong(f"{what} is no object")
    value = {**_EARLIER.get(kind, {}), **value}
    if missing := [key for key in hints if key not in value]:
        _wrong(f"{what} has no `{missing[0]}`")
    return kind(**{key: _value(hint, value[key], key, what) for key, hint in hints.items()})


def _value(hint: Any, value: Any, key: str, what: str) -> Any:
    """The value of a key, as a type hint wants it."""
    choices = typing.get_args(hint)
    if NoneType in choices:
        return None if value is None else _value(choices[0], value, key, what)
    if typing.get_origin(hint) is Literal:
        if value in choices:
            return value
        times = " of times" if key == "kind" else ""
        _wrong(f"no {key}{times} {value!r:.40}; there are {', '.join(choices)}")
    if hasattr(hint, "_fields"):
        is_row = key in _ROWS
        one = "" if key == "conditions" else "a row of " if is_row else "an element of "
        return _record(hint, value, f"{one}`{key}`", is_row=is_row)
    if typing.get_origin(hint) is tuple:
        if isinstance(value, list):
            return tuple(_value(choices[0], each, key, what) for each in value)
        wanted = "a list"
    elif hint is int:
        if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
            return value
        wanted = "a whole number from 0 on"
    elif hint is float:
        if (number := finite(value)) is not None:
            return number
        wanted = "a number from 0 on"
    elif isinstance(value, hint):
        return value
    else:
        wanted = "a text" if hint is str else "true or false"
    return _wrong(f"`{key}` of {what} is not {wanted}")


def _checked(found: Snapshot) -> Snapshot:
    """The snapshot, whose numbers are of what there is."""
    number, runs = len(found.listing), len(found.profiles)
    if found.layers != number:
        _wrong(f"`layers` is not {number}, the number of layers in `listing`")
    for row in found.listing:
        _in_range("kind", [row.kind], len(found.kinds), "listing")
        _in_range("inputs", row.inputs, len(found.tensors), "listing")
        _in_range("outputs", row.outputs, len(found.tensors), "listing")
        if len(row.ms) != runs:
            _wrong(f"`ms` has {len(row.ms)} values, and there are {runs} profiles")
    for edge in found.edges:
        _in_range("source", [edge.source], number, "edges")
        _in_range("target", [] if edge.target is None else [edge.target], number, "edges")
    if len(found.coverage) != runs:
        _wrong(f"`coverage` has {len(found.coverage)} values, and there are {runs} profiles")
    return found


def _in_range(key: str, numbers: Sequence[int], size: int, rows: str) -> None:
    if any(number >= size for number in numbers):
        _wrong(f"`{key}` of a row of `{rows}` is not one of the {size} there are")
