"""Makes snapshots of the engines of a dataset, in an order of builds, for their history.

An engine is made of its rows again, so a snapshot holds what that of its log would, but for what no
table has: clocks, times of iterations, medians of trtexec's summary, and labels.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from itertools import chain, groupby
from typing import Any, Final, NamedTuple

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.comparison.gate import coverage, evidence
from engine_layer_visualize.core.build_info import Device, EngineFacts, Option
from engine_layer_visualize.core.layer_facts import LayerFacts
from engine_layer_visualize.core.model import (
    Edge,
    Engine,
    Graph,
    Join,
    Layer,
    Listing,
    Tensor,
    Timing,
)
from engine_layer_visualize.core.problems import Place, Problem, ReadError, reason_of
from engine_layer_visualize.core.snapshot import NOWHERE, GateRun, Snapshot
from engine_layer_visualize.core.text import numbered
from engine_layer_visualize.core.wrong_values import not_among
from engine_layer_visualize.fleet.dataset import Dataset
from engine_layer_visualize.tables import arrow
from engine_layer_visualize.trt.layer_names import ends

Row = Mapping[str, Any]
_Key = tuple[str, int]  # a log and the number of its engine
# What is asked of the rows of each table.
_WANTED: Final = {
    "layers": ("layer", "name", "type", "tactic", "kernel", "ms"),
    "tensors": ("layer", "direction", "name", "dtype", "dims", "shape", "format", "strides"),
    "edges": ("from", "to", "tensor"),
    "onnx_nodes": ("layer", "node", "operator", "known_from"),
    "attributes": ("layer", "key", "value"),
    "problems": ("file", "line", "column", "code", "message"),
}


class Builds(NamedTuple):
    """The engines of a dataset, in the order of their builds."""

    number: int
    unordered: int  # how many have no value in the column that gives the order, and are left out
    unread: int  # logs of which no engine came
    # Paths and snapshots; raises ReadError (ELV401) where a part cannot be read.
    each: Iterator[tuple[str, Snapshot]]


def of(dataset: Dataset, where: str, column: str | None = None) -> Builds:
    """The builds by a column of `engines`; None: by the paths of their logs.

    Numbers in texts count as numbers.

    Raises:
        ValueError: there is no such column, or its values have no order.
        ReadError: a part cannot be read (ELV401).
    """
    table = _read(dataset, "engines", where)
    engines: list[Row] = table.to_pylist()
    paths = dataset.paths
    unread = len(paths.keys() - {row["build_id"] for row in engines})
    kept = engines
    if column is not None:
        if column not in table.column_names:
            raise ValueError(not_among("column", column, table.column_names))
        kept = [row for row in engines if row[column] is not None]
        if any(isinstance(row[column], list) for row in kept):
            raise ValueError(f"the column {column} has lists, which have no order")

    def place(row: Row) -> tuple[Any, ...]:
        by_path = (numbered(paths[row["build_id"]]), row["engine"])
        value = None if column is None else row[column]
        return (numbered(value) if isinstance(value, str) else value or 0, *by_path)

    ordered = sorted(kept, key=place)
    named = dict(zip(paths, _named(list(paths.values()))))
    of_log: dict[str, int] = defaultdict(int)
    for row in engines:
        of_log[row["build_id"]] += 1

    def label(row: Row) -> str:
        called = named[row["build_id"]] if column is None else str(row[column])
        several = of_log[row["build_id"]] > 1
        return f"{called}, engine {row['engine']}" if several else called

    def each() -> Iterator[tuple[str, Snapshot]]:
        tables = [_Table(dataset, name, where) for name in _WANTED]
        for row in ordered:
            key = row["build_id"], row["engine"]
            made = _snapshot(row, {table.name: table.rows(key) for table in tables})
            yield paths[row["build_id"]], made._replace(label=label(row))

    return Builds(len(ordered), len(engines) - len(kept), unread, each())


def _named(paths: Sequence[str]) -> list[str]:
    """Paths without the folders that all are in."""
    parts = [path.replace("\\", "/").split("/") for path in paths]
    shared = 0
    for alike in zip(*(each[:-1] for each in parts)):
        if len(set(alike)) > 1:
            break
        shared += 1
    return ["/".join(each[shared:]) for each in parts]


# ---- rows ----------------------------------------------------------------------------------------


def _read(dataset: Dataset, name: str, where: str) -> Any:
    """A table of Arrow."""
    try:
        return arrow.library().table(dataset[name])
    except (OSError, arrow.library().ArrowException) as error:
        why = reason_of(error) if isinstance(error, OSError) else str(error)
        message = f"its table {name} cannot be read: {why}"
        raise ReadError(Problem(Place(where), "ELV401", message)) from error


class _Table:
    """A table whose rows are asked for by engine."""

    def __init__(self, dataset: Dataset, name: str, where: str) -> None:
        self.name = name
        found = _read(dataset, name, where)
        self._rows = found.select(_WANTED[name])
        self._places: dict[Hashable, list[tuple[int, int]]] = defaultdict(list)
        keys = zip(found.column("build_id").to_pylist(), found.column("engine").to_pylist())
        start = 0
        for key, alike in groupby(keys):
            length = sum(1 for _ in alike)
            self._places[key].append((start, length))
            start += length

    def rows(self, key: _Key) -> list[Row]:
        """The rows of an engine, in order."""
        places = self._places.get(key, ())
        return [row for place in places for row in self._rows.slice(*place).to_pylist()]


# ---- an engine -----------------------------------------------------------------------------------


def _snapshot(row: Row, rows: Mapping[str, Sequence[Row]]) -> Snapshot:
    engine = _engine(row, rows)
    mean = row["gpu_compute_ms"]
    runs = [] if mean is None else [GateRun(row["file"], mean, kind="summary mean")]
    return evidence.of_engine([Costs(engine)], runs, findings=False).snapshot


def _engine(row: Row, rows: Mapping[str, Sequence[Row]]) -> Engine:
    problems = tuple(
        Problem(
            Place(one["file"], one["line"] or 0, one["column"] or 1), one["code"], one["message"]
        )
        for one in rows["problems"]
    )
    # The tables do not say of which listing such a problem is: the engine counts as not whole.
    cut = any(problem.code in coverage.NOT_WHOLE for problem in problems)
    measured = row["time_kind"] == "measured"
    layers = tuple(_layers(rows, measured))
    timed = sum(layer.time is not None for layer in layers)
    untimed = tuple(layer.name for layer in layers if layer.time is None)
    options = (Option(**option, line=0) for option in row["options"] or ())
    edges = (Edge(one["from"], one["to"], one["tensor"]) for one in rows["edges"])
    return Engine(
        row["engine"],
        Listing(row["file"], 0, 0, row["dialect"], "part" if cut else "whole"),
        layers,
        Graph(tuple(row["inputs"]), tuple(row["outputs"]), tuple(edges)),
        row["tensorrt"],
        profile=Join(row["file"], timed, len(layers), timed, (), untimed) if timed else None,
        problems=problems,
        facts=EngineFacts(
            tensorrt=row["tensorrt"],
            device=Device(row["device"], row["compute_capability"]),
            options=tuple(options),
        ),
    )


def _layers(rows: Mapping[str, Sequence[Row]], measured: bool) -> Iterator[Layer]:
    tensors = _by(rows["tensors"], "layer", "direction")
    nodes, attributes = _by(rows["onnx_nodes"], "layer"), _by(rows["attributes"], "layer")
    for row in rows["layers"]:
        index = row["layer"]
        printed = {one["key"]: json.loads(one["value"]) for one in attributes[index,]}
        raw, listed = printed.pop("Opaque", None), printed.pop("Listed", True)
        facts = _nodes(row["name"], nodes[index,])
        yield Layer(
            index,
            NOWHERE,
            row["type"],
            row["name"],
            row["tactic"],
            tuple(map(_tensor, tensors[index, "input"])),
            tuple(map(_tensor, tensors[index, "output"])),
            kernel=row["kernel"],
            attributes=tuple(printed.items()),
            time=Timing(row["ms"]) if measured and row["ms"] is not None else None,
            raw=raw,
            listed=listed,
            facts=facts,
        )


def _nodes(name: str, rows: Sequence[Row]) -> LayerFacts:
    """Its ONNX nodes; no table has the ends of a ForeignNode, which its name tells."""
    if not rows:
        known = tuple(chain(*ends(name)))
        return LayerFacts(onnx_nodes=known, onnx_nodes_from="name" if known else None)
    return LayerFacts(
        onnx_nodes=tuple(one["node"] for one in rows),
        onnx_nodes_from=rows[0]["known_from"],
        onnx_operators=tuple(one["operator"] or "" for one in rows),
    )


def _tensor(row: Row) -> Tensor:
    known = (row[key] for key in ("name", "dtype", "dims", "shape", "format", "strides"))
    name, dtype, dims, shape, *words = known
    return Tensor(name, dtype, dims, tuple(shape), *words)


def _by(rows: Sequence[Row], *columns: str) -> dict[tuple[Any, ...], list[Row]]:
    found: dict[tuple[Any, ...], list[Row]] = defaultdict(list)
    for row in rows:
        found[tuple(row[column] for column in columns)].append(row)
    return found
