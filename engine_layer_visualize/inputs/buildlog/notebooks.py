"""Reads the log out of a Jupyter notebook: the texts that its cells printed.

Spans of the notebook's lines go in; spans of the same number of lines come out, so that each keeps
its number. What no cell printed becomes an empty line.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Final

from engine_layer_visualize.core.problems import Place, Problem, ReadError
from engine_layer_visualize.io.source import Span

# e.g. (nbformat 4) { "cells": [
_BEGINS: Final = re.compile(rb'\s{0,99}\{\s{0,99}"(?:cells|metadata|nbformat)"\s{0,9}:')
_CELL: Final = b'"cell_type"'
# How Jupyter writes what a cell printed: a line for each line.
# e.g. (nbformat 4) "text": [
_TEXT: Final = re.compile(rb'\s{0,99}"text(?:/plain)?": \[\s*')
# e.g. (nbformat 4) "[V] [TRT] Original: 25 layers\n",
_LINE: Final = re.compile(rb'\s{0,99}("(?:[^"\\]|\\.)*"),?\s*')


def is_notebook(head: bytes) -> bool:
    """Whether a file that begins so is a notebook."""
    return _BEGINS.match(head) is not None and _CELL in head


def printed(spans: Iterator[Span]) -> Iterator[Span]:
    """The lines that cells printed, in their places."""
    inside = False
    for span in spans:
        lines = span.data.split(b"\n")
        for at, line in enumerate(lines):
            match = _LINE.fullmatch(line) if inside else None
            if match is None and line.strip():
                inside = _TEXT.fullmatch(line) is not None
            lines[at] = b"" if match is None else _text(match[1])
        data = b"\n".join(lines)
        yield Span(span.line, data, 0, len(data), None, span.data)


def without_lines(name: str) -> ReadError:
    """ELV402, of a notebook that is not laid out as Jupyter does it."""
    message = "a notebook of which no printed line can be read"
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
