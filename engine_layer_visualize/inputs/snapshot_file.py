"""What the command `snapshot` writes, in; the `Snapshot` out.

A file is taken whole or not at all: a baseline of which a part is missing would let an engine pass.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Final, NoReturn

from engine_layer_visualize.core.problems import Place, Problem, ReadError
from engine_layer_visualize.core.snapshot import (
    KINDS,
    Conditions,
    Coverage,
    Kind,
    LayerGroup,
    Run,
    Snapshot,
)
from engine_layer_visualize.io.json_stream import finite
from engine_layer_visualize.io.source import MAX_WHOLE, Source

_OURS: Final = re.compile(rb'\s*\{\s*"schema"\s*:')
_SCHEMA: Final = 1
_HINT: Final = "write it with `snapshot --log_file old.log --output baseline.json`"


def sniff(head: bytes) -> bool:
    """Whether this is a JSON document of this program, which no log is."""
    return _OURS.match(head) is not None


def read(path: str | Path) -> Snapshot:
    """Raises ReadError (ELV705, ELV109, ELV401)."""
    source = Source(path, max_line=MAX_WHOLE)
    return of_text(source.text(), source.name)


def of_text(text: str, file: str) -> Snapshot:
    """The same of a text. Raises ReadError (ELV705)."""
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
        if _Object(document, "the document").value("schema") != _SCHEMA:
            _wrong(f"of schema {document['schema']!r:.20}, and not {_SCHEMA}")
        return _snapshot(_Object(document, "the document").object("snapshot"))
    except _WrongError as wrong:
        message = f"no snapshot that can be used: {wrong}"
        raise ReadError(Problem(Place(file, 1), "ELV705", message), _HINT) from None


class _WrongError(Exception):
    pass


def _wrong(why: str) -> NoReturn:
    raise _WrongError(why)


class _Object:
    """An object of the document; `what` it is called. What asks it for a value raises."""

    def __init__(self, value: Any, what: str) -> None:
        if not isinstance(value, dict):
            _wrong(f"{what} is no object")
        self._value, self._what = value, what

    def value(self, key: str) -> Any:
        if key not in self._value:
            _wrong(f"{self._what} has no `{key}`")
        return self._value[key]

    def object(self, key: str) -> _Object:
        return _Object(self.value(key), f"`{key}`")

    def text(self, key: str) -> str:
        found = self.value(key)
        return found if isinstance(found, str) else self._not("a text", key)

    def known(self, key: str) -> str | None:
        return None if self.value(key) is None else self.text(key)

    def has(self, key: str) -> bool:
        """Whether it is there: what an older file may lack."""
        return key in self._value

    def count(self, key: str) -> int:
        return self._count(self.value(key), key)

    def number(self, key: str) -> float:
        return self._number(self.value(key), key)

    def values(self, key: str) -> list[Any]:
        found = self.value(key)
        return found if isinstance(found, list) else self._not("a list", key)

    def objects(self, key: str) -> list[_Object]:
        return [_Object(one, f"an element of `{key}`") for one in self.values(key)]

    def texts(self, key: str) -> tuple[str, ...]:
        found = self.values(key)
        return tuple(one if isinstance(one, str) else self._not("texts", key) for one in found)

    def counts(self, key: str, least: int = 0) -> tuple[int, ...]:
        return tuple(self._count(one, key, least) for one in self.values(key))

    def measured(self, key: str) -> float | None:
        return None if self.value(key) is None else self.number(key)

    def times(self, key: str) -> tuple[float | None, ...]:
        return tuple(None if one is None else self._number(one, key) for one in self.values(key))

    def deviations(self, key: str) -> tuple[float, ...]:
        found = self.values(key)
        signs = [-1 if isinstance(one, (int, float)) and one < 0 else 1 for one in found]
        return tuple(
            sign * self._number(-one if sign < 0 else one, key)
            for sign, one in zip(signs, found, strict=True)
        )

    def _count(self, value: Any, key: str, least: int = 0) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            self._not(f"a whole number from {least} on", key)
        return int(value)

    def _number(self, value: Any, key: str) -> float:
        found = finite(value)
        return self._not("a number from 0 on", key) if found is None else found

    def _not(self, wanted: str, key: str) -> NoReturn:
        _wrong(f"`{key}` of {self._what} is not {wanted}")


def _snapshot(found: _Object) -> Snapshot:
    told = found.object("conditions")
    profiles = tuple(map(_run, found.objects("profiles")))
    return Snapshot(
        found.text("file"),
        found.count("engine"),
        Conditions(
            told.known("tensorrt"),
            told.known("device"),
            told.measured("compute_clock_ghz"),
            told.measured("memory_clock_ghz"),
            told.known("batch"),
            told.known("optimization_profile"),
            told.known("statistic"),
        ),
        found.count("layers"),
        found.count("reformats"),
        tuple((one.text("part"), one.count("bytes")) for one in found.objects("memory")),
        tuple(map(_run, found.objects("runs"))),
        profiles,
        tuple(_group(one, len(profiles)) for one in found.values("groups")),
        tuple((one.text("code"), one.count("count")) for one in found.objects("findings")),
        _coverage(found, len(profiles)),
        tuple((one.text("code"), one.text("message")) for one in _added(found, "unfit")),
    )


def _added(found: _Object, key: str) -> list[_Object]:
    """Of a key that files of older versions do not have."""
    return found.objects(key) if found.has(key) else []


def _coverage(found: _Object, runs: int) -> tuple[Coverage, ...]:
    each = _added(found, "coverage")
    if len(each) not in (0, runs):
        _wrong(f"`coverage` has {len(each)} values, and there are {runs} profiles")
    return tuple(
        Coverage(one.count("timed"), one.count("layers"), one.number("part")) for one in each
    )


def _run(found: _Object) -> Run:
    digest = found.text("digest")
    drift = found.number("drift") if found.has("drift") else 0.0
    return Run(
        found.text("file"), found.number("ms"), found.deviations("off"), _kind(found), digest, drift
    )


def _kind(found: _Object) -> Kind:
    text = found.text("kind")
    return next((kind for kind in KINDS if kind == text), None) or _wrong(
        f"no kind of times {text!r:.40}; there are {', '.join(KINDS)}"
    )


def _group(row: Any, runs: int) -> LayerGroup:
    keys = LayerGroup._fields
    if not isinstance(row, list) or len(row) != len(keys):
        _wrong(f"a group is no list of {', '.join(keys)}")
    found = _Object(dict(zip(keys, row, strict=True)), "a group")
    ms = found.times("ms")
    if len(ms) != runs:
        _wrong(f"`ms` of a group has {len(ms)} values, and there are {runs} profiles")
    return LayerGroup(
        found.texts("nodes"),
        found.texts("names"),
        found.counts("layers"),
        found.known("operator"),
        found.counts("output", least=-1),
        ms,
    )
