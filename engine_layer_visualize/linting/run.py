"""Tells how trtexec ran and measured an engine."""

from __future__ import annotations

import re
from typing import Final

from engine_layer_visualize.analysis.kinds import runs_kernel
from engine_layer_visualize.core.build_info import Measure
from engine_layer_visualize.linting.subject import Subject

_DEFAULTS: Final = (11,)  # the first version whose trtexec captures a CUDA graph by default
_NOT_CAPTURED: Final = re.compile(
    r"(?i)CUDA graph capture on the stream has failed|--useCudaGraph flag has been ignored"
)
# Flags, each with the row of trtexec's options that tells of it, and the flag against it.
_OPTIONS: Final = {
    "--useSpinWait": ("Spin-wait", "--noSpinWait"),
    "--separateProfileRun": ("Separate profiling", ""),
}
_LAUNCH_MS: Final = 0.0015  # of a kernel in a graph, by the time to enqueue; in a stream it is 2 µs


def of_last_run(subject: Subject, words: re.Pattern[str]) -> list[re.Match[str]]:
    """Returns what trtexec itself warns of the last run: it stands behind the run's summary."""
    performance = subject.facts.performance
    first = performance.line or 0 if performance is not None else 0
    return [match for message, match in subject.said(words) if message.line >= first]


def gpu_time(subject: Subject) -> Measure | None:
    """Returns trtexec's row of the time on the GPU."""
    performance = subject.facts.performance
    return performance.gpu_compute if performance is not None else None


def part_of_computing(subject: Subject, name: str) -> float | None:
    """Returns the mean of a row of the last run as a part of the mean of the time on the GPU.

    It is None where one of both means is unknown or 0.
    """
    performance, computing = subject.facts.performance, gpu_time(subject)
    rows = performance.measures if performance is not None else ()
    mean = next((row.mean for row in rows if row.name == name), None)
    return mean / computing.mean if mean and computing is not None and computing.mean else None


def has_cuda_graph(subject: Subject) -> bool:
    """Whether trtexec measured the engine captured in a CUDA graph.

    Where its options are not in the log, the time to enqueue tells.
    """
    if subject.lines(_NOT_CAPTURED):
        return False
    if subject.option("CUDA Graph", "Inference") is not None:
        return _is_enabled(subject, "CUDA Graph")
    rows = subject.facts.performance.measures if subject.facts.performance is not None else ()
    took = next((row.median for row in rows if row.name == "Enqueue Time" and row.median), None)
    kernels = sum(map(runs_kernel, subject.layers)) if subject.engine.source.complete else 0
    is_quick = took is not None and took < _LAUNCH_MS * kernels
    return is_quick or _by_default(subject, "--noCudaGraph")


def can_add(subject: Subject, flag: str) -> bool:
    """Whether one of these flags would change the run: it is not on, and the version has it."""
    option, without = _OPTIONS[flag]
    is_on = _is_enabled(subject, option) or _by_default(subject, without)
    return subject.can_add(flag) and not is_on


def _by_default(subject: Subject, without: str) -> bool:
    """Whether trtexec does it unasked, from TensorRT 11 on; `without`: the flag against it."""
    is_new = subject.version is not None and subject.version >= _DEFAULTS
    return is_new and bool(subject.facts.command) and (not without or subject.can_add(without))


def _is_enabled(subject: Subject, key: str) -> bool:
    option = subject.option(key, "Inference")
    return option is not None and option.value == "Enabled"
