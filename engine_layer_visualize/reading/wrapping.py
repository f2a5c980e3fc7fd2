"""Removes what other programs put around a log's lines: CR, prefixes, colours, a notebook.

What is left are the lines as TensorRT's own loggers print them.
"""

from __future__ import annotations

import itertools
import json
import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Final, NamedTuple

from engine_layer_visualize.core.numbers import lazy
from engine_layer_visualize.core.problems import Place, Problem, ReadError
from engine_layer_visualize.io.source import Span, decode, line_end, line_start
from engine_layer_visualize.reading import hosts
from engine_layer_visualize.reading.hosts import (
    LONGEST,
    OWN,
    OWN_WORDS,
    is_colored,
    shape_of_prefix,
    uncolored,
    unended,
)

_HEAD: Final = 1 << 20  # bytes by which it is decided how a log is wrapped
_JSON_HEAD: Final = 1 << 12  # and whether JSON is a notebook
_CRLF: Final = b"\r\n"
_DAY: Final = rb"\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)(?= +0)"
_MARKS: Final = (*hosts.LOGGERS, b"[V]", b"[I]", b"VERBOSE", b"Layer", b"Name: ")
_LOOKED_AT: Final = 64  # lines by which it is decided what stands before all of them
_MOST_HOSTS: Final = 4  # `stdout F ` and `stderr F ` are two


@lru_cache(maxsize=2)
def _lines(data: bytes) -> list[bytes]:
    """Cached, as `margin` is called for many lines of one span."""
    return data.split(b"\n") if data else []


def margin(span: Span, line: int) -> int:
    """How many characters were taken off the start of a line; 0 for one of another span."""
    number, lines = line - span.line, _lines(span.wrapped)
    if not 0 <= number < len(lines):
        return 0
    both = (unended(each.rstrip()) for each in (lines[number], _lines(span.buffer)[number]))
    before, after = (len(each.rstrip().decode(errors="replace")) for each in both)
    return before - after


def unwrapped(spans: Iterator[Span], in_notebook: bool = False) -> Iterator[Span]:
    """The lines without what was put around them; the log's beginning decides what that is.

    The spans of a wrapped log have no offset: the file holds other bytes.
    """
    held: list[Span] = []
    size = 0
    is_json = False  # its texts may hold all of this
    for span in spans:
        held.append(span)
        is_json = is_json or (not size and span.data[:64].lstrip().startswith(b"{"))
        size += span.stop - span.start
        if size >= (_JSON_HEAD if is_json else _HEAD):
            break
    head = b"".join(span.data for span in held)[:_HEAD]
    if is_json and not in_notebook and is_notebook(head):
        printed = printed_by_notebook(itertools.chain(held, spans))
        yield from unwrapped(printed, in_notebook=True)
        return
    wrapping = None if is_json else wrapping_of(head[: head.rfind(b"\n") + 1] or head)
    if wrapping is None:
        yield from held
        yield from spans
        return
    for span in itertools.chain(held, spans):
        data = span.data
        bare = wrapping.bare(data)
        yield Span(span.line, bare, 0, len(bare), None, data)


class Wrapping(NamedTuple):
    """`host`: what stands before each line, `logger`: another logger's words; or None.

    Both match behind a newline: all lines of a span are searched at once.
    """

    crlf: bool
    colors: bool
    host: re.Pattern[bytes] | None = None
    logger: re.Pattern[bytes] | None = None

    def bare(self, data: bytes) -> bytes:
        """The lines as they were printed."""
        if self.crlf:
            data = data.replace(_CRLF, b"\n")
        if self.colors:
            data = uncolored(data)
        if self.host is not None:
            data = self.host.sub(b"\n", b"\n" + data)[1:]
            if self.colors:  # the logger's, behind those of the host
                data = uncolored(data)
        if self.logger is not None:
            data = self.logger.sub(_usual, b"\n" + data)[1:]
        return data


def wrapping_of(head: bytes) -> Wrapping | None:
    """How the log is wrapped that begins so. `head`: whole lines."""
    crlf = _CRLF in head and _is_crlf(head)
    if crlf:
        head = head.replace(_CRLF, b"\n")
    colors = is_colored(head)
    if colors:
        head = uncolored(head)
    logger = _logger(head)
    # Before lines that begin with a logger's words there is no host's.
    others = head
    if logger is not None:
        others = b"\n".join(line for line in head.split(b"\n") if not logger.match(b"\n" + line))
    host = _host(others)
    if host is not None:
        logger = _logger(Wrapping(False, False, host).bare(head))
    wrapping = Wrapping(crlf, colors, host, logger)
    return None if wrapping == Wrapping(False, False) else wrapping


def _is_crlf(head: bytes) -> bool:
    """Whether lines end in CR LF. Those with a logger's words decide: a name may hold a CR."""
    word = re.compile(OWN_WORDS)
    lines = head.split(b"\n")[:-1]
    lines = [line for line in lines if word.search(line, 0, LONGEST)] or lines
    return sum(line.endswith(b"\r") for line in lines) * 2 > len(lines)


# ---- what stands before every line -------------------------------------------------------------


def _host(head: bytes) -> re.Pattern[bytes] | None:
    """Matches what another host than the logger put before its lines; None where none did."""
    if not any(mark in head for mark in _MARKS):  # a hundred times as fast as the pattern
        return None
    shapes: list[bytes] = []
    for words in sorted((words for words, _ in _before(head).most_common(_MOST_HOSTS)), key=len):
        if not any(words.startswith(other) for other in shapes):  # else: and words of a message
            shapes.append(words)
    lines = sum(map(bool, head.split(b"\n"))) if shapes else 0
    while shapes:
        host = re.compile(rb"\n(?:" + rb"|".join(map(_pattern, shapes)) + rb")")
        if sum(1 for _ in host.finditer(b"\n" + head)) * 8 >= lines * 7:
            return host
        # Their last word may be a logger's own, which stands before messages alone.
        shapes = [cut for words in shapes[:1] if (cut := _shorter(words))]
    return None


def _before(head: bytes) -> Counter[bytes]:
    """How often each shape of words stands before a logger's own, but for blanks alone."""
    shapes: Counter[bytes] = Counter()
    begin = looked = 0
    while looked < _LOOKED_AT and (match := OWN.search(head, begin)):
        start, begin = line_start(head, match.start()), line_end(head, match.start())
        if match.start() - start < LONGEST:
            words = head[start : match.start()]
            # Brackets that are not closed are a logger's, of a line that two threads tore. Blanks
            # alone may be the start of what follows a newline in a name.
            if words.strip() and words.count(b"[") == words.count(b"]"):
                shapes[shape_of_prefix(words)] += 1
            looked += 1
    return shapes


def _shorter(words: bytes) -> bytes:
    """Takes away the last word: `build | My Logger: ` -> `build | My `; empty for one word."""
    rest = words.rstrip(b" ").rpartition(b" ")[0].rstrip(b" ")
    return rest + b" " if b" " in words.strip() else b""


def _logger(head: bytes) -> re.Pattern[bytes] | None:
    """Matches the words of those loggers that write most of the lines with their mark."""
    loggers = []
    for _, _, mark, words in hosts.HOSTS:
        if mark and mark in head:
            begun = re.compile(words)
            lines = [line for line in head.split(b"\n") if mark in line]
            if sum(begun.match(line) is not None for line in lines) * 2 >= len(lines):
                loggers.append(words)
    return re.compile(rb"\n(?:" + rb"|".join(loggers) + rb")") if loggers else None


def _usual(match: re.Match[bytes]) -> bytes:
    """`[TensorRT] VERBOSE: ` -> `[V] [TRT] `."""
    level = next((group for group in match.groups() if group is not None), None)
    if level is None:  # jetson-inference writes none
        return b"\n" + hosts.TRT + b" "
    return b"\n[" + hosts.LETTERS.get(level, level) + b"] " + hosts.TRT + b" "


def _pattern(shape: bytes) -> bytes:
    """Matches words of a shape such as `Mar 0 0:0:0 host trtexec[0]: `.

    An empty line may lack the blanks at its end.
    """
    words = shape.rstrip(b" ")
    parts = [re.escape(part) for part in re.sub(_DAY, b"\0", words).split(b" ") if part]
    body = rb" +".join(parts).replace(b"0", rb"\d+").replace(b"\0", rb"[A-Z][a-z][a-z]")
    return body + rb"(?:" + rb" " * (len(shape) - len(words)) + rb"|[ \t\r]*(?=\n|\Z))"


# ---- a Jupyter notebook: the texts that its cells printed ----------------------------------------

# What no cell printed becomes an empty line, so that each line keeps its number. Of a notebook
# without indentation the lines are those that its cells printed.

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
