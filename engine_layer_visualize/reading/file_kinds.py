"""Tells by its content whether a file holds times, or a model, and no log."""

from __future__ import annotations

import os
import re
from typing import Final

from engine_layer_visualize.core.problems import ReadError
from engine_layer_visualize.io.source import Source
from engine_layer_visualize.reading import listings
from engine_layer_visualize.reading.other_files import ITERATION_TIMES, ONNX_MODEL, SQLITE, no_log
from engine_layer_visualize.reading.wrapping import unwrapped

# Of few times, and of most logs. To find what a log is wrapped in takes ten times as long.
_VERBOSE: Final = re.compile(rb"\[V(?:ERBOSE)?\] |^VERBOSE: ", re.MULTILINE)


def has_times_alone(path: str) -> bool:
    """Whether the file is a profile, or another file beside a log; not one that cannot be read."""
    try:
        source = Source(path)
        if source.start().startswith(SQLITE):
            return True
        head = source.head()
        if _VERBOSE.search(head) and not _are_times(head):
            return False
        head = Source(path, unwrap=unwrapped).head()
    except ReadError:
        return False
    return listings.of_file(head) is None and _are_times(head)


def _are_times(head: bytes) -> bool:
    # A list in JSON is no log; an object may be one that docker wrapped.
    if head.lstrip().startswith(b"["):
        from engine_layer_visualize.reading import trtexec_json

        if trtexec_json.sniff(head):
            return True
    return no_log(head) is not None


def has_times_of_runs(path: str) -> bool:
    """Whether the file holds times of iterations; not one that cannot be read."""
    try:
        return re.match(ITERATION_TIMES, Source(path).head().lstrip()) is not None
    except ReadError:
        return False


def is_sqlite(path: str) -> bool:
    """Whether the file is a database, such as a report of Nsight Systems; not one in a pipe."""
    try:
        return os.path.isfile(path) and Source(path).start().startswith(SQLITE)
    except ReadError:
        return False


def is_model(path: str) -> bool:
    """Whether the file looks like an ONNX model; not one that cannot be read."""
    try:
        return re.match(ONNX_MODEL, Source(path).start()) is not None
    except ReadError:
        return False
