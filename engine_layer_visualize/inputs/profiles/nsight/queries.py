"""Holds the SQL queries on a report of Nsight Systems.

They ask for work on the GPU, calls and ranges, each in order of time.
The columns of reports differ by the version of Nsight Systems; a missing one reads as NULL.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from heapq import merge
from itertools import islice
from operator import itemgetter
from typing import Any, Final, TypeAlias

from engine_layer_visualize.inputs.profiles.nsight import tables
from engine_layer_visualize.inputs.profiles.nsight.ranges import FOREVER, Name, TooMany
from engine_layer_visualize.inputs.profiles.nsight.tables import Report

WHOLE_GRAPH: Final = -1  # in the place of a graph's node: a graph that was recorded as one

Node: TypeAlias = tuple[int, int]  # of a CUDA graph: its process, and its number there
# When it began, its call's key, what it is, its nanoseconds, its node in a CUDA graph (0: none),
# and its stream (None: unknown).
Work: TypeAlias = "tuple[int, int, Name, int, int, int | None]"
Rows: TypeAlias = Iterator[tuple[Any, ...]]

_DOMAINS: Final = ("TensorRT", "myelin-exec")
# Of ENUM_NSYS_EVENT_TYPE, which old reports lack.
_RANGES: Final = {"NvtxPushPopRange": 59, "NvtxStartEndRange": 60}
_DOMAIN: Final = {"NvtxDomainCreate": 75}
_PROCESS: Final = 0xFFFFFF000000  # bits of globalTid and globalPid
_COPIES: Final = (
    "'[CUDA memcpy' || CASE {} WHEN 1 THEN ' Host-to-Device' WHEN 2 THEN ' Device-to-Host' "
    "WHEN 8 THEN ' Device-to-Device' WHEN 10 THEN ' Peer-to-Peer' ELSE '' END || ']'"
)
_RUNS: Final = "ExecutionContext::%"
_WAITING: Final = ("cu%Query%", "cu%Synchronize%", "cu%GetLastError%")
_MOST_DOMAINS: Final = 100  # in one condition of SQL; a process has a few
_AND: Final = " AND "
MOST_NODES: Final = 1 << 20  # of CUDA graphs: a few hundred bytes of memory for each


def work(report: Report, sort: bool) -> Iterator[Work]:
    """Kernels, copies, sets and whole graphs."""
    copies = _COPIES.format(report.known(tables.COPIES, "copyKind"))
    named = {
        tables.KERNELS: report.known(tables.KERNELS, "demangledName", "shortName"),
        tables.COPIES: copies,
        tables.SETS: "'[CUDA memset]'",
        tables.GRAPHS: "'[CUDA graph]'",
    }
    process = "globalPid" if by_process(report) else ""
    streams: list[Rows] = []
    for table, name in named.items():
        if not report.has(table, "start", "end", "correlationId"):
            continue
        node = report.known(table, "graphNodeId")
        node = str(WHOLE_GRAPH) if table == tables.GRAPHS else f"COALESCE({node},0)"
        stream = f"{report.known(table, 'deviceId')} << 32 | {report.known(table, 'streamId')}"
        columns = ("start", _key(process), name, "end-start", node, stream)
        complete = "end >= start AND correlationId IS NOT NULL"
        streams.append(report.rows(table, columns, complete, "start" if sort else ""))
    return _merged(streams)


def calls(report: Report, sort: bool) -> Iterator[tuple[int, int, int]]:
    """API calls, and nodes as they are added to a CUDA graph.

    Each has its time, its thread and its key; a graph node's key is its negated id.
    """
    order = "start" if sort else ""
    key = _key("globalTid" if by_process(report) else "")
    where = f"correlationId IS NOT NULL{_launching(report)}"
    streams = [report.rows(tables.CALLS, ("start", "globalTid", key), where, order)]
    if report.has(tables.NODES, "start", "globalTid", "graphNodeId"):
        columns = ("start", "globalTid", "-graphNodeId")
        streams.append(report.rows(tables.NODES, columns, "graphNodeId > 0", order))
    return _merged(streams)


def _launching(report: Report) -> str:
    """The condition on a call that leaves out those by which a host waits, often in a loop."""
    waiting = _texts_like(report, *_WAITING) if report.has(tables.CALLS, "nameId") else {}
    return f" AND (nameId IS NULL OR nameId NOT IN ({_list(waiting)}))" if waiting else ""


def ranges(report: Report, sort: bool) -> Iterator[tuple[int, int, int, Name]]:
    """NVTX ranges of TensorRT: start, end, thread, name.

    If no domain is known, ranges of all domains.
    """
    name = report.known(tables.NVTX, "text", "textId")
    columns = ("start", f"MAX(COALESCE(end,{FOREVER}),start)", "globalTid", f"COALESCE({name},'')")
    kinds = ",".join(map(str, _ids(report, _RANGES)))
    where = f"eventType IN ({kinds}) AND globalTid IS NOT NULL AND {_of_tensorrt(report)}"
    # Of ranges with equal times the run is the outermost, so it sorts first.
    runs = f"{name} NOT LIKE '{_RUNS}' AND {name} NOT IN ({_list(_texts_like(report, _RUNS))})"
    order = f"start, COALESCE(end,{FOREVER}) DESC, {runs}" if sort else ""
    return report.rows(tables.NVTX, columns, where, order)


def copied_nodes(report: Report) -> dict[Node, int]:
    """A node of a CUDA graph -> the number of the one that it was made of. Raises TooMany."""
    if not report.has(tables.NODES, "globalTid", "graphNodeId", "originalGraphNodeId"):
        return {}
    process = f"(globalTid & {_PROCESS}) >> 24" if by_process(report) else "0"
    columns = (process, "graphNodeId", "originalGraphNodeId")
    originals: dict[Node, int] = {}
    for process_id, node, original in report.rows(tables.NODES, columns, "originalGraphNodeId > 0"):
        originals[process_id, node] = original
        if len(originals) > MOST_NODES:
            raise TooMany(f"more than {MOST_NODES:,} nodes of CUDA graphs")
    return originals


def marked(report: Report) -> dict[int, str]:
    """The texts in StringIds by which a run or a build is known."""
    return _texts_like(report, _RUNS, "%build%")


def _texts_like(report: Report, *patterns: str) -> dict[int, str]:
    """The texts in StringIds that one of the patterns of SQL matches, by their ids."""
    if not report.has(tables.STRINGS, "id", "value"):
        return {}
    where = " OR ".join(f"value LIKE '{pattern}'" for pattern in patterns)
    rows = report.rows(tables.STRINGS, ("id", "value"), where)
    return {int(key): str(text) for key, text in rows}


def _merged(streams: list[Rows]) -> Rows:
    if len(streams) == 1:  # as nearly always
        return streams[0]
    # A generator that ends early closes what it is in, and a cursor cannot be after its database.
    return merge(
        *((row for row in stream) for stream in streams), key=itemgetter(0)
    )  # when it begins


def by_process(report: Report) -> bool:
    """Whether all tables say of which process a row is."""
    of_gpu = (tables.KERNELS, tables.COPIES, tables.SETS, tables.GRAPHS)
    return all(report.has(table, "globalPid") for table in of_gpu if report.has(table))


def _key(process: str) -> str:
    """A call's correlation id, which counts in each process from 1."""
    return f"(({process} & {_PROCESS}) << 8) | correlationId" if process else "correlationId"


def _ids(report: Report, named: dict[str, int]) -> list[int]:
    """The numbers of these kinds of events in this report."""
    if not report.has(tables.EVENT_TYPES, "id", "name"):
        return list(named.values())
    where = " OR ".join(f"name = '{name}'" for name in named)
    numbers = [int(key) for (key,) in report.rows(tables.EVENT_TYPES, ("id",), where)]
    return numbers or list(named.values())


def _of_tensorrt(report: Report) -> str:
    """The condition on a row that is TensorRT's.

    In a process without a TensorRT domain, rows of unnamed domains are taken.
    """
    if not report.has(tables.NVTX, "domainId"):
        return "1"
    name = report.known(tables.NVTX, "text", "textId")
    columns = (f"globalTid & {_PROCESS}", "domainId", name)
    kinds = ",".join(map(str, _ids(report, _DOMAIN)))
    domains = list(islice(report.rows(tables.NVTX, columns, f"eventType IN ({kinds})"), 10_000))
    texts = report.strings({text_id for _, _, text_id in domains if isinstance(text_id, int)})
    tensorrts: dict[int | None, set[int]] = defaultdict(set)
    others: dict[int | None, set[int]] = defaultdict(set)
    for process, domain, text_id in domains:
        if isinstance(domain, int) and (text := texts.get(text_id, text_id)):
            (tensorrts if text in _DOMAINS else others)[process].add(domain)
    everywhere = tensorrts.pop(None, set())
    if everywhere and not tensorrts:
        return f"domainId IN ({_list(everywhere)})"
    if len(tensorrts) > _MOST_DOMAINS or len(others) > _MOST_DOMAINS:
        return "1"
    of = f"globalTid & {_PROCESS}"
    told = [
        f"({of} = {key} AND domainId IN ({_list(ids | everywhere)}))"
        for key, ids in tensorrts.items()
    ]
    rest = [f"{of} NOT IN ({_list(tensorrts)})"]
    for key, ids in others.items():
        named = f"IFNULL(domainId,-1) IN ({_list(ids)})"
        rest.append(f"NOT ({named})" if key is None else f"NOT ({of} = {key} AND {named})")
    return f"({' OR '.join([*told, f'({_AND.join(rest)})'])})"


def _list(numbers: Any) -> str:
    """The numbers as a list of SQL: the least, at most _MOST_DOMAINS of them."""
    return ",".join(map(str, sorted(numbers)[:_MOST_DOMAINS]))
