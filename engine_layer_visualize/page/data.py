"""The page's data of an engine: columns of numbers, and one table of strings.

The `Costs` of an engine in; values for `json.dumps` out, small enough for 20,000 layers. Nodes are
numbered: the layers first, then the endpoints. A text is the number of a string, -1 for none.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any, Final, Literal, NamedTuple

from engine_layer_visualize.analysis import frontends, precisions
from engine_layer_visualize.analysis.costs import Costs, is_unsteady
from engine_layer_visualize.analysis.layer_kinds import SERVING, kind, runs_kernel
from engine_layer_visualize.analysis.layer_labels import box_head, change, under_heads
from engine_layer_visualize.analysis.measures import format_words, held
from engine_layer_visualize.core.model import JsonValue, Layer, Tensor
from engine_layer_visualize.core.text import visible
from engine_layer_visualize.drawings.coloring import memory_words
from engine_layer_visualize.drawings.roofline import Plot
from engine_layer_visualize.drawings.theme import LIGHT, Theme, precision
from engine_layer_visualize.fields.field import NODE, TEXT, TEXTS, Field, lines, of_place
from engine_layer_visualize.fields.layer import BY_KEY, LAYER, TENSORS
from engine_layer_visualize.fields.sentences import heading
from engine_layer_visualize.fields.sentences import name as name_of
from engine_layer_visualize.fields.subject import Subject
from engine_layer_visualize.fields.tensor import TENSOR
from engine_layer_visualize.linting.roles import passes_on
from engine_layer_visualize.page.groups import inside
from engine_layer_visualize.trt.layer_names import names_nodes_alone
from engine_layer_visualize.views.endpoints import Endpoint, Endpoints, seen
from engine_layer_visualize.views.subgraph import whole

Form = Literal["list", "sparse", "full", "set"]
_PANEL: Final = of_place(LAYER, "panel")
_OF_TENSOR: Final = of_place(TENSOR, "panel")
_LONGEST: Final = 20_000  # characters of one text; a record's metadata can be 160 kB


class Strings:
    """Texts, each kept once."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def __call__(self, text: str | None) -> int:
        return -1 if text is None else self._numbers.setdefault(text, len(self._numbers))

    def shown(self) -> list[str]:
        """In order of their numbers, with control characters spelled."""
        return [visible(cut(text)) for text in self._numbers]


def cut(text: str) -> str:
    """The start of a very long text, and how much is left out."""
    if len(text) <= _LONGEST:
        return text
    return f"{text[:_LONGEST]}… ({len(text) - _LONGEST:,} characters more, left out of this page)"


def head(costs: Costs) -> dict[str, JsonValue]:
    """What the page's list of engines shows."""
    engine = costs.engine
    title, size, _ = heading(costs)
    return {
        "index": engine.index,
        "name": name_of(engine),
        "title": visible(title),
        "size": size,
        "layers": len(engine.layers),
        "edges": len(engine.graph.between),
        "ms": costs.total,
        "estimated": costs.estimated,
        "file": visible(engine.source.file),
        "lines": [engine.source.first_line, engine.source.last_line],
        "node": frontends.of(costs).node,
        "tensorrt": engine.tensorrt and visible(engine.tensorrt),
    }


class EngineColumns:
    """One engine in columns."""

    def __init__(self, costs: Costs, theme: Theme = LIGHT) -> None:
        self.costs = costs
        self.engine = engine = costs.engine
        self.strings = Strings()
        self.subject = Subject(costs)
        self.work = self.subject.work
        told = (self.value("facts.precision", layer) for layer in engine.layers)
        self.dtypes = [dtype or precisions.UNKNOWN for dtype in told]
        self._under = under_heads(engine.layers)
        self.paths = self.subject.paths
        self._precision = {entry.label: number for number, entry in enumerate(theme.entries)}
        self._theme = theme
        self.plots = tuple(
            Plot(one, self.work, engine.layers) for one in map(costs.of_profile, costs.profiles)
        )
        self._rooflined = {dot.layer.index for plot in self.plots for dot in plot.dots}
        self._tensors: dict[Tensor, int] = {}
        self._records: dict[tuple[JsonValue, ...], int] = {}
        names: dict[str, int] = {}
        self._encoders: dict[str, Callable[[Any], JsonValue]] = {
            "text": self.strings,
            "texts": lambda texts: list(map(self.strings, texts)) or None,
            "tensors": lambda tensors: list(map(self.tensor, tensors)),
            "pairs": lambda pairs: self._pairs(pairs) or None,
            "record": lambda pairs: self._record(pairs),
        }
        self._drawn = Endpoints(whole(engine), costs.profile_of_each)
        self.ends = self._drawn.all
        self.edges = list(self._edges())
        self.edge_names = [edge.tensor for edge in self._drawn.edges]
        self.nets = [names.setdefault(name, len(names)) for name in self.edge_names]

    def tensor(self, tensor: Tensor) -> int:
        """The number of a tensor."""
        return self._tensors.setdefault(tensor, len(self._tensors))

    # ---- parts -------------------------------------------------------------------------------

    def layers(self) -> tuple[dict[str, JsonValue], dict[str, JsonValue]]:
        """Form and unit of each of `LAYERS`, and the columns in these forms."""
        forms: dict[str, JsonValue] = {}
        columns: dict[str, JsonValue] = {}
        for name, column in LAYERS.items():
            values = self._values(column)
            form = _shortest(column.form, values)
            forms[name], columns[name] = [form, column.unit], _formed(form, values)
        return forms, columns

    def _values(self, column: LayerColumn) -> list[JsonValue]:
        values = [column.of(self, layer) for layer in self.engine.layers]
        encode = self._encoders.get(column.unit)
        if encode is None:
            return values
        sparse = column.form == "sparse"
        return [None if sparse and value is None else encode(value) for value in values]

    def holds(self, layer: Layer) -> str | None:
        """The parts of the layer's device memory."""
        return memory_words([layer]) if held(layer) is not None else None

    def subtitle(self, layer: Layer) -> str:
        """What a reformat changes; else as in a picture."""
        return (change(layer) if kind(layer) in SERVING else "") or self._under[layer.index]

    def value(self, key: str, layer: Layer) -> Any:
        """What a field says of a layer."""
        return BY_KEY[key].value(self.subject, layer)

    def fields(self) -> dict[str, JsonValue]:
        """Key, unit, label and doc of each column that is a field's, and of what is none here."""
        known = {name: column.field for name, column in LAYERS.items() if column.field is not None}
        known.update(index=BY_KEY["index"], best=BY_KEY["best"])
        return {
            name: {
                "key": field.key.rpartition(".")[2],
                "unit": field.unit,
                "label": (field.label or field.line).replace(NODE, self.subject.node),
                "doc": field.doc,
            }
            for name, field in known.items()
        }

    def share(self, layer: Layer) -> float | None:
        """A layer's share in six digits: those of many layers add up to what is shown of them."""
        share = self.value("share", layer)
        return None if share is None else float(f"{share:.6g}")

    def mean(self, layer: Layer) -> float | None:
        """The mean of a layer's times, where it is not its `ms`."""
        mean: float | None = self.value("time.average_ms", layer)
        return None if mean == self.value("ms", layer) else mean

    def unsteady(self, layer: Layer) -> bool:
        """Whether the layer's mean and median differ much."""
        return is_unsteady(*(self.value(f"time.{one}_ms", layer) for one in ("average", "median")))

    def optimization_profile(self, layer: Layer) -> int:
        """The index of the layer's optimisation profile."""
        return self.costs.profiles.index(self.value("optimization_profile", layer))

    def tf32(self, layer: Layer) -> str | None:
        """`TF32`, where the kernel takes Float and multiplies in that."""
        return precisions.TF32 if self.value("facts.tf32", layer) else None

    def traffic(self, layer: Layer) -> int | None:
        """What a layer that the roofline shows moves; None of another."""
        return self.value("work.bytes", layer) if layer.index in self._rooflined else None

    def facts(self, layer: Layer) -> Iterable[tuple[str, JsonValue]]:
        """What the panel shows of a layer besides the columns."""
        return [
            (label, texts[0] if len(texts) == 1 and texts[0][:1] not in "[{" else [*texts])
            for label, texts in lines(_PANEL, self.subject, layer)
        ]

    def tensors(self) -> dict[str, JsonValue]:
        """The table of tensors. Called last, when all of them have a number."""
        text, tensors = self.strings, list(self._tensors)
        return {
            "fields": [[field.key, field.label] for field in _OF_TENSOR if field.key != "name"],
            **{
                field.key: [
                    text(None if value is None else str(field.words(value)))
                    for value in (field.value(self.subject, tensor) for tensor in tensors)
                ]
                for field in _OF_TENSOR
            },
            "layout": [text(format_words(tensor) or None) for tensor in tensors],
            "precision": [self.precision(tensor.dtype) for tensor in tensors],
        }

    def ports(self) -> dict[str, JsonValue]:
        """The table of endpoints."""
        text = self.strings
        return {
            "name": [text(end.name) for end in self.ends],
            "kind": [text(end.kind) for end in self.ends],
            "entry": [int(end.entry) for end in self.ends],
            "word": [text(end.word) for end in self.ends],
            "words": [text(self._words(end)) for end in self.ends],
            "tensor": [-1 if end.tensor is None else self.tensor(end.tensor) for end in self.ends],
        }

    def _words(self, end: Endpoint) -> str:
        return f"engine {end.word}" if end.kind == "port" else self._theme.marks[end.kind].words

    def precision(self, dtype: str | None) -> int:
        """The index of a dtype's legend entry."""
        return self._precision[precision(dtype, self._theme).label]

    def _pairs(self, pairs: Iterable[tuple[str, JsonValue]]) -> list[JsonValue]:
        return [
            self.strings(each if isinstance(each, str) else json.dumps(each, ensure_ascii=False))
            for pair in pairs
            for each in pair
        ]

    def _record(self, pairs: Iterable[tuple[str, JsonValue]]) -> int | None:
        """The number of these pairs, None of no pairs: many layers have the same."""
        own = tuple(self._pairs(pairs))
        return self._records.setdefault(own, len(self._records)) if own else None

    def records(self) -> list[JsonValue]:
        """The pairs of each record, in order of their numbers."""
        return [list(own) for own in self._records]

    # ---- edges -------------------------------------------------------------------------------

    def _edges(self) -> Iterable[tuple[int, int, int]]:
        """(from node, to node, tensor as the reader has it)."""
        first = len(self.engine.layers)
        number = {end.id: first + n for n, end in enumerate(self.ends)}
        entries, exits = self._drawn.entries, self._drawn.exits
        for edge in self._drawn.edges:
            source = number[entries[edge.tensor].id] if edge.source is None else edge.source
            target = number[exits[edge.tensor].id] if edge.target is None else edge.target
            tensor = seen(*self._drawn.tensors.of(edge))
            yield source, target, self.tensor(tensor or Tensor(edge.tensor, None, "", ()))

    def jumps(self) -> list[JsonValue]:
        """From layer, to layer, kind of the jump."""
        return [
            [edge.source, edge.target, self.strings(edge.tensor)]
            for edge in self.engine.graph.jumps
        ]


def _further(layer: Layer) -> list[tuple[str, JsonValue]]:
    """The further keys of a layer's record, without what `onnx` gives."""
    return [
        (key, value)
        for key, value in layer.attributes
        if not (key == "Metadata" and isinstance(value, str) and names_nodes_alone(value))
    ]


def _shortest(form: Form, values: list[JsonValue]) -> Form:
    """`full` in place of `sparse` where the numbers of the layers would take more than nulls do."""
    many = 2 * sum(value is not None for value in values) > len(values)
    return "full" if form == "sparse" and many else form


def _formed(form: Form, values: list[JsonValue]) -> list[JsonValue]:
    """The values of all layers in a column's form."""
    if form in ("list", "full"):
        return values
    if form == "set":
        return [number for number, value in enumerate(values) if value]
    return [each for one in enumerate(values) if one[1] is not None for each in one]


class LayerColumn(NamedTuple):
    """A column of layers: a value for each (`list`); a value of some, written as layer, value,
    layer, value … (`sparse`) or, where most have one, as a value or null for each (`full`); the
    layers for which it is true (`set`).

    `unit`: what a value is; `text` is a number into the strings, `texts` several, `tensors`
    are numbers into the tensors, `parts` is what a ForeignNode holds, `pairs` texts of key,
    value, key, value …, `record` is the number of such pairs.
    """

    form: Form
    unit: str
    of: Callable[[EngineColumns, Layer], Any]
    field: Field[Layer] | None = None


_ENCODED: Final = {TEXT: "text", TEXTS: "texts", TENSORS: "tensors"}  # by type, else by unit


def _fact(
    form: Form, key: str, of: Callable[[EngineColumns, Layer], Any] | None = None, unit: str = ""
) -> LayerColumn:
    """The column of a field; `of`: where it does not have the field's own values."""
    field = BY_KEY[key]
    own = of or (lambda columns, layer: field.value(columns.subject, layer))
    return LayerColumn(form, unit or _ENCODED.get(field.type, field.unit), own, field)


# All data of each layer. Names, forms and units go into the data, where the page's
# decoder reads them; `viewer/types.d.ts` has the types. Texts that many layers share come before
# names: the first have the shortest numbers.
LAYERS: Final = {
    "type": _fact("list", "type"),
    "title": LayerColumn("list", "text", lambda _, layer: box_head(layer)),
    "kind": LayerColumn("list", "text", lambda _, layer: kind(layer)),
    "line": _fact("list", "line"),
    "also": _fact("sparse", "also_line"),
    "tactic": _fact("list", "tactic"),
    "kernel": _fact("list", "kernel"),
    "dtype": _fact("list", "facts.precision", lambda self, la: self.dtypes[la.index]),
    "scope": _fact("list", "scope"),
    "name": _fact("list", "name"),
    "subtitle": LayerColumn("list", "text", EngineColumns.subtitle),
    "raw": LayerColumn("sparse", "text", lambda _, layer: layer.raw),
    "ms": _fact("list", "ms"),
    "share": _fact("list", "share", EngineColumns.share),
    # An index into `times.profiles`.
    "profile": LayerColumn("list", "place", EngineColumns.optimization_profile),
    "mean": _fact("sparse", "time.average_ms", EngineColumns.mean),
    "median": _fact("sparse", "time.median_ms"),
    "total": _fact("sparse", "time.total_ms"),
    "unsteady": LayerColumn("set", "layer", EngineColumns.unsteady),
    "missing": LayerColumn("set", "layer", lambda self, layer: self.costs.missing(layer)),
    # Layers that a trace of a tensor goes through.
    "moves": LayerColumn("set", "layer", lambda _, layer: passes_on(layer)),
    "idle": LayerColumn("set", "layer", lambda _, layer: not runs_kernel(layer)),
    # An index into the theme's precisions.
    "precision": LayerColumn(
        "list", "place", lambda self, la: self.precision(self.dtypes[la.index])
    ),
    "tf32": _fact("sparse", "facts.tf32", EngineColumns.tf32, "text"),
    "bytes": _fact("list", "memory"),
    "macs": _fact("sparse", "work.macs"),
    # Of the layers that the roofline shows: the bytes that they move.
    "traffic": _fact("sparse", "work.bytes", EngineColumns.traffic),
    # What the bytes of this layer are, where that is not what the engine's are.
    "holds": LayerColumn("sparse", "text", EngineColumns.holds),
    "in": _fact("list", "inputs"),
    "out": _fact("list", "outputs"),
    "onnx": _fact("sparse", "nodes"),
    "reason": _fact("sparse", "reason"),
    "inside": _fact("sparse", "inside", lambda self, la: inside(la, self.strings), "parts"),
    "attributes": _fact("sparse", "attributes", lambda _, layer: _further(layer), "record"),
    "facts": LayerColumn("sparse", "pairs", EngineColumns.facts),
}
