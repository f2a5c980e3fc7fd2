"""Why there is nothing to draw.

takes: a scan without listings
gives: a ReadError that says what the input is instead, and what to run
never: guesses from a file's name
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from engine_layer_visualize.blocks import Scan
from engine_layer_visualize.errors import Place, Problem, ReadError, visible
from engine_layer_visualize.hosts import ERROR
from engine_layer_visualize.source import Span, decode

_ERROR: Final = re.compile(ERROR + rb"|\bError Code \d{1,9}:")
_LOADED: Final = (b"--loadEngine", b"Loaded engine size", b"Deserialization required")
_HOST: Final = re.compile(rb".*?(?:" + ERROR + rb")(?:\[TRT\] )?|\[TRT\] ", re.DOTALL)
_PREFIX, _SHOWN = 1 << 10, 400  # bytes of an error's line: before its words, and of them
_VERBOSE: Final = (
    "build with `trtexec --onnx=model.onnx --verbose > build.log 2>&1`, "
    "or with a logger of severity VERBOSE"
)


def nothing_to_draw(scan: Scan, spans: Iterable[Span]) -> ReadError:
    """`spans`: the input once more, or what is left of it where it cannot be read twice."""
    head, start = scan.head, Place(scan.name, 1)
    if not head:
        return ReadError(Problem(start, "ELV402", "the input is empty"), _VERBOSE)
    if not _is_text(head):
        return ReadError(Problem(start, "ELV405", _what(head)), _hint(head))
    if scan.empty_headers:
        place = scan.empty_headers[-1]
        message = "a listing's header without records: the log ends there, or was filtered"
        return ReadError(Problem(place, "ELV105", message), "keep the whole log of the build")
    last, loaded = _look(spans)
    if last is not None:
        line, text = last
        return ReadError(
            Problem(Place(scan.name, line), "ELV404", f"the build failed: {text}"),
            "the lines before it in the log say why",
        )
    if loaded is not None:
        return ReadError(
            Problem(
                Place(scan.name, loaded),
                "ELV403",
                "an engine was loaded, not built: the layers are listed only when it is built",
            ),
            f"{_VERBOSE}; of an engine that exists, `trtexec --loadEngine=… --exportLayerInfo=…`",
        )
    for problem in scan.problems:
        return ReadError(problem, "what could be read before this place holds no listing")
    return ReadError(
        Problem(start, "ELV402", "not a VERBOSE log: no listing of layers in it"),
        _VERBOSE,
    )


def _look(spans: Iterable[Span]) -> tuple[tuple[int, str] | None, int | None]:
    """The last error (line, text), and the first line of a loaded engine."""
    error: tuple[int, bytes] | None = None
    loaded: int | None = None
    for span in spans:
        data, at, last = span.data, 0, -1
        while match := _ERROR.search(data, at):  # one a line
            last = match.start()
            at = data.find(b"\n", last) + 1 or len(data)
        if last >= 0:
            start = data.rfind(b"\n", 0, last) + 1
            error = span.line + data.count(b"\n", 0, start), data[start:at].rstrip()
        found = [at for mark in _LOADED if (at := data.find(mark)) >= 0]
        if loaded is None and found:
            loaded = span.line + data.count(b"\n", 0, min(found))
    if error is None:
        return None, loaded
    host = _HOST.match(error[1][:_PREFIX])
    text = visible(decode(error[1][host.end() if host else 0 :][:_SHOWN]).strip())
    return (error[0], text), loaded


def _is_text(head: bytes) -> bool:
    if b"\0" in head:
        return False
    spelled = head.decode("utf-8", "replace").count("�")
    return spelled * 10 <= len(head)


def _what(head: bytes) -> str:
    if head.startswith(b"\x89PNG"):
        return "a PNG picture, not a log"
    if not head.strip(b"\0"):
        return "not text: nothing but zero bytes"
    if _utf16(head):
        return "not readable as text: this looks like UTF-16 without a byte order mark"
    return "not text"


def _hint(head: bytes) -> str:
    if _utf16(head):
        return "convert it: iconv -f UTF-16LE -t UTF-8 FILE > build.log"
    return _VERBOSE


def _utf16(head: bytes) -> bool:
    pairs = len(head) // 2
    fewer, more = sorted((head[0::2].count(0), head[1::2].count(0)))
    return pairs > 8 and more > pairs * 0.8 and fewer < pairs / 2
