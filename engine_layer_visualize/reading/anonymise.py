"""Replaces names and paths in logs and profiles; the files keep their form.

anonymise_names    knows the words that stay (words.txt), gives every other one a new one, the same
                   wherever it stands, and finds paths, files, hosts and device numbers
anonymise_records  rewrites a layer's record, a message that stays (messages.txt), a row of nsys
anonymise_lines    rewrites each line of a log, trtexec's command and options too, or removes it

Only the words and messages that are listed reach the output.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Final

from engine_layer_visualize.core.problems import Place, Problem, ReadError
from engine_layer_visualize.io.source import JSON, Source
from engine_layer_visualize.reading import (
    anonymise_lines,
    anonymise_names,
    envelopes,
    file_kinds,
)
from engine_layer_visualize.reading.anonymise_lines import LogLines
from engine_layer_visualize.reading.anonymise_names import Names
from engine_layer_visualize.reading.file_kinds import ENGINE, ONNX_MODEL, made_of_log
from engine_layer_visualize.reading.wrapping import unwrapped

# Binary formats whose first bytes would pass as text.
_BINARY: Final = re.compile(
    rb"\x89PNG|%%PDF-|SQLite format 3\0|\x7fELF|PK\x03\x04|PAR1|ARROW1|%b|%b" % (ENGINE, ONNX_MODEL)
)
_CONTROL: Final = re.compile(rb"[\x00-\x06\x0e-\x1a\x7f]")
_HINT: Final = "give the log, or the times, that it was made from"


def is_json(source: Source) -> bool:
    """Returns whether a file is JSON, or has some, and no log as a notebook and JSON lines have.

    Raises:
        ReadError: Where there is nothing to open (ELV401).
    """
    head = source.head()
    if envelopes.is_notebook(head) or envelopes.json_lines(head) is not None:
        return False
    return JSON.match(head) is not None or file_kinds.holds_json(head)


class Anonymiser:
    """Gives the files that belong together the same new names."""

    def __init__(self) -> None:
        self._names = Names()
        self._logs: list[LogLines] = []

    @property
    def replaced(self) -> int:
        """How many words, parts of paths and addresses were replaced."""
        return self._names.count

    @property
    def lines(self) -> int:
        """How many lines of logs were read."""
        return sum(log.lines for log in self._logs)

    @property
    def removed(self) -> int:
        """How many of them were removed."""
        return sum(log.removed for log in self._logs)

    def read(self, source: Source) -> Iterator[bytes]:
        """Rewrites a file, in pieces. What other programs wrote around a log's lines is left out.

        Raises:
            ReadError: Where there is nothing to open, no text, or neither a log nor times.
        """
        head, start = source.head(), Place(source.name, 1)
        if not _is_text(head):
            raise ReadError(Problem(start, "ELV405", "not text"), _HINT)
        if what := made_of_log(head):
            raise ReadError(Problem(start, "ELV402", f"this is {what}, and no log"), _HINT)
        if is_json(source):
            yield renamed_json(source.text().encode(), self._names)
        else:
            self._logs.append(LogLines(self._names))
            empty = envelopes.is_notebook(head)
            for piece in self._logs[-1].read(unwrapped(source.spans())):
                empty = empty and not piece.strip()
                yield piece
            if empty:
                raise envelopes.without_lines(source.name)


def _is_text(head: bytes) -> bool:
    """Returns whether this is text. A name may hold a zero byte, or one that is no UTF-8."""
    strange = len(_CONTROL.findall(head)) + head.decode("utf-8", "replace").count("�")
    return strange * 20 <= len(head) and _BINARY.match(head) is None


# ---- JSON: a listing, a profile, a trace ---------------------------------------------------------

# Only strings change, so that lines keep their numbers.

# A string, and the colon that makes it a key; or what stands between strings.
_STRING: Final = re.compile(rb'"([^"\\]*(?:\\.[^"\\]*)*)"(\s*:)?|[^"]+|"', re.DOTALL)
_NAMES: Final = (b"Name", b"name", b"Metadata", b"Layers", b"Bindings", b"")
_TYPE: Final = re.compile(rb"\w{1,80}")
# The first key of a launch on a GPU, whose name is a kernel's: of `nsys stats --report gputrace`.
_LAUNCH: Final = re.compile(rb"(?:Start|Duration) ?\(\w{1,4}\)")
_KEYS: Final = anonymise_names.RECORDS | anonymise_names.PROSE
_LITERALS: Final = frozenset((b"true", b"false", b"null", b"NaN", b"Infinity", b"nan", b"inf"))


def renamed_json(text: bytes, names: Names) -> bytes:
    """Replaces the names in a whole JSON text, which may be cut."""
    key = b""
    names_kernels = False

    def string(match: re.Match[bytes]) -> bytes:
        nonlocal key, names_kernels
        inside, colon = match[1], match[2]
        if inside is None:
            return names.renamed(match[0], _LITERALS)
        words = _decoded(inside)
        if colon is not None:
            key = words
            if _LAUNCH.fullmatch(words):
                names_kernels = True
                return match[0]
            return _encoded(names.renamed(words, _KEYS)) + colon
        if names_kernels and key == b"Name":
            return _encoded(names.kernel(words))
        return _encoded(_value(key, words, names))

    return _STRING.sub(string, text)


def _value(key: bytes, words: bytes, names: Names) -> bytes:
    if key == b"LayerType" and _TYPE.fullmatch(words):
        return words
    if key == b"TacticName":
        return names.kernel(words)
    if key in _NAMES:
        return names.renamed(words)
    return anonymise_lines.option_value(key, words, names)


def _decoded(inside: bytes) -> bytes:
    """Returns a string without its escapes; as it is where these are wrong."""
    try:
        text: str = json.loads(b'"' + inside + b'"', strict=False)
    except ValueError:
        return inside
    return text.encode("utf-8", "surrogatepass")


def _encoded(words: bytes) -> bytes:
    return json.dumps(words.decode("utf-8", "replace")).encode()
