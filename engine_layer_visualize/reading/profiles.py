"""Files of times: from a path come its profiles (rows with names and times), and problems."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Final, NamedTuple

from engine_layer_visualize.core.model import Profile
from engine_layer_visualize.core.problems import Place, Problem, ReadError
from engine_layer_visualize.io.source import MAX_WHOLE, Source, decode
from engine_layer_visualize.reading import file_kinds, nsight, profile_json, profile_tables
from engine_layer_visualize.reading.wrapping import unwrapped


class Format(NamedTuple):
    """A format of files of times."""

    #: Whether a file that begins with these bytes is of this format.
    sniff: Callable[[bytes], bool]
    #: Its profiles, none where no row can be used, and problems; may raise ReadError.
    read: Callable[[Source], tuple[list[Profile], list[Problem]]]
    #: What to say where it has neither.
    empty: str


# In the order in which they are tried.
FORMATS: Final = {
    "nsight": Format(
        nsight.are_ranges,
        nsight.read_ranges,
        "a report of `nsys stats` without TensorRT's ranges: record `--trace=cuda,nvtx`",
    ),
    "chrome_trace": Format(
        profile_json.is_trace, profile_json.read_trace, "a trace without complete events"
    ),
    "gpu_trace": Format(
        nsight.are_launches, nsight.read_launches, "a trace of the GPU without launches"
    ),
    "trtexec_json": Format(profile_json.holds_rows, profile_json.read_trtexec, "no rows"),
    "trtexec_table": Format(
        profile_tables.is_trtexec, profile_tables.read_trtexec, "a profile table without rows"
    ),
    "name_ms_text": Format(profile_tables.are_lines, profile_tables.read_lines, "no rows"),
}


def read(given: str | Path | Source) -> tuple[list[Profile], list[Problem]]:
    """All profiles of one file, whose format its content decides. Raises ReadError."""
    if isinstance(given, Source):
        source = given
    else:
        source = Source(given, max_line=MAX_WHOLE, unwrap=unwrapped)

    def wrong(message: str, hint: str = "", code: str = "ELV201") -> ReadError:
        return ReadError(Problem(Place(source.name, 1), code, message), hint)

    if source.start().startswith(file_kinds.SQLITE):
        told = "an SQLite file: of Nsight Systems, the CSV of `nsys stats` is read"
        raise wrong(told, file_kinds.NSYS_STATS)
    head = source.head()
    if re.match(file_kinds.ITERATION_TIMES, head.lstrip()):
        raise wrong("no profile: these are the times of whole runs (trtexec's --exportTimes)")
    format = of_head(head)
    if format is None and b"\0" not in head:  # the rows may stand further down, as in a run's log
        head = source.head(MAX_WHOLE + 1)
        if len(head) > MAX_WHOLE:
            raise source.too_large()
        format = of_head(head)
    if format is None:
        if (other := file_kinds.no_log(head)) is not None and other[1] == file_kinds.NSYS_READ:
            raise wrong("; ".join(other), code="ELV402")
        what = "neither JSON, nor a printed table, nor `name: 0.1ms` lines, nor CSV of `nsys stats`"
        raise wrong(f"no profile: {what if decode(head).strip() else 'empty'}")
    profiles, problems = format.read(source)
    if not profiles:
        unread = next((one for one in problems if one.code == "ELV204"), None)
        raise ReadError(unread) if unread else wrong(format.empty)
    return profiles, [*source.problems, *problems]


def of_head(head: bytes) -> Format | None:
    """The format of a file that begins so; None where it is of none."""
    return next((format for format in FORMATS.values() if format.sniff(head)), None)
