"""Files of times: from a path come its profiles (rows with names and times), and problems.

One module per format. A new one is a module that gives `FORMAT`, with `sniff(head: bytes)` and
`read(source)`, and its name in FORMATS. `read` takes `source.text()` or `source.spans()`. It raises
ReadError (ELV201) where no row can be used.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Final, TypeAlias

from engine_layer_visualize.core.model import Profile
from engine_layer_visualize.core.problems import Place, Problem, ReadError
from engine_layer_visualize.io.source import MAX_WHOLE, Source, Span, decode
from engine_layer_visualize.reading.listings import Format, find
from engine_layer_visualize.reading.other_files import (
    ITERATION_TIMES,
    NSYS_READ,
    NSYS_STATS,
    SQLITE,
    no_log,
)

ProfileFormat: TypeAlias = Format[Callable[[Source], tuple[list[Profile], list[Problem]]]]

Unwrap: TypeAlias = Callable[[Iterator[Span]], Iterator[Span]]

# Names of modules, in the order in which they are tried.
FORMATS: Final = (
    "nsight",
    "chrome_trace",
    "gpu_trace",
    "trtexec_json",
    "trtexec_table",
    "torch_table",
    "name_ms_text",
)


def read(path: str | Path, unwrap: Unwrap = iter) -> tuple[list[Profile], list[Problem]]:
    """All profiles of one file, whose format its content decides. Raises ReadError.

    `unwrap`: takes off what other programs put around the lines of a log.
    """
    source = Source(path, max_line=MAX_WHOLE, unwrap=unwrap)
    if source.start().startswith(SQLITE):
        message = "an SQLite file: of Nsight Systems, the CSV of `nsys stats` is read"
        raise ReadError(Problem(Place(source.name, 1), "ELV201", message), NSYS_STATS)
    head = source.head()
    if re.match(ITERATION_TIMES, head.lstrip()):
        message = "no profile: these are the times of whole runs (trtexec's --exportTimes)"
        raise ReadError(Problem(Place(source.name, 1), "ELV201", message))
    format = of_head(head, FORMATS)
    if format is None:  # the rows may stand further down, as in the log of a run
        head = source.head(MAX_WHOLE + 1)
        if len(head) > MAX_WHOLE:
            raise source.too_large()
        format = of_head(head, FORMATS)
    if format is None:
        if (other := no_log(head)) is not None and other[1] == NSYS_READ:
            raise ReadError(Problem(Place(source.name, 1), "ELV402", "; ".join(other)))
        what = "neither JSON, nor a printed table, nor `name: 0.1ms` lines, nor CSV of `nsys stats`"
        what = what if decode(head).strip() else "empty"
        raise ReadError(Problem(Place(source.name, 1), "ELV201", f"no profile: {what}"))
    profiles, problems = format.read(source)
    return profiles, [*source.problems, *problems]


def of_head(head: bytes, modules: Iterable[str]) -> ProfileFormat | None:
    """The format of a file that begins so; None where it is of none of these modules."""
    return find(head, __package__ or "", modules)
