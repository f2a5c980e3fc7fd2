"""Reads the file that `gate --save` writes.

A file is taken whole or not at all: a baseline of which a part is missing would let an engine pass.
"""

import json
import re
import typing
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import NoneType
from typing import Any, Final, Literal

from engine_layer_visualize.core.problems import Place, Problem, ReadError
from engine_layer_visualize.core.snapshot import MIN_ITERATIONS, Conditions, GateRun, Snapshot
from engine_layer_visualize.io.json_stream import finite
from engine_layer_visualize.io.source import Source

_OURS: Final = re.compile(rb'\s*\{\s*"schema"\s*:')
# What files of earlier versions do not tell of a run; they had to have enough iterations.
_EARLIER: Final[dict[type, dict[str, Any]]] = {
    GateRun: {"iterations": MIN_ITERATIONS, "mean": None, "p99": None},
    Conditions: {"streams": None, "graph": None},
}
_BASELINE: Final = re.compile(rb'\{"schema": \d+, "snapshot": \{')
_HINT: Final = "write it with `gate --save baseline.json old.log`; BASE from a pipe must be one"
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
    known = document if isinstance(document, dict) else {}
    if known.get("schema") != _SCHEMA:
        raise _WrongError(f"of schema {known.get('schema')!r:.20}, and not {_SCHEMA}")
    return _checked(_value(Snapshot, known.get("snapshot"), "snapshot"))


# ---- what stands in a file ---------------------------------------------------------------------

_ROWS: Final = ("kinds", "tensors", "listing", "edges")  # keys; each row is a list of its values


class _WrongError(Exception):
    pass


def _not_ours(key: str) -> _WrongError:
    return _WrongError(f"its `{key}` is not as `gate --save` writes it")


_hints: Final[Callable[[type], dict[str, Any]]] = cache(typing.get_type_hints)


def _value(hint: Any, value: Any, key: str) -> Any:
    """The value of a key, as a type hint wants it; `...`: the key is not there."""
    origin, choices = typing.get_origin(hint), typing.get_args(hint)
    if NoneType in choices:
        return None if value is None else _value(choices[0], value, key)
    if origin is tuple and isinstance(value, list):
        return tuple(_value(choices[0], each, key) for each in value)
    if hasattr(hint, "_fields"):
        hints = _hints(hint)
        if key in _ROWS and isinstance(value, list) and len(value) == len(hints):
            value = dict(zip(hints, value))
        if isinstance(value, dict):
            known = {**_EARLIER.get(hint, {}), **value}
            return hint(*(_value(of, known.get(name, ...), name) for name, of in hints.items()))
    if hint is float and (number := finite(value)) is not None:
        return number
    is_whole = hint is int and type(value) is int and value >= 0
    is_plain = hint in (str, bool) and isinstance(value, hint)
    if is_whole or is_plain or (origin is Literal and value in choices):
        return value
    raise _not_ours(key)


def _checked(found: Snapshot) -> Snapshot:
    """The snapshot, whose numbers are of what there is."""
    rows, tensors, runs = found.listing, len(found.tensors), len(found.profiles)
    wrong = {
        "layers": found.layers != len(rows),
        "kind": any(row.kind >= len(found.kinds) for row in rows),
        "inputs": any(at >= tensors for row in rows for at in row.inputs),
        "outputs": any(at >= tensors for row in rows for at in row.outputs),
        "ms": any(len(row.ms) != runs for row in rows),
        "edges": any(max(edge.source, edge.target or 0) >= len(rows) for edge in found.edges),
        "coverage": len(found.coverage) != runs,
    }
    for key in (key for key, is_wrong in wrong.items() if is_wrong):
        raise _not_ours(key)
    return found
