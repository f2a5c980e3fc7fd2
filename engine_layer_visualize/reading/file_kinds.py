"""Tells by its content what a file is that is no log: times, a model, what was made of a log."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from typing import Final

from engine_layer_visualize.core.problems import ReadError
from engine_layer_visualize.io.source import Source
from engine_layer_visualize.reading import inspector_json
from engine_layer_visualize.reading.envelopes import ROW_KEYS
from engine_layer_visualize.reading.hosts import COLOR
from engine_layer_visualize.reading.wrapping import unwrapped

ENGINE: Final = rb"[a-z]trt\0"
# Its first field is the version of ONNX; what follows begins with one of these fields.
ONNX_MODEL: Final = rb"\x08[\x01-\x1f][\x12\x1a\x22\x28\x32\x3a\x42]"
ITERATION_TIMES: Final = rb'\[\s*\{\s*"start\w{1,9}Ms"\s*:'  # of trtexec's --exportTimes
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
NSYS_READ: Final = (
    "read are nvtx_kern_sum, nvtx_gpu_proj_sum, nvtx_gpu_proj_trace and cuda_gpu_trace"
)
# Profiles in JSON. Compiled by `re` when they are needed: most heads are no JSON.
_JSONS: Final = (
    (rb'\{\s*"traceEvents"|\[\s*\{[^{}]{0,999}"ph"\s*:\s*"', "a Chrome trace"),
    (
        rb'\[\s*\{\s*"(?:count"\s*:\s*\d{1,18}\s*[,}]|name"[^{}]{0,9999}"(?:average|time)Ms"\s*:)',
        "trtexec's --exportProfile",
    ),
    (rb'\[\s*\{\s*"Start ?\(\w{1,4}\)"\s*:', "`nsys stats`, as JSON"),
)
_OF_RUNS: Final = (
    "these are the times of whole runs (trtexec's --exportTimes), not a log",
    "give the log of the build; for the layers' times, trtexec --exportProfile=prof.json",
)
_TABLE: Final = rb"=== Profile \(|Layer {1,999}Time \(ms\) {1,99}Avg|Time ?\(ms\) {1,99}Avg\. ?\("
# The headers of what `nsys stats` writes as CSV: of ranges, of launches, of any report.
# e.g. Range,Style,Total Proj Time (ns),Total Range Time (ns),Range Instances,Proj Avg (ns)
NSYS_RANGES: Final = rb"(?m)^[^\n]{0,999}(?:NVTX Range|Total Proj Time|Projected Duration)"
_GPU_TRACE: Final = rb'"?Start ?\(\w{1,4}\)"?,"?Duration'
# e.g. Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name
_NSYS: Final = (
    rb'"?([A-Z][\w ]{0,40}(?:\([\w%]{1,4}\))?)"?,'
    rb'(?:"?[\w %-]{1,40}(?:\([\w%]{1,4}\))?"?,){0,40}?"?[\w ]{1,40}\([munse]{1,4}c?\)"?(?:,|$)'
)
_ROW: Final = rb": *[0-9.]{1,24}(?:e[-+]?\d{1,3})? ?ms$"
_TABLE_WITHIN: Final = 5  # lines of a file that is a table: it begins with its header
_HEAD: Final = 1 << 14  # bytes in which a table or its rows are looked for
_LINE_END: Final = 1 << 10  # bytes of a line that are looked at: a name may be long


def no_log(head: bytes) -> tuple[str, str] | None:
    """What a file is that is no log, and what to do with it."""
    text = head.lstrip()
    for pattern, of in _JSONS if text.startswith((b"[", b"{")) else ():
        if re.match(pattern, text):
            return f"this is a profile ({of}), not a log: it has times, but no engine", WITH_LOG
    if text.startswith(b"[") and re.match(ITERATION_TIMES, text):
        return _OF_RUNS
    plain = COLOR.sub(b"", head[:_HEAD])
    lines = [line.rstrip() for line in plain.split(b"\n") if line.strip()]
    for line in lines[:_TABLE_WITHIN]:
        if re.match(_GPU_TRACE, line) or re.search(NSYS_RANGES, line):
            return "this is a profile (`nsys stats`, as CSV), not a log of a build", WITH_LOG
        if (header := re.match(_NSYS, line)) is not None:
            column = header[1].decode()
            return f"this is a report of `nsys stats` that begins with `{column}`", NSYS_READ
    if any(re.search(_TABLE, line[:_LINE_END]) for line in lines[:_TABLE_WITHIN]):
        return "this is a profile (a table that trtexec printed), not a log of a build", WITH_LOG
    rows = sum(re.search(_ROW, line[-_LINE_END:]) is not None for line in lines)
    if lines and rows * 2 > len(lines):
        return "this is a profile (`name: 0.1ms` lines), not a log of a build", WITH_LOG
    return None


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
    return not inspector_json.is_in(head) and (are_times(head) or holds_json(head))


def holds_json(head: bytes) -> bool:
    """Whether a text without a listing of lines holds a listing or times in JSON."""
    is_json = inspector_json.is_in(head) or any(key in head for key in ROW_KEYS)
    return is_json and not any(mark in head for mark in _LISTED)


def is_listing(path: str) -> bool:
    """Whether the file looks like a log of a build, or a listing; not one that cannot be read."""
    if has_times_alone(path):
        return False
    head = _first(path, Source.head)
    marks = (*_LISTED, inspector_json.LAYERS, b"Layers:")
    return _VERBOSE.search(head) is not None or any(mark in head for mark in marks)


def are_times(head: bytes) -> bool:
    """Whether a text begins as a profile, or another file beside a log."""
    # A list in JSON is no log; an object may be one that docker wrapped.
    return _is_list(head) or no_log(head) is not None


def _is_list(head: bytes) -> bool:
    """Whether it is a list in JSON, but no trace of Chrome's, which may lack its end."""
    if not head.lstrip().startswith(b"["):
        return False
    from engine_layer_visualize.reading.profile_json import is_json, is_trace

    return is_json(head) and not is_trace(head)


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
