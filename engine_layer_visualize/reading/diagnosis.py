"""Says why there is nothing to draw.

The error says what the input is instead, and what to run. A file's name does not count.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable
from typing import Final

from engine_layer_visualize.core.build_info import BuildEnd
from engine_layer_visualize.core.problems import Place, Problem, ReadError
from engine_layer_visualize.core.text import milliseconds, visible
from engine_layer_visualize.io.source import Span
from engine_layer_visualize.reading import envelopes, file_kinds
from engine_layer_visualize.reading.build_end import end_of_build
from engine_layer_visualize.reading.scanner import Scan
from engine_layer_visualize.trt import versions

_FAILURES: Final = {"failed": "failed", "crashed": "crashed", "killed": "was killed"}
_STOPPED: Final = (
    "what stopped it stands outside of TensorRT's log: look at the memory, the time limit, `dmesg`"
)
_GOES_ON: Final = (
    "wait for the build's end, or look for what stopped it (memory, a time limit), and "
    "keep the whole log"
)
_EXPORT: Final = "--exportLayerInfo"
_EXPORTED: Final = f"`trtexec --loadEngine=… {_EXPORT}=FILE`"
_BY_LOGGER: Final = "with a VERBOSE logger"
_VERBOSE: Final = (
    f"build with `trtexec --onnx=model.onnx --verbose > build.log 2>&1`, or {_BY_LOGGER}"
)
_OF_TORCH: Final = (b"torch_tensorrt.", b"[Torch-TensorRT]")


def nothing_to_draw(scan: Scan, spans: Iterable[Span]) -> ReadError:
    """`spans`: the input once more, or what is left of it where it cannot be read twice."""
    head, start = scan.head, Place(scan.name, 1)
    if not head.strip():
        spans = list(spans)
        begin = b"".join(span.wrapped for span in spans[:64])
        if envelopes.is_notebook(begin) and not any(span.data.strip() for span in spans):
            return envelopes.without_lines(scan.name)
    if not head:
        return ReadError(Problem(start, "ELV402", "the input is empty"), _VERBOSE)
    if not _is_text(head):
        what, hint = _not_text(head)
        return ReadError(Problem(start, "ELV405", what), hint.format(visible(_word(scan.name))))
    if scan.empty_headers:
        place = scan.empty_headers[-1]
        message = "a listing's header without records: the log is cut there, or was filtered"
        return ReadError(Problem(place, "ELV105", message), "keep the whole log of the build")
    if (given := file_kinds.no_log(head)) is not None:
        hint = given[1].format(visible(_word(scan.name)))
        return ReadError(Problem(start, "ELV402", given[0]), hint)
    return of_no_log(head, scan.name) or _of_a_build(scan, end_of_build(spans, head))


def of_no_log(head: bytes, name: str) -> ReadError | None:
    """The error for a file that was made of a log, or packed; None where it may be a log.

    Such a file may hold lines of a listing: a page of a rule has an example, an archive a log.
    """
    if packed := _packed(head):
        return ReadError(Problem(Place(name, 1), "ELV405", f"{packed}, not a log"), _UNPACK)
    if what := file_kinds.made_of_log(head):
        hint = "give the log that it was made from, as text"
        return ReadError(Problem(Place(name, 1), "ELV402", f"this is {what}, not a log"), hint)
    return None


def _of_a_build(scan: Scan, end: BuildEnd) -> ReadError:
    """Says it of a text that may be a log of a build."""
    place, doing = Place(scan.name, end.line), f", {end.doing}" if end.doing else ""
    if end.state in _FAILURES:
        message = f"the build {_FAILURES[end.state]}: {end.words}"
        message += f" (line {end.line:,}{doing})" if end.state != "failed" else ""
        hint = _STOPPED if end.state == "killed" else "the lines before it in the log say why"
        return ReadError(Problem(place, "ELV404", message), hint)
    if end.state == "loaded":
        message = f"an engine was loaded, not built: no layers are listed{doing}{_ran(scan)}"
        exists = f"{_verbose(scan)}; {_of_loaded(scan)}"
        if end.words:
            exists += f"\n  {end.words}: {file_kinds.WITH_LOG.format(visible(_word(scan.name)))}"
        return ReadError(Problem(place, "ELV403", message), exists)
    for problem in scan.problems:
        return ReadError(problem, "what could be read before this place holds no listing")
    if end.state == "ended":
        message = f"the log ends at line {end.line}{doing}, before its listing of layers"
        message += f"; {end.words}" if end.words else ""
        return ReadError(Problem(place, "ELV412", message), _GOES_ON)
    if end.state == "unlisted":
        message = "the engine was built, but the listing of its layers is not in the log"
        return ReadError(Problem(place, "ELV413", message), "keep the whole log of the build")
    message = "not a VERBOSE log: no layers are listed"
    if end.state == "quiet":
        message += f", though the build succeeded (line {end.line:,})"
    message += f"; it ends {end.doing}" if end.doing else ""
    message += f", and {end.words}" if end.words else ""
    return ReadError(Problem(place, "ELV402", message), _verbose(scan))


def _version(scan: Scan) -> str:
    return versions.last_named(scan.head, 0, len(scan.head)) or ""


def _verbose(scan: Scan) -> str:
    """How to get a VERBOSE log from what built the engine."""
    if any(mark in scan.head for mark in _OF_TORCH):
        return "compile inside `with torch_tensorrt.logging.debug():`"
    return f"build {_BY_LOGGER}" if versions.is_rtx(_version(scan)) else _VERBOSE


def _of_loaded(scan: Scan) -> str:
    """How to get the layers of a built engine."""
    version = _version(scan)
    if versions.is_rtx(version):
        return "of a built engine, give the JSON of its inspector"
    if versions.has_flag(versions.numbers(version), _EXPORT):
        return f"of a built engine, give the file of {_EXPORTED}"
    since = versions.ends_of_flag(_EXPORT)[0]
    lacks = f"trtexec {version} has no {_EXPORT} ({since} is the first)"
    return f"{lacks}: only that log lists the layers"


def _ran(scan: Scan) -> str:
    """How long the engine that was loaded ran; empty where that is not known."""
    ran = [one for segment in scan.segments for one in segment.trtexec.performances]
    row = ran[-1].gpu_compute if ran else None
    if row is None or row.median is None:
        return ""
    return f"; an inference took {milliseconds(row.median)} on the GPU (median)"


_PACKED: Final = (
    (b"BZh", "a bzip2 file"),
    (b"PK\x03\x04", "a ZIP archive"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (b"Rar!\x1a", "a RAR archive"),
    (b"\x04\x22\x4d\x18", "an LZ4 file"),
)
_UNPACK: Final = "unpack it; gzip, xz and zstd alone are read as they are"


def _packed(head: bytes) -> str:
    """In what a file is packed that is not unpacked here; empty: in nothing of that kind."""
    return next((what for magic, what in _PACKED if head.startswith(magic)), "")


def _word(name: str) -> str:
    """The name as it is written on a command line."""
    return "-" if name == "<stdin>" else shlex.quote(name)


def _is_text(head: bytes) -> bool:
    if b"\0" in head:
        return False
    spelled = head.decode("utf-8", "replace").count("�")
    return spelled * 10 <= len(head)


# What a file is that is not text, and what to do with it.
_NOT_TEXT: Final = (
    (rb"\x89PNG", "a PNG picture, not a log", _VERBOSE),
    (
        file_kinds.SQLITE,
        "an SQLite file, not a log",
        f"of Nsight Systems, give the CSV of `{file_kinds.NSYS_STATS}`",
    ),
    (
        file_kinds.ENGINE,
        "a built engine, not a log",
        "`trtexec --loadEngine={} --exportLayerInfo=layers.json`; give layers.json",
    ),
    (
        file_kinds.ONNX_MODEL,
        "not text: this looks like an ONNX model",
        "give the log of its build: --log_file build.log --onnx {}",
    ),
    (rb"\0*\Z", "not text: nothing but zero bytes", _VERBOSE),
)


def _not_text(head: bytes) -> tuple[str, str]:
    if packed := _packed(head):
        return f"{packed}, not a log", _UNPACK
    known = ((what, hint) for pattern, what, hint in _NOT_TEXT if re.match(pattern, head))
    return next(known, ("not text", _VERBOSE))
