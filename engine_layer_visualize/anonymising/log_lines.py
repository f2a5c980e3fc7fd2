"""Replaces names in the lines of a log, or of a printed profile.

A line that is not known is removed: its logger's words and a fixed text take its place, so that
the others keep their numbers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from engine_layer_visualize.anonymising import messages, places, records, trtexec_lines
from engine_layer_visualize.anonymising.names import Names
from engine_layer_visualize.anonymising.reports import Reports
from engine_layer_visualize.inputs.buildlog.build_end import RAISED
from engine_layer_visualize.inputs.buildlog.markers import LEFT_OUT
from engine_layer_visualize.inputs.buildlog.markers import TABLE_MARK as TABLE
from engine_layer_visualize.inputs.buildlog.prefixes import LONGEST, MARKS, OWN_WORDS
from engine_layer_visualize.inputs.buildlog.profile_table_lines import ROW
from engine_layer_visualize.io.source import Span

REMOVED: Final = b"[line removed]"
_COLOUR: Final = rb"\x1b\[[0-9;]{0,32}[mK]"
_LOGGER: Final = re.compile(rb"(?:%b|%b)+[ \t]*" % (OWN_WORDS, _COLOUR))
_BLANKS: Final = re.compile(rb"[ \t]*")
_SEVERE: Final = tuple(mark.rstrip() for letter in (b"W", b"E", b"F") for mark in MARKS[letter])
# e.g. (8-)      Layer   Time (ms)   Avg. Time (ms)   Time %
_COLUMNS: Final = re.compile(rb"Layer {1,999}Time \(ms\) {1,99}Avg\. ")
# e.g. (all) TensorRT layer name    Runtime, %  Invocations  Runtime, ms
_TORCH_COLUMNS: Final = re.compile(
    rb"[ \t]*TensorRT layer name +Runtime, *% +Invocations +Runtime, ms[ \t\r]*"
)
# e.g. (all) conv_a         20.4%          200         0.80
_TORCH_ROW: Final = re.compile(rb".*(?<![^ \t])[-\w.+]{1,40}% +\d{1,18} +[-\w.+]{1,40}[ \t\r]*")
_RECORDS: Final = (b"Layer(", b"Name: ")  # a record begins so
_EMPTY: Final = re.compile(rb"[^0-9A-Za-z\x80-\xff]*")  # blank lines, fences, rulers
# Most lines of a large log are of these two forms, and no name is in them.
_TACTIC: Final = re.compile(rb"(?:Tactic Name: (?P<kernel>\S+) )?" + messages.TIMED)
# e.g. (7) conv1: 0.25ms
_NAME_MS: Final = re.compile(rb".*: *[-+]?(?:[0-9.]+(?:[eE][-+]?[0-9]+)?|nan|inf) ?ms[ \t\r]*")
_RECORD_ENDS: Final = (b")]", b"])", b" ->", b" -> ")
_NAMES_BEGIN: Final = re.compile(rb"(?:Layers|Layer Information|Bindings):[ \t\r]*")
_RECORD_LINES: Final = 16  # of a record at most: a name may hold newlines


class LogLines:
    """Replaces the names in the lines of one log."""

    def __init__(self, names: Names) -> None:
        self._names = names
        self._sections = trtexec_lines.Sections(names)
        self._reports = Reports(names)
        self._table = False  # rows may come
        self._bare = False  # names may come, one a line
        self._open = 0  # lines that a record may still have
        self.lines = 0  # that were read
        self.removed = 0  # of them

    def read(self, spans: Iterable[Span]) -> Iterator[bytes]:
        """Gives the lines of each span, in one piece."""
        for span in spans:
            *lines, rest = span.data.split(b"\n")
            self.lines += len(lines) + bool(rest)
            out = [self._line(line) for line in lines]
            yield b"\n".join([*out, self._line(rest) if rest else b""])

    def _line(self, line: bytes) -> bytes:
        before, text = self._parted(line)
        if match := _TACTIC.fullmatch(text):
            if (kernel := match["kernel"]) is not None:
                text = text.replace(kernel, self._names.kernel(kernel), 1)
            return self._names.before(before) + text
        text = self._without_clock(text)
        new = self._of_listing(before, text)
        if new is None:
            new = self._message(before, text)
        if new is None:
            self.removed += text != REMOVED
            new = _BLANKS.match(text)[0] + REMOVED  # type: ignore[index]  # it matches anything
        return self._names.before(before) + new

    def _without_clock(self, text: bytes) -> bytes:
        """Removes the time of a logger that is not known. In a record numbers are of names."""
        begins = [start for mark in _RECORDS if (start := text.find(mark)) >= 0]
        end = 0 if self._open else min(begins, default=len(text))
        return places.without_clock(text[:end]) + text[end:]

    def _parted(self, line: bytes) -> tuple[bytes, bytes]:
        """Returns what hosts and loggers wrote, and the message."""
        if line.startswith((*_RECORDS, b" Name: ")) or RAISED.match(line):
            return b"", line
        logger = _LOGGER.match(line)
        if self._open and logger is None:
            return b"", line
        self._open = 0
        logger = logger or _LOGGER.search(line, 0, LONGEST)
        return (b"", line) if logger is None else (line[: logger.end()], line[logger.end() :])

    # ---- listings and tables ---------------------------------------------------------------

    def _of_listing(self, before: bytes, text: bytes) -> bytes | None:
        """Rewrites a line of a listing or of a printed profile; None where it is another one."""
        is_detailed = records.is_detailed(text)
        if records.is_classic(text) and (not is_detailed or text.startswith(b"Layer(")):
            self._bare = False
            whole = text.rstrip(b" \t\r").endswith(_RECORD_ENDS)
            self._open = 0 if whole else _RECORD_LINES
            return records.classic(text, self._names)
        if is_detailed:
            self._bare, self._open = False, 0
            return records.detailed(text, self._names)
        if self._open:
            self._open -= 1
            if text.rstrip(b" \t\r").endswith(_RECORD_ENDS):
                self._open = 0
            return self._names.renamed(text)
        if TABLE in text or _COLUMNS.search(text):
            self._table = True
        elif _TORCH_COLUMNS.fullmatch(text):
            self._table = True
            return text
        elif self._table and (ROW.fullmatch(text) or _TORCH_ROW.fullmatch(text)):
            self._table = not text.strip().startswith(b"Total ")
            return self._names.renamed(text)
        if not before and (new := self._reports.line(text)) is not None:
            return new
        if _NAMES_BEGIN.fullmatch(text):
            self._bare = True
        elif self._bare and not before and not _EMPTY.fullmatch(text):
            return self._names.renamed(text)
        else:
            self._bare = False
        return None

    # ---- messages ----------------------------------------------------------------------------

    def _message(self, before: bytes, text: bytes) -> bytes | None:
        """Rewrites a line that the reader takes something from; None of all others."""
        names = self._names
        if _EMPTY.fullmatch(text):
            return text
        if LEFT_OUT.match(text):
            return b"..."
        if (new := self._sections.line(before, text)) is not None:
            return new
        if (new := messages.renamed(text, names)) is not None:
            return new
        if any(mark in before for mark in _SEVERE):
            return names.prose(text, messages.PROSE)
        if not before and _NAME_MS.fullmatch(text):
            return names.renamed(text)
        return None
