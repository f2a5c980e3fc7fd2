"""Reads a report: a profile for each engine that ran, and problems."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Final

from engine_layer_visualize.core.garbage import no_collections
from engine_layer_visualize.core.model import Profile
from engine_layer_visualize.core.problems import Place, Problem, ReadError
from engine_layer_visualize.core.text import count, milliseconds
from engine_layer_visualize.inputs.profiles.nsight import queries, samples, tables
from engine_layer_visualize.inputs.profiles.nsight.ranges import TooMany, Unsorted
from engine_layer_visualize.inputs.profiles.nsight.sweep import MOST_WAITING, Sweep
from engine_layer_visualize.inputs.profiles.nsight.tables import Report

_NODES: Final = "record with `nsys profile --cuda-graph-trace=node`"


def read(name: str, path: Path | None) -> tuple[list[Profile], list[Problem]]:
    """Reads the report.

    Args:
        name: the file's, as it stands in places.
        path: None where it is no file of its own.

    Raises:
        ReadError: no layer of any engine can be timed by it (ELV201).
    """

    def unusable(message: str) -> ReadError:
        return ReadError(Problem(Place(name, 1), "ELV201", message))

    if path is None:
        raise unusable("an SQLite file that is packed or comes from a pipe: unpack it into a file")
    try:
        with Report(path) as report, no_collections():
            if (missing := _missing(report)) is not None:
                raise unusable(missing)
            sweep = _swept(report)
            if not sweep.runs.start:
                raise unusable("an Nsight Systems report without runs of TensorRT's engines")
            strings = report.strings(samples.ids(sweep.runs))
            profiles = samples.profiles(sweep.runs, strings, name)
    except TooMany as error:
        raise unusable(f"an Nsight Systems report with {error}") from None
    except (TypeError, OverflowError):
        raise unusable("a damaged SQLite file: a time in it is none") from None
    except (sqlite3.Error, ValueError) as error:
        raise unusable(f"a damaged SQLite file: {error}") from None
    if not profiles:
        raise unusable(_nothing(sweep))
    return profiles, _lost(sweep, name)


def _missing(report: Report) -> str | None:
    """What the file would have to have."""
    if not (report.has(tables.NVTX) or report.has(tables.CALLS) or report.has(tables.KERNELS)):
        return "an SQLite file, but no export of Nsight Systems"
    if not report.has(tables.NVTX, "start", "end", "eventType", "globalTid"):
        return "an Nsight Systems report without NVTX ranges: record with `--trace=cuda,nvtx`"
    if not report.has(tables.CALLS, "start", "globalTid", "correlationId"):
        return "an Nsight Systems report without CUDA calls: record with `--trace=cuda,nvtx`"
    return None


def _swept(report: Report) -> Sweep:
    """Most reports stand in order of time; what does not is sorted, and all is read again."""
    marked, copied = queries.marked(report), queries.copied_nodes(report)
    by_process = queries.by_process(report)
    sort: set[str] = set()
    while True:
        sweep = Sweep(
            queries.work(report, "work" in sort),
            queries.calls(report, "calls" in sort),
            queries.ranges(report, "ranges" in sort),
            lambda name: name if isinstance(name, str) else marked.get(name, ""),
            copied,
            by_process,
        )
        try:
            sweep.run()
        except Unsorted as stream:
            if str(stream) in sort:
                raise ValueError("times that cannot be sorted") from None
            sort.add(str(stream))
        else:
            return sweep


def _nothing(sweep: Sweep) -> str:
    if sweep.lost[0]:
        return f"an Nsight Systems report that holds CUDA graphs as a whole: {_NODES}"
    if any(map(sweep.runs.is_before_build, range(len(sweep.runs.start)))):
        return "an Nsight Systems report in which no run on the GPU follows the last build"
    return "an Nsight Systems report in which no run launched work on the GPU"


def _lost(sweep: Sweep, file: str) -> list[Problem]:
    """Warnings where some time is of no layer."""
    graphs, ns = sweep.lost
    kernels, of_kernels = sweep.strange
    said = []
    if graphs:
        of = "1 CUDA graph was" if graphs == 1 else f"{graphs:,} CUDA graphs were"
        said.append(
            f"{of} recorded as a whole, and no layer has their {milliseconds(ns / 1e6)}: {_NODES}"
        )
    if kernels:
        said.append(
            f"{count(kernels, 'kernel')} of CUDA graphs that were captured before the recording, "
            f"and no layer has their {milliseconds(of_kernels / 1e6)}: record the capture, too"
        )
    kernels, of_kernels = sweep.late
    if kernels:
        said.append(
            f"{count(kernels, 'kernel')} of runs began after more than {MOST_WAITING // 2:,} "
            f"later calls, and no layer has their {milliseconds(of_kernels / 1e6)}: "
            "let the host wait for the device now and then"
        )
    return [Problem(Place(file, 1), "ELV706", message) for message in said]
