"""Replaces names and paths in logs and profiles: files in, files of the same form out.

vocabulary    the words that stay: those of TensorRT, of ONNX and of trtexec
names         a new word for every other word, the same wherever it stands
places        what goes as a whole in a sentence: paths, files, hosts, numbers of devices
records       a layer's record, an input's or output's line
messages      the messages of TensorRT that stay
trtexec_lines what trtexec prints of a run: its command, its options
log_lines     each line of a log: it stays with other names, or it is removed
json_text     listings, profiles and traces in JSON

What stays is listed, what goes is not: no other line and no other word reaches the output.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from engine_layer_visualize.anonymise import json_text
from engine_layer_visualize.anonymise.log_lines import LogLines
from engine_layer_visualize.anonymise.names import Names
from engine_layer_visualize.core.problems import Place, Problem, ReadError
from engine_layer_visualize.inputs.buildlog import notebooks
from engine_layer_visualize.inputs.buildlog.wrapping import unwrapped
from engine_layer_visualize.inputs.made_of_logs import ENGINE, ONNX_MODEL, made_of_log
from engine_layer_visualize.io.source import Source

# Formats of binary files that hold much text, or little else in their first bytes.
_BINARY: Final = re.compile(
    rb"\x89PNG|%%PDF-|SQLite format 3\0|\x7fELF|PK\x03\x04|PAR1|ARROW1|%b|%b" % (ENGINE, ONNX_MODEL)
)
_CONTROL: Final = re.compile(rb"[\x00-\x06\x0e-\x1a\x7f]")
_JSON: Final = re.compile(rb'\s*(?:\{\s*["}]|\[\s*[{"\]])')
_HINT: Final = "give the log, or the times, that it was made from"


def is_json(source: Source) -> bool:
    """Whether the file is JSON and no log, as a notebook has one in it. Raises ReadError (ELV401):
    nothing to open."""
    head = source.head()
    return _JSON.match(head) is not None and not notebooks.is_notebook(head)


class Anonymiser:
    """Gives the files that belong together the same new names."""

    def __init__(self) -> None:
        self._names = Names()
        self._logs: list[LogLines] = []

    @property
    def names(self) -> int:
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
        """The file with other names, in pieces. Raises ReadError: nothing to open, no text, or what
        is neither a log nor times.

        What other programs wrote around the lines of a log is left out.
        """
        head, start = source.head(), Place(source.name, 1)
        if not _is_text(head):
            raise ReadError(Problem(start, "ELV405", "not text"), _HINT)
        if what := made_of_log(head):
            raise ReadError(Problem(start, "ELV402", f"this is {what}, and no log"), _HINT)
        if is_json(source):
            yield json_text.renamed(source.text().encode(), self._names)
        else:
            self._logs.append(LogLines(self._names))
            empty = notebooks.is_notebook(head)
            for piece in self._logs[-1].read(unwrapped(source.spans())):
                empty = empty and not piece.strip()
                yield piece
            if empty:
                raise notebooks.without_lines(source.name)


def _is_text(head: bytes) -> bool:
    """A name may hold a zero byte, or one that is no UTF-8."""
    strange = len(_CONTROL.findall(head)) + head.decode("utf-8", "replace").count("�")
    return strange * 20 <= len(head) and _BINARY.match(head) is None
