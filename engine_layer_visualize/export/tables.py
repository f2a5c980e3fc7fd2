"""Makes the tables of engines, layers, tensors, edges, findings and others, also for Python."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain, repeat
from operator import attrgetter
from typing import Any, Final, TypeAlias

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.kinds import is_reformat
from engine_layer_visualize.analysis.reformat_reasons import without_reason
from engine_layer_visualize.core.model import Engine
from engine_layer_visualize.core.problems import Problem
from engine_layer_visualize.core.text import not_among
from engine_layer_visualize.export import columns
from engine_layer_visualize.export.columns import FIRST, Column, Record, Row, Schema, column
from engine_layer_visualize.facts import sentences
from engine_layer_visualize.facts.engine import ENGINE
from engine_layer_visualize.facts.field import TEXTS, Field, ListOf, Struct, Type, by_name, of_place
from engine_layer_visualize.facts.layer import BY_KEY, IN_TABLES, LAYER, TENSOR, TENSORS
from engine_layer_visualize.linting import findings_of
from engine_layer_visualize.linting.subject import Subject

_Rows: TypeAlias = Callable[[Subject], Iterable[Row]]

SCHEMAS: Final[dict[str, Schema]] = {}  # by name


def _table(*columns: Column) -> Callable[[_Rows], _Rows]:
    """Makes a table of what yields its rows of an engine, with the name and the docstring of that.

    The columns that every table begins with stand before these.
    """

    def made(rows: _Rows) -> _Rows:
        doc = rows.__doc__ or ""
        SCHEMAS[rows.__name__] = Schema(rows.__name__, doc, (*FIRST, *columns), rows)
        return rows

    return made


def _cell(field: Field[Any]) -> Callable[[Subject, Any], object]:
    """What makes a field's cell."""
    value = field.value
    if field.type is TENSORS:
        names = attrgetter(*IN_TABLES)
        return lambda subject, item: list(map(names, value(subject, item)))
    if field.type is not str:
        return value

    def text(subject: Subject, item: Any) -> str | None:
        known = value(subject, item)
        return known if known is None or isinstance(known, str) else str(field.words(known))

    return text


_ENGINE: Final = by_name(
    of_place(ENGINE, "table"),
    (
        *("dialect", "tensorrt", "device", "compute_capability", "precisions", "layers", "edges"),
        *("ms", "time_kind", "latency_ms", "throughput_qps", "file", "first_line", "last_line"),
        *("timed", "of_profile_ms", "gpu_compute_ms", "inputs", "outputs", "reformats", "macs"),
        *("macs_known", "sms", "memory_mib", "memory", "peak_cpu_mib", "peak_gpu_mib", "options"),
    ),
)
_LAYER: Final = by_name(
    of_place(LAYER, "table"),
    (
        *("layer", "line", "name", "type", "tactic", "kernel", "ms", "time_kind", "build_ms"),
        *("runner", "onnx_nodes", "inputs", "outputs", "share", "median_ms", "runs", "precision"),
        *("optimization_profile", "tactics_tried", "host_persistent", "device_persistent"),
        *("scratch", "weights", "macs", "bytes", "intensity", "bound_ms", "bound_by"),
        *("efficiency", "scope", "listed"),
    ),
)
_TENSOR: Final = by_name(
    of_place(TENSOR, "table"), ("name", "dtype", "shape", "format", "strides", "bytes", "dims")
)
_COLUMN: Final = {field.name: column(field) for field in _LAYER}
_OF_LAYER: Final = _COLUMN["layer"]
_REASON: Final = attrgetter("before", "after", "changes", "origin")
_TIME_KIND: Final = Column("time_kind", str, "whether `ms` is measured or estimated")
_LAYER_CELLS: Final = tuple(map(_cell, _LAYER))
_TENSOR_CELLS: Final = tuple(map(_cell, _TENSOR))


@_table(*map(column, _ENGINE))
def engines(subject: Subject) -> Iterable[Row]:
    """Each engine, in one row."""
    yield tuple(field.value(subject, subject.engine) for field in _ENGINE)


@_table(*_COLUMN.values())
def layers(subject: Subject) -> Iterable[Row]:
    """Each layer of an engine."""
    for layer in subject.engine.layers:
        yield tuple([cell(subject, layer) for cell in _LAYER_CELLS])


@_table(
    _OF_LAYER,
    Column("direction", str, "input or output of the layer"),
    Column("position", int, "among the layer's inputs or outputs, from 0"),
    *map(column, _TENSOR),
)
def tensors(subject: Subject) -> Iterable[Row]:
    """Each tensor that a layer reads or writes, as the layer's record prints it."""
    for layer in subject.engine.layers:
        for direction, several in (("input", layer.inputs), ("output", layer.outputs)):
            for position, tensor in enumerate(several):
                cells = [cell(subject, tensor) for cell in _TENSOR_CELLS]
                yield layer.index, direction, position, *cells


@_table(
    Column("from", int, "index of its writer; null: the engine's input, or none is listed"),
    Column("to", int, "index of its reader; null: the engine's output, or none is listed"),
    Column("tensor", str, "name of the tensor"),
)
def edges(subject: Subject) -> Iterable[Row]:
    """Which layer reads which tensor of which other layer, and the engine's inputs and outputs."""
    for edge in subject.engine.graph.edges:
        yield edge.source, edge.target, edge.tensor


@_table(
    _OF_LAYER,
    Column("reason", str, "what its neighbours write and read"),
    _COLUMN["ms"],
    Column("from", str, "type and format that it reads"),
    Column("to", str, "type and format that it writes"),
    Column("name", str, "of the layer"),
    _TIME_KIND,
    _COLUMN["share"],
    Column("changes", TEXTS, "type, format, copy, or untold where the formats are unknown"),
    Column("origin", str, "the builder's own word for why it is there"),
)
def reformats(subject: Subject) -> Iterable[Row]:
    """Each reformat, and why it is there."""
    for layer in filter(is_reformat, subject.engine.layers):
        why, costs = subject.reasons.get(layer.index), subject.costs
        before, after, changes, origin = (None,) * 4 if why is None else _REASON(why)
        yield (
            layer.index, without_reason(layer) if why is None else why.text, costs.of(layer),
            before, after, layer.name, subject.kind(layer), costs.share(layer), changes, origin,
        )  # fmt: skip


@_table(
    _OF_LAYER,
    Column("node", str, "name of the node"),
    Column("operator", str, "operator of the node"),
    Column("known_from", str, "metadata, the graph of the log or model, or the layer's name"),
)
def onnx_nodes(subject: Subject) -> Iterable[Row]:
    """The ONNX nodes that became each layer; none of a network that is not known to be ONNX."""
    nodes = BY_KEY["facts.onnx_nodes"]
    for layer in subject.engine.layers:
        operators = chain(layer.known.onnx_operators, repeat(None))
        source = layer.facts.onnx_nodes_from if layer.facts is not None else "metadata"
        for node, operator in zip(nodes.value(subject, layer) or (), operators):
            yield layer.index, node, operator or None, source


_FINDING: Final = attrgetter(
    *("code", "rule.severity", "rule.name", "cause", "rank", "touches_ms", "saves_ms", "ms_kind"),
    *("layers", "message", "advice"),
)


@_table(
    Column("code", str, "of the rule, such as F02"),
    Column("severity", str, "hint, warning or error"),
    Column("name", str, "of the rule"),
    Column("cause", str, "key of what a person changes"),
    Column("rank", int, "its place among the findings of the engine, 1 first"),
    Column("touches_ms", float, "time of its layers in one inference", "ms"),
    Column("ms", float, "what the log shows can be saved", "ms"),
    _TIME_KIND,
    Column("layers", ListOf(int), "indices of the layers whose time it counts"),
    Column("message", str, "what was found, and why"),
    Column("advice", str, "what to try"),
    Column(
        "evidence",
        ListOf(Struct((("line", int), ("text", str)))),
        "lines of the log that it rests on",
    ),
)
def findings(subject: Subject) -> Iterable[Row]:
    """What may be wrong with an engine, as `lint` finds it."""
    for finding in findings_of(subject):
        yield *_FINDING(finding), [(fact.line, fact.text) for fact in finding.evidence]


@_table(
    Column("file", str, "name of the file"),
    Column("line", int, "line of that file"),
    Column("column", int, "column of that line, from 1"),
    Column("severity", str, "warning or error"),
    Column("code", str, "such as ELV102"),
    Column("message", str, "what is wrong"),
)
def problems(subject: Subject) -> Iterable[Row]:
    """What could not be read, of an engine and of its log (of a log: with each of its engines)."""
    return map(of_problem, subject.engine.problems)


def of_problem(problem: Problem) -> Row:
    """Returns the cells of a problem."""
    place = problem.place
    return place.file, place.line, place.column, problem.severity, problem.code, problem.message


_DTYPES: Final[dict[Type, str]] = {int: "Int64", float: "float64", str: "string", bool: "boolean"}


class Table:
    """One table about the engines of a build, as docs/reference.md describes it.

    `name`, `doc`: what it holds; `columns`: each with its `name`, `type`, `unit` and `doc`, which
    do not depend on the engine. pandas (from 3.0), Polars, pyarrow and DuckDB read a table as it
    is, where pyarrow is installed: `polars.DataFrame(build.tables["layers"])`.
    """

    def __init__(self, schema: Schema, subjects: Sequence[Subject]) -> None:
        self._schema, self._subjects = schema, subjects
        self.name: str = schema.name
        self.doc: str = schema.doc
        self.columns: tuple[Column, ...] = schema.columns

    def rows(self) -> Iterator[Record]:
        """The rows, one by one: cells in the order of the columns, or by name (`row["ms"]`).

        A cell that is not known is None.
        """
        return columns.records(self._schema, self._rows())

    def _rows(self) -> Iterator[Row]:
        return chain.from_iterable(map(self._schema.rows_of, self._subjects))

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The table as a stream of Arrow, of which others make frames.

        Raises:
            ModuleNotFoundError: pyarrow is not installed.
        """
        files = dict.fromkeys(subject.engine.source.file for subject in self._subjects)
        made = columns.schema(self._schema, tuple(files))
        reader = columns.pyarrow().RecordBatchReader
        stream = reader.from_batches(made, columns.batches(self._rows(), made))
        return stream.__arrow_c_stream__(requested_schema)

    def to_pandas(self) -> Any:
        """A `pandas.DataFrame`, whose types do not depend on the engine.

        Raises:
            ModuleNotFoundError: pandas is not installed.
        """
        pandas = columns.package("pandas", "a data frame needs")
        cells = list(zip(*self.rows())) or [()] * len(self.columns)
        series = map(partial(_series, pandas), self.columns, cells)
        return pandas.DataFrame(dict(zip(self._schema.names, series)))


def _series(pandas: Any, column: Column, cells: Sequence[Any]) -> Any:
    dtype = _DTYPES.get(column.kind, "object")
    try:
        return pandas.Series(cells, dtype=dtype)
    except (UnicodeError, OverflowError, TypeError):
        return pandas.Series(list(map(columns.held, cells)), dtype=dtype)


def tables(engines: Iterable[Engine]) -> dict[str, Table]:
    """All tables about some engines, by name."""
    shown = (sentences.with_shown_files(engine, full_paths=False) for engine in engines)
    subjects = [Subject(Costs(engine)) for engine in shown]
    return {name: Table(schema, subjects) for name, schema in SCHEMAS.items()}


def frame(engine: Engine, table: str) -> Any:
    """A table about one engine as a `pandas.DataFrame`.

    Raises:
        ValueError: There is no such table.
        ModuleNotFoundError: pandas is not installed.
    """
    known = tables((engine,))
    if table not in known:
        raise ValueError(not_among("table", table, tuple(known)))
    return known[table].to_pandas()
