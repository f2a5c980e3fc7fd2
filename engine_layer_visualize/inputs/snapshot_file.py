"""Reads the file that the command `snapshot` writes.

It is taken whole or not at all: a baseline of which a part is missing would let an engine pass.
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
    """Reads a file. Raises ReadError (ELV705, ELV109, ELV401)."""
    source = Source(path, max_line=MAX_WHOLE)
    return of_text(source.text(), source.name)


def of_text(text: str, file: str) -> Snapshot:
    """Reads the text of a file. Raises ReadError (ELV705)."""
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
        value = self.value(key)
        return value if isinstance(value, str) else self._not("a text", key)

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
        value = self.value(key)
        return value if isinstance(value, list) else self._not("a list", key)

    def objects(self, key: str) -> list[_Object]:
        return [_Object(value, f"an element of `{key}`") for value in self.values(key)]

    def texts(self, key: str) -> tuple[str, ...]:
        values = self.values(key)
        return tuple(
            value if isinstance(value, str) else self._not("texts", key) for value in values
        )

    def counts(self, key: str, least: int = 0) -> tuple[int, ...]:
        return tuple(self._count(value, key, least) for value in self.values(key))

    def measured(self, key: str) -> float | None:
        return None if self.value(key) is None else self.number(key)

    def times(self, key: str) -> tuple[float | None, ...]:
        return tuple(
            None if value is None else self._number(value, key) for value in self.values(key)
        )

    def deviations(self, key: str) -> tuple[float, ...]:
        values = self.values(key)
        signs = [-1 if isinstance(value, (int, float)) and value < 0 else 1 for value in values]
        return tuple(
            sign * self._number(-value if sign < 0 else value, key)
            for sign, value in zip(signs, values, strict=True)
        )

    def _count(self, value: Any, key: str, least: int = 0) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            self._not(f"a whole number from {least} on", key)
        return int(value)

    def _number(self, value: Any, key: str) -> float:
        number = finite(value)
        return self._not("a number from 0 on", key) if number is None else number

    def _not(self, wanted: str, key: str) -> NoReturn:
        _wrong(f"`{key}` of {self._what} is not {wanted}")


def _snapshot(document: _Object) -> Snapshot:
    told = document.object("conditions")
    profiles = tuple(map(_run, document.objects("profiles")))
    return Snapshot(
        document.text("file"),
        document.count("engine"),
        Conditions(
            told.known("tensorrt"),
            told.known("device"),
            told.measured("compute_clock_ghz"),
            told.measured("memory_clock_ghz"),
            told.known("batch"),
            told.known("optimization_profile"),
            told.known("statistic"),
        ),
        document.count("layers"),
        document.count("reformats"),
        tuple((part.text("part"), part.count("bytes")) for part in document.objects("memory")),
        tuple(map(_run, document.objects("runs"))),
        profiles,
        tuple(_group(row, len(profiles)) for row in document.values("groups")),
        tuple((entry.text("code"), entry.count("count")) for entry in document.objects("findings")),
        _coverage(document, len(profiles)),
        tuple((entry.text("code"), entry.text("message")) for entry in _added(document, "unfit")),
    )


def _added(document: _Object, key: str) -> list[_Object]:
    """The objects of a key that files of older versions do not have."""
    return document.objects(key) if document.has(key) else []


def _coverage(document: _Object, runs: int) -> tuple[Coverage, ...]:
    each = _added(document, "coverage")
    if len(each) not in (0, runs):
        _wrong(f"`coverage` has {len(each)} values, and there are {runs} profiles")
    return tuple(
        Coverage(entry.count("timed"), entry.count("layers"), entry.number("part"))
        for entry in each
    )


def _run(run: _Object) -> Run:
    digest = run.text("digest")
    drift = run.number("drift") if run.has("drift") else 0.0
    return Run(run.text("file"), run.number("ms"), run.deviations("off"), _kind(run), digest, drift)


def _kind(run: _Object) -> Kind:
    text = run.text("kind")
    return next((kind for kind in KINDS if kind == text), None) or _wrong(
        f"no kind of times {text!r:.40}; there are {', '.join(KINDS)}"
    )


def _group(row: Any, runs: int) -> LayerGroup:
    keys = LayerGroup._fields
    if not isinstance(row, list) or len(row) != len(keys):
        _wrong(f"a group is no list of {', '.join(keys)}")
    group = _Object(dict(zip(keys, row, strict=True)), "a group")
    ms = group.times("ms")
    if len(ms) != runs:
        _wrong(f"`ms` of a group has {len(ms)} values, and there are {runs} profiles")
    return LayerGroup(
        group.texts("nodes"),
        group.texts("names"),
        group.counts("layers"),
        group.known("operator"),
        group.counts("output", least=-1),
        ms,
    )
