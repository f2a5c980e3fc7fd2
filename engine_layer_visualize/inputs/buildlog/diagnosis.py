"""Says why there is nothing to draw.

A scan without listings goes in; out comes a ReadError that says what the input is instead, and
what to run. A file's name does not count.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable
from typing import Final, TypeAlias

from engine_layer_visualize.core.problems import Place, Problem, ReadError
from engine_layer_visualize.core.text import visible
from engine_layer_visualize.inputs import iteration_times
from engine_layer_visualize.inputs.buildlog.prefixes import COLOR, ERROR, LOGGERS
from engine_layer_visualize.inputs.buildlog.scanner import Scan
from engine_layer_visualize.io.source import Span, decode, line_end, line_start

# An error, but for a name of a severity in what a Python program prints: `<Severity.ERROR: <…`.
_ERROR: Final = re.compile(
    rb"(?<!<Severity\.)(?:" + ERROR + rb")(?!<)"
    rb"|\bError Code \d{1,9}:"
)
# What a Python program shows of itself: a drawn tree, a line of its source, what it ended with.
_SHOWN_BY_PYTHON: Final = re.compile(
    rb"\s{0,99}(?:[|+`\\]|\xe2[\x94\x95]|(?:raise|return|assert) |print\(|log\w*\.\w+\()"
    rb"|[\w.]{1,99}(?:Error|Exception|Warning): "
)
_TRACEBACK: Final = b"Traceback (most recent call last):"
_RAISED: Final = re.compile(rb"^[\w.]{1,99}(?:Error|Exception|Exit|Interrupt)\b", re.MULTILINE)
_TOLD_BY_LOGGER: Final = (b"[E]", b"Error Code")
# Of TensorRT at all, and of a build: else an error is not that of a build that failed.
_SIGNS: Final = (*LOGGERS, b"trtexec", b"[E] ", b"Error Code")
_BUILDING: Final = (
    *(b"Adding network input: ", b"Timing Runner: ", b"Parsing node: ", b"Input filename: "),
    *(b"--onnx", b"--deploy", b"--uff", b"Engine generation", b"Building "),
)
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
        what, hint = _not_text(head)
        return ReadError(Problem(start, "ELV405", what), hint.format(visible(_word(scan.name))))
    if scan.empty_headers:
        place = scan.empty_headers[-1]
        message = "a listing's header without records: the log ends there, or was filtered"
        return ReadError(Problem(place, "ELV105", message), "keep the whole log of the build")
    if (given := no_log(head)) is not None:
        what, hint = given
        return ReadError(Problem(start, "ELV402", what), hint.format(visible(_word(scan.name))))
    last, loaded, raised = _look(spans)
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
    message = "not a VERBOSE log: no listing of layers in it"
    if raised is not None:
        line, text = raised
        start = Place(scan.name, line)
        message += f", and a Python program ended with {text}"
    return ReadError(Problem(start, "ELV402", message), _VERBOSE)


_Line: TypeAlias = tuple[int, str]


def _look(spans: Iterable[Span]) -> tuple[_Line | None, int | None, _Line | None]:
    """The builder's last error, the first line of a loaded engine, the last Python exception."""
    error: tuple[int, bytes] | None = None
    raised: _Line | None = None
    loaded: int | None = None
    of_tensorrt = of_a_build = False
    for span in spans:
        data = span.data
        of_tensorrt = of_tensorrt or any(sign in data for sign in _SIGNS)
        of_a_build = of_a_build or any(sign in data for sign in _BUILDING)
        error = _last_error(data, span.line) or error
        raised = _last_exception(data, span.line) or raised
        loaded = loaded or _first_loaded(data, span.line)
    if error is None or not of_tensorrt or (loaded is not None and not of_a_build):
        return None, loaded, raised
    line, text = error
    host = _HOST.match(text[:_PREFIX])
    return (line, _shown(text[host.end() if host else 0 :])), loaded, raised


def _first_loaded(data: bytes, line: int) -> int | None:
    """The first line that says that an engine was loaded; `line` numbers the first of `data`."""
    places = [at for mark in _LOADED if (at := data.find(mark)) >= 0]
    return _line_of(data, line, min(places)) if places else None


def _last_error(data: bytes, line: int) -> tuple[int, bytes] | None:
    """The line of the last error that a logger wrote, and its number; `line` numbers the first."""
    at, last = 0, -1
    while match := _ERROR.search(data, at):  # one a line
        at = line_end(data, match.start())
        if _is_logged(data, match):
            last = match.start()
    if last < 0:
        return None
    return _line_of(data, line, last), data[line_start(data, last) : line_end(data, last)].rstrip()


def _last_exception(data: bytes, line: int) -> _Line | None:
    """The last line of the last traceback that Python printed, and its number."""
    trace = data.rfind(_TRACEBACK)
    match = _RAISED.search(data, trace) if trace >= 0 else None
    if match is None:
        return None
    at = match.start()
    return _line_of(data, line, at), _shown(data[at : line_end(data, at)])


def _line_of(data: bytes, line: int, at: int) -> int:
    """The number of the line of `at`; `line` numbers the first."""
    return line + data.count(b"\n", 0, at)


def _shown(words: bytes) -> str:
    return visible(decode(words[:_SHOWN]).strip())


def _is_logged(data: bytes, match: re.Match[bytes]) -> bool:
    """Whether a logger wrote it; `ERROR: ` stands in what Python programs print, too."""
    if match[0].startswith(_TOLD_BY_LOGGER):
        return True
    start = max(data.rfind(b"\n", 0, match.start()) + 1, match.start() - _PREFIX)
    return _SHOWN_BY_PYTHON.match(data, start, match.start()) is None


# ---------------------------------------------------------------- files that are no logs

_WITH_LOG: Final = "give the log of the build beside it: --log_file build.log --profile_file {}"
_JSONS: Final = (
    (
        re.compile(rb'\s*(?:\{\s*"traceEvents"|\[\s*\{[^{}]{0,999}"ph"\s*:\s*")'),
        "this is a profile (a Chrome trace), not a log: it has times, but no engine",
        _WITH_LOG,
    ),
    (
        re.compile(
            rb'\s*\[\s*\{\s*"(?:count"\s*:\s*\d{1,18}\s*[,}]'
            rb'|name"[^{}]{0,9999}"(?:average|time)Ms"\s*:)'
        ),
        "this is a profile (trtexec's --exportProfile), not a log: it has times, but no engine",
        _WITH_LOG,
    ),
    (
        iteration_times.START,
        "these are the times of whole runs (trtexec's --exportTimes), not a log",
        "give the log of the build; for the layers' times, trtexec --exportProfile=prof.json",
    ),
    (
        re.compile(rb'\s*\{\s*"[\w /]{1,99}(?:options|information|summary)"\s*:', re.IGNORECASE),
        "this is the metadata of a TREx file set, not a log: no layers in it",
        "give the set's layers and times: --log_file ….graph.json --profile_file ….profile.json",
    ),
)
_ENGINE: Final = re.compile(rb"[a-z]trt\0")
# Its first field is the version of ONNX; what follows begins with one of these fields.
_MODEL: Final = re.compile(rb"\x08[\x01-\x1f][\x12\x1a\x22\x28\x32\x3a\x42]")
_TABLE: Final = re.compile(
    rb"=== Profile \(|Layer {1,999}Time \(ms\) {1,99}Avg|Time ?\(ms\) {1,99}Avg\. ?\("
)
_ROW: Final = re.compile(rb": *[0-9.]{1,24}(?:e[-+]?\d{1,3})? ?ms$")
_FIRST: Final = 5  # lines in which a table begins that is all of a file


def no_log(head: bytes) -> tuple[str, str] | None:
    """What a file is that is no log, and what to do with it."""
    for pattern, what, hint in _JSONS:
        if pattern.match(head):
            return what, hint
    plain = COLOR.sub(b"", head[: 1 << 14])
    lines = [line.rstrip() for line in plain.split(b"\n") if line.strip()]
    if any(_TABLE.search(line[:_PREFIX]) for line in lines[:_FIRST]):
        what = "this is a profile (a table that trtexec printed), not a log of a build"
        return what, _WITH_LOG
    rows = sum(_ROW.search(line[-_PREFIX:]) is not None for line in lines)
    if lines and rows * 2 > len(lines):
        return "this is a profile (`name: 0.1ms` lines), not a log: no engine in it", _WITH_LOG
    return None


def _word(name: str) -> str:
    """As it stands on a command line."""
    return "-" if name == "<stdin>" else shlex.quote(name)


def _is_text(head: bytes) -> bool:
    if b"\0" in head:
        return False
    spelled = head.decode("utf-8", "replace").count("�")
    return spelled * 10 <= len(head)


def _not_text(head: bytes) -> tuple[str, str]:
    """What a file is that is not text, and what to do with it."""
    if head.startswith(b"\x89PNG"):
        return "a PNG picture, not a log", _VERBOSE
    if head.startswith(b"SQLite format 3\0"):
        what = "an SQLite file, not a log: a report of Nsight Systems has times, but no engine"
        return what, _WITH_LOG
    if _ENGINE.match(head):
        what = "a built engine, not a log"
        return what, "`trtexec --loadEngine={} --exportLayerInfo=layers.json`; give layers.json"
    if _MODEL.match(head):
        what = "not text: this looks like an ONNX model"
        return what, "give the log of its build: --log_file build.log --onnx {}"
    if not head.strip(b"\0"):
        return "not text: nothing but zero bytes", _VERBOSE
    if _utf16(head):
        what = "not readable as text: this looks like UTF-16 without a byte order mark"
        return what, "convert it: iconv -f UTF-16LE -t UTF-8 FILE > build.log"
    return "not text", _VERBOSE


def _utf16(head: bytes) -> bool:
    pairs = len(head) // 2
    fewer, more = sorted((head[0::2].count(0), head[1::2].count(0)))
    return pairs > 8 and more > pairs * 0.8 and fewer < pairs / 2
