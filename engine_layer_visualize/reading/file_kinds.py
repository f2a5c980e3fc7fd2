"""Tells by its content what a file is, and says why there is nothing to draw.

Known are files that are no log: times, a model, what was made of a log. The error says what the
input is instead, and what to run. A file's name does not count.
"""

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from engine_layer_visualize.core.build_info import BuildEnd
from engine_layer_visualize.core.problems import Place, Problem, ReadError
from engine_layer_visualize.core.text import milliseconds, visible
from engine_layer_visualize.io.source import JSON, Source, Span, decode, line_end, line_words
from engine_layer_visualize.reading import detailed, envelopes
from engine_layer_visualize.reading.hosts import COLOR
from engine_layer_visualize.reading.scanner import Scan
from engine_layer_visualize.reading.wrapping import unwrapped
from engine_layer_visualize.trt import versions

ENGINE: Final = rb"[a-z]trt\0"
# Its first field is the version of ONNX; what follows begins with one of these fields.
ONNX_MODEL: Final = rb"\x08[\x01-\x1f][\x12\x1a\x22\x28\x32\x3a\x42]"
ITERATION_TIMES: Final = rb'\[\s*\{\s*"start\w{1,9}Ms"\s*:'  # of trtexec's --exportTimes
_RECORDS: Final = rb'(?m)^[^{\n]{0,99}\{\s*"Name"\s*:[^{}]{0,4999}"LayerType"\s*:'
_SCHEMA: Final = rb'\{\s*"schema"\s*:'
_MADE: Final = (
    (_SCHEMA + rb'\s*\d{1,9}\s*,\s*"snapshot"', "a baseline (of gate --save)"),
    (_SCHEMA + rb'\s*\d{1,9}\s*,\s*"engine"', "an engine as JSON (--format json)"),
    (_SCHEMA, "a report as JSON (--format json)"),
    (rb'\{\s*"\$schema"\s*:\s*"[^"]{0,200}sarif', "a report of findings (SARIF)"),
    (rb'.{0,99}\n"otherData": \{"source": \{"file": ', "a trace (--format trace)"),
    (rb'build_id,engine,|\{"build_id": "', "a table (of the command table)"),
    (rb'(?:strict )?(?:di)?graph [\w"]', "a drawing for Graphviz"),
    (rb"(?i:<!doctype html>|<html\b)", "a page of HTML"),
    (rb"(?:<\?xml[^>]*>\s*)?<svg\b", "a drawing (SVG)"),
    (rb"<\?xml ", "a file in XML"),
)


def made_of_log(head: bytes) -> str:
    """Empty where it is not known to be of that kind."""
    start = head.lstrip()
    return next((what for pattern, what in _MADE if re.match(pattern, start)), "")


WITH_LOG: Final = "give the log of the build beside it: --log_file build.log --profile_file {}"
SQLITE: Final = b"SQLite format 3\0"  # of a report of Nsight Systems, as it was exported before
NSYS_STATS: Final = (
    "nsys stats --report nvtx_kern_sum,nvtx_gpu_proj_sum --format csv --output - report.nsys-rep"
)
NSYS_READ: Final = "nvtx_kern_sum, nvtx_gpu_proj_sum, nvtx_gpu_proj_trace and cuda_gpu_trace"
_UNREAD: Final = "a report of `nsys stats` that is not read"
# Profiles in JSON. Compiled by `re` when they are needed: most heads are no JSON.
_JSONS: Final = (
    (rb'\{\s*"traceEvents"|\[\s*\{[^{}]{0,999}"ph"\s*:\s*"', "a Chrome trace"),
    (
        rb'\[\s*\{\s*"(?:count"\s*:\s*\d{1,18}\s*[,}]|name"[^{}]{0,9999}"(?:average|time)Ms"\s*:)',
        "trtexec's --exportProfile",
    ),
    (rb'\[\s*\{\s*"Start ?\(\w{1,4}\)"\s*:', "`nsys stats`, as JSON"),
)
_TABLE: Final = rb"=== Profile \(|Layer {1,999}Time \(ms\) {1,99}Avg|Time ?\(ms\) {1,99}Avg\. ?\("
# The headers of what `nsys stats` writes as CSV: of ranges, of launches, of any report.
# e.g. Range,Style,Total Proj Time (ns),Total Range Time (ns),Range Instances,Proj Avg (ns)
NSYS_RANGES: Final = rb"(?m)^[^\n]{0,999}(?:NVTX Range|Total Proj Time|Projected Duration)"
_LAUNCHES: Final = rb'"?Start ?\(\w{1,4}\)"?,"?Duration'
# e.g. Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name
_NSYS: Final = (
    rb'"?[A-Z][\w ]{0,40}(?:\([\w%]{1,4}\))?"?,'
    rb'(?:"?[\w %-]{1,40}(?:\([\w%]{1,4}\))?"?,){0,40}?"?[\w ]{1,40}\([munse]{1,4}c?\)"?(?:,|$)'
)
_ROW: Final = rb": *[0-9.]{1,24}(?:e[-+]?\d{1,3})? ?ms$"
_TABLE_WITHIN: Final = 5  # lines of a file that is a table: it begins with its header
_HEAD: Final = 1 << 14  # bytes in which a table or its rows are looked for
_LINE_END: Final = 1 << 10  # bytes of a line that are looked at: a name may be long


def no_log(head: bytes) -> tuple[str, str] | None:
    """What a file is that is no log, and what to do with it."""
    if re.match(ITERATION_TIMES, head.lstrip()):
        what = "these are the times of whole runs (trtexec's --exportTimes), not a log"
        hint = "give the log of the build; for the layers' times, trtexec --exportProfile=prof.json"
        return what, hint
    of = _profile_of(head)
    if of == _UNREAD:
        return f"this is {of}", f"read are {NSYS_READ}"
    what = f"this is a profile ({of}), not a log: it has times, but no engine"
    return (what, WITH_LOG) if of else None


def _profile_of(head: bytes) -> str:
    """What wrote the profile that begins so, or `_UNREAD`; empty where it is none."""
    text = head.lstrip()
    for pattern, of in _JSONS if text.startswith((b"[", b"{")) else ():
        if re.match(pattern, text):
            return of
    plain = COLOR.sub(b"", head[:_HEAD])
    lines = [line.rstrip() for line in plain.split(b"\n") if line.strip()]
    first = lines[:_TABLE_WITHIN]
    if any(re.match(_LAUNCHES, line) or re.search(NSYS_RANGES, line) for line in first):
        return "`nsys stats`, as CSV"
    if any(re.match(_NSYS, line) for line in first):
        return _UNREAD
    if any(re.search(_TABLE, line[:_LINE_END]) for line in first):
        return "a table that trtexec printed"
    rows = sum(re.search(_ROW, line[-_LINE_END:]) is not None for line in lines)
    return "`name: 0.1ms` lines" if lines and rows * 2 > len(lines) else ""


# Of few times, and of most logs. To find what a log is wrapped in takes ten times as long.
_VERBOSE: Final = re.compile(rb"\[V(?:ERBOSE)?\] |^VERBOSE: ", re.MULTILINE)
_LISTED: Final = (b"Layer(", b", LayerType: ")


def has_times_alone(path: str) -> bool:
    """Whether the file is a profile, or another file beside a log; not one that cannot be read."""
    try:
        source = Source(path)
        if source.start().startswith(SQLITE):
            return True
        head = source.head()
        if _VERBOSE.search(head) and not are_times(head):
            return False
        if not _is_list(head):  # no logger writes one
            head = Source(path, unwrap=unwrapped).head()
    except ReadError:
        return False
    return not detailed.has_inspector_json(head) and (are_times(head) or holds_json(head))


def holds_json(head: bytes) -> bool:
    """Whether a text without a listing of lines holds a listing or times in JSON."""
    is_json = detailed.has_inspector_json(head) or any(key in head for key in envelopes.ROW_KEYS)
    return is_json and not any(mark in head for mark in _LISTED)


def is_listing(path: str) -> bool:
    """Whether the file looks like a log of a build, or a listing; not one that cannot be read."""
    if has_times_alone(path):
        return False
    head = _first(path, Source.head)
    marks = (*_LISTED, detailed.LAYERS, b"Layers:")
    return _VERBOSE.search(head) is not None or any(mark in head for mark in marks)


def are_times(head: bytes) -> bool:
    """Whether a text begins as a profile, or another file beside a log."""
    # A list in JSON is no log; an object may be one that docker wrapped.
    return _is_list(head) or no_log(head) is not None


def _is_list(head: bytes) -> bool:
    """Whether it is a list in JSON, but no trace of Chrome's, which may lack its end."""
    if not head.lstrip().startswith(b"["):
        return False
    from engine_layer_visualize.reading.profile_json import is_trace

    return JSON.match(head) is not None and not is_trace(head)


def has_times_of_runs(path: str) -> bool:
    """Whether the file holds times of iterations; not one that cannot be read."""
    return re.match(ITERATION_TIMES, _first(path, Source.head).lstrip()) is not None


def is_sqlite(path: str) -> bool:
    """Whether the file is a database, such as a report of Nsight Systems; not one in a pipe."""
    return os.path.isfile(path) and _first(path, Source.start).startswith(SQLITE)


def is_model(path: str) -> bool:
    """Whether the file looks like an ONNX model; not one that cannot be read."""
    return re.match(ONNX_MODEL, _first(path, Source.start)) is not None


def _first(path: str, of: Callable[[Source], bytes]) -> bytes:
    """The first bytes of a file; none of one that cannot be read."""
    try:
        return of(Source(path))
    except ReadError:
        return b""


# A build that ends so has an engine. Behind it stands what is of another build, or of a run.
_ENDED: Final = (b" engine(s) to plan file", b"&&&& ", b"Engine built in ", b"=== Performance")
_NO_PLAN: Final = b"buildSerializedNetwork: Error Code "
_JSON_ROW: Final = b'"averageMs"'


def behind_listing(spans: Sequence[Span]) -> Iterator[tuple[int, str, str]]:
    """What an engine must be told with that stands behind its listing: line, code, words."""
    text, begin = b"".join(span.buffer for span in spans), spans[0].line if spans else 0
    first = min((at for mark in _ENDED if (at := text.find(mark)) >= 0), default=len(text))
    if (place := text.find(_NO_PLAN, 0, first)) >= 0:
        words = decode(line_words(text[place : line_end(text, place)]))
        number = begin + text.count(b"\n", 0, place)
        yield number, "ELV404", f"the build failed behind its listing: {words}"
    if (place := text.find(_JSON_ROW)) >= 0:
        said = "times in JSON behind a log are not read: give them as a file of their own"
        yield begin + text.count(b"\n", 0, place), "ELV203", said


# ---- why there is nothing to draw ----------------------------------------------------------------

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
_BUILD_AGAIN: Final = (
    f"build with `trtexec --onnx=model.onnx --verbose > build.log 2>&1`, or {_BY_LOGGER}"
)
_OF_TORCH: Final = (b"torch_tensorrt.", b"[Torch-TensorRT]")


def nothing_to_draw(scan: Scan, spans: Iterable[Span]) -> ReadError:
    """`spans`: the input once more, or what is left of it where it cannot be read twice."""
    from engine_layer_visualize.reading.build_end import end_of_build

    head, name = scan.head, scan.name
    if not scan.tail:
        return _refused(name, "ELV402", "the input is empty", _BUILD_AGAIN)
    if not head.strip():
        spans = list(spans)
        if not any(span.data.strip() for span in spans):
            return envelopes.without_lines(name)
    misspelled = head.decode("utf-8", "replace").count("�")
    if b"\0" in head or misspelled * 10 > len(head):
        what, hint = next(words for begin, *words in _NOT_TEXT if re.match(begin, head))
        return _refused(name, "ELV405", what, hint)
    if scan.empty_headers:
        place = scan.empty_headers[-1]
        message = "a listing's header without records: the log is cut there, or was filtered"
        return ReadError(Problem(place, "ELV105", message), "keep the whole log of the build")
    if (given := no_log(head)) is not None:
        return _refused(name, "ELV402", *given)
    return of_no_log(head, name) or _of_a_build(scan, end_of_build(spans, head))


def of_no_log(head: bytes, name: str) -> ReadError | None:
    """The error for a file that was made of a log, or packed; None where it may be a log.

    Such a file may hold lines of a listing: a page of a rule has an example, an archive a log.
    """
    for begin, packed, unpack in _PACKED:
        if re.match(begin, head):
            return _refused(name, "ELV405", packed, unpack)
    if what := made_of_log(head):
        hint = "give the log that it was made from, as text"
        return _refused(name, "ELV402", f"this is {what}, not a log", hint)
    return None


def _of_a_build(scan: Scan, end: BuildEnd) -> ReadError:
    """Says it of a text that may be a log of a build."""
    place, doing = Place(scan.name, end.line), f", {end.doing}" if end.doing else ""
    if end.state in _FAILURES:
        message = f"the build {_FAILURES[end.state]}: {end.words}"
        message += f" (line {end.line:,}{doing})" if end.state != "failed" else ""
        hint = _STOPPED if end.state == "killed" else "the lines before it in the log say why"
        return ReadError(Problem(place, "ELV404", message), hint)
    if end.state == "loaded" and end.words:
        message = f"the engine could not be loaded: {end.words}"
        return ReadError(Problem(place, "ELV403", message), _verbose(scan))
    if re.search(_RECORDS, scan.head):
        what = "these are records of single layers (get_layer_information), without the engine"
        return _refused(scan.name, "ELV402", what, "give get_engine_information(…JSON) in a file")
    if end.state == "loaded":
        message = f"an engine was loaded, not built: no layers are listed{doing}{_ran(scan)}"
        exists = f"{_verbose(scan)}; {_of_loaded(scan)}"
        return ReadError(Problem(place, "ELV403", message), exists)
    for problem in scan.problems:
        return ReadError(problem, "what could be read before this place holds no listing")
    if end.state == "ended":
        message = f"the log ends at line {end.line}{doing}, before its listing of layers"
        message += f"; {end.words}" if end.words else ""
        is_clipped = end.words.startswith("BuildKit")
        hint = "keep the whole log of the build" if is_clipped else _GOES_ON
        return ReadError(Problem(place, "ELV412", message), hint)
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
    return f"build {_BY_LOGGER}" if versions.is_rtx(_version(scan)) else _BUILD_AGAIN


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


def _refused(name: str, code: str, what: str, hint: str) -> ReadError:
    """`{}` in a hint stands for the file."""
    return ReadError(Problem(Place(name, 1), code, what), hint.format(_word(name)))


def _word(name: str) -> str:
    """The name as it is written on a command line."""
    import shlex  # for an error alone

    return visible("-" if name == "<stdin>" else shlex.quote(name))


_UNPACK: Final = "unpack it; gzip, xz and zstd alone are read as they are"
# Of what is not unpacked here.
_PACKED: Final = (
    (rb"BZh", "a bzip2 file, not a log", _UNPACK),
    (rb"PK\x03\x04", "a ZIP archive, not a log", _UNPACK),
    (rb"7z\xbc\xaf\x27\x1c", "a 7z archive, not a log", _UNPACK),
    (rb"Rar!\x1a", "a RAR archive, not a log", _UNPACK),
    (rb"\x04\x22\x4d\x18", "an LZ4 file, not a log", _UNPACK),
)
# What a file is that is not text, and what to do with it.
_NOT_TEXT: Final = (
    *_PACKED,
    (rb"\x89PNG", "a PNG picture, not a log", _BUILD_AGAIN),
    (SQLITE, "an SQLite file, not a log", f"of Nsight Systems, give the CSV of `{NSYS_STATS}`"),
    (
        ENGINE,
        "a built engine, not a log",
        "`trtexec --loadEngine={} --exportLayerInfo=layers.json`; give layers.json",
    ),
    (
        ONNX_MODEL,
        "not text: this looks like an ONNX model",
        "give the log of its build: --log_file build.log --onnx {}",
    ),
    (rb"\0*\Z", "not text: nothing but zero bytes", _BUILD_AGAIN),
    (rb"", "not text", _BUILD_AGAIN),
)
