"""Takes the texts out of a Jupyter notebook that its cells printed.

What no cell printed becomes an empty line, so that each line keeps its number. Of a notebook
without indentation the lines are those that its cells printed.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from typing import Any, Final

from engine_layer_visualize.core.numbers import lazy
from engine_layer_visualize.core.problems import Place, Problem, ReadError
from engine_layer_visualize.io.source import Span, decode

# e.g. (nbformat 4) { "cells": [
_BEGINS: Final = lazy(rb'\s{0,99}\{\s{0,99}"(?:cells|metadata|nbformat)"\s{0,9}:')
_CELL: Final = b'"cell_type"'
# How Jupyter writes what a cell printed: a line for each line.
# e.g. (nbformat 4) "text": [
_TEXT: Final = lazy(rb'\s{0,99}"text(?:/plain)?": \[\s*')
# e.g. (nbformat 4) "[V] [TRT] Original: 25 layers\n",
_LINE: Final = lazy(rb'\s{0,99}("(?:[^"\\]|\\.)*"),?\s*')
MOST: Final = 64 << 20  # bytes of one without indentation, which is read as one text


def is_notebook(head: bytes) -> bool:
    """Whether a file that begins so is a notebook."""
    return _BEGINS.match(head) is not None and _CELL in head


def printed_by_notebook(spans: Iterator[Span]) -> Iterator[Span]:
    """The lines that cells printed, in their places."""
    first = next(spans)
    spans = itertools.chain([first], spans)
    if _CELL in first.data.partition(b"\n")[0]:
        yield _unindented(spans)
        return
    inside = False
    for span in spans:
        lines = span.data.split(b"\n")
        for number, line in enumerate(lines):
            match = _LINE.fullmatch(line) if inside else None
            if match is None and line.strip():
                inside = _TEXT.fullmatch(line) is not None
            lines[number] = b"" if match is None else _text(match[1])
        data = b"\n".join(lines)
        yield Span(span.line, data, 0, len(data), None, span.data)


def without_lines(name: str) -> ReadError:
    """ELV402, of a notebook without outputs, one that is cut, or a large one without line ends."""
    message = "a notebook of which no printed line can be read: none is in it, or it is cut"
    hint = (
        "save it with Jupyter, which gives each printed line a line of the file, or give what the "
        "build printed as a text file"
    )
    return ReadError(Problem(Place(name, 1), "ELV402", message), hint)


def _text(quoted: bytes) -> bytes:
    """What a JSON string holds, as one line."""
    try:
        text = json.loads(quoted, strict=False)
    except ValueError:  # a broken escape, or bytes that are no text
        return quoted[1:-1]
    return str(text).encode("utf-8", "surrogatepass").removesuffix(b"\n").replace(b"\n", b" ")


def _unindented(spans: Iterator[Span]) -> Span:
    """What all cells printed; nothing where the notebook cannot be read."""
    parts, size = [], 0
    for span in spans:
        parts.append(span.data)
        size += len(parts[-1])
        if size > MOST:
            break
    try:
        document = None if size > MOST else json.loads(decode(b"".join(parts)), strict=False)
    except (ValueError, RecursionError):
        document = None
    told = "".join(_outputs(document)) if isinstance(document, dict) else ""
    data = told.encode("utf-8", "surrogatepass")
    return Span(1, data, 0, len(data), None, parts[0])


def _outputs(document: dict[str, Any]) -> Iterator[str]:
    """The texts, each with a newline at its end."""
    for cell in _dicts(document.get("cells")):
        for output in _dicts(cell.get("outputs")):
            for texts_of in (output, *_dicts([output.get("data")])):
                for key in ("text", "text/plain"):
                    value = texts_of.get(key, "")
                    texts = value if isinstance(value, list) else [value]
                    text = "".join(part for part in texts if isinstance(part, str))
                    yield text if text.endswith("\n") or not text else f"{text}\n"


def _dicts(value: object) -> list[dict[str, Any]]:
    """The objects in a list; none of what is no list."""
    entries = value if isinstance(value, list) else []
    return [entry for entry in entries if isinstance(entry, dict)]
