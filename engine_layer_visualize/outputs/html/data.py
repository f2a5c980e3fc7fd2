"""The page's data of an engine: columns of numbers, and one table of strings.

The `Costs` of an engine in; values for `json.dumps` out, small enough for 20,000 layers. Nodes are
numbered: the layers first, then the endpoints. A text is the number of a string, -1 for none.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any, Final, Literal, NamedTuple

from engine_layer_visualize.analysis import frontends, onnx_nodes, precisions
from engine_layer_visualize.analysis.costs import Costs, is_unsteady
from engine_layer_visualize.analysis.endpoints import Endpoint, Endpoints, seen
from engine_layer_visualize.analysis.findings.roles import passes_on
from engine_layer_visualize.analysis.layer_kinds import SERVING, kind, runs_kernel
from engine_layer_visualize.analysis.layer_labels import box_head, change, under_heads
from engine_layer_visualize.analysis.measures import format_words, held, size_of
from engine_layer_visualize.analysis.scopes import written
from engine_layer_visualize.analysis.subgraph import whole
from engine_layer_visualize.analysis.work import traffic
from engine_layer_visualize.core.model import JsonValue, Layer, Tensor
from engine_layer_visualize.core.text import amount, dims, visible
from engine_layer_visualize.fields.field import lines, of_place
from engine_layer_visualize.fields.layer import LAYER
from engine_layer_visualize.fields.subject import Subject
from engine_layer_visualize.outputs.coloring import memory_words
from engine_layer_visualize.outputs.html.groups import inside
from engine_layer_visualize.outputs.roofline import Plot
from engine_layer_visualize.outputs.sentences import heading
from engine_layer_visualize.outputs.sentences import name as name_of
from engine_layer_visualize.outputs.theme import LIGHT, Theme, precision
from engine_layer_visualize.trt.layer_names import names_nodes_alone

Form = Literal["list", "sparse", "full", "set"]
_PANEL: Final = of_place(LAYER, "panel")
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


class Columns:
    """One engine in columns."""

    def __init__(self, costs: Costs, theme: Theme = LIGHT) -> None:
        self.costs = costs
        self.engine = engine = costs.engine
        self.strings = Strings()
        self.size = size_of(engine.layers)
        self.subject = Subject(costs)
        self.work = self.subject.work
        self.precisions = [precisions.of(layer) for layer in engine.layers]
        self._under = under_heads(engine.layers)
        self._reasons = self.subject.reasons
        self.dtypes = [known.dtype or precisions.UNKNOWN for known in self.precisions]
        self.paths = self.subject.paths
        self.scopes = list(map(written, self.paths))
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

    def _values(self, column: Column) -> list[JsonValue]:
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

    def reason(self, layer: Layer) -> str | None:
        """Why a reformat is there; None of another layer."""
        why = self._reasons.get(layer.index)
        return None if why is None else str(why.text)

    def time(self, layer: Layer, field: str) -> float | None:
        """A field of the layer's measured time; None where times are estimates."""
        return getattr(layer.time, field, None) if self.costs.kind == "measured" else None

    def share(self, layer: Layer) -> float | None:
        """A layer's share in six digits: those of many layers add up to what is shown of them."""
        share = self.costs.share(layer)
        return None if share is None else float(f"{share:.6g}")

    def parts(self, layer: Layer) -> float | None:
        """How many rows of the profile a layer's time is the sum of, where more than one."""
        parts = self.time(layer, "parts")
        return parts if parts is not None and parts > 1 else None

    def mean(self, layer: Layer) -> float | None:
        """The mean of a layer's times, where it is not its `ms`."""
        mean = self.time(layer, "average_ms")
        return None if mean == self.costs.of(layer) else mean

    def unsteady(self, layer: Layer) -> bool:
        """Whether the layer's mean and median differ much."""
        return is_unsteady(self.time(layer, "average_ms"), self.time(layer, "median_ms"))

    def optimization_profile(self, layer: Layer) -> int:
        """The index of the layer's optimisation profile."""
        return self.costs.profiles.index(self.costs.profile_of(layer))

    def tf32(self, layer: Layer) -> str | None:
        """`TF32`, where the kernel takes Float and multiplies in that."""
        return precisions.TF32 if self.precisions[layer.index].tf32 else None

    def traffic(self, layer: Layer) -> int | None:
        """What a layer that the roofline shows moves; None of another."""
        return self.work.of(layer).bytes if layer.index in self._rooflined else None

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
            "name": [text(tensor.name) for tensor in tensors],
            "dtype": [text(tensor.dtype) for tensor in tensors],
            "dims": [text(dims(tensor.dims)) for tensor in tensors],
            "format": [text(tensor.format) for tensor in tensors],
            "layout": [text(format_words(tensor) or None) for tensor in tensors],
            "bytes": [text(_amount(traffic.size(tensor))) for tensor in tensors],
            "strides": [text(tensor.strides) for tensor in tensors],
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


def _amount(bytes: int | None) -> str | None:
    """Bytes in words; None where they are unknown."""
    return None if bytes is None else amount(bytes)


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


class Column(NamedTuple):
    """A column of layers: a value for each (`list`); a value of some, written as layer, value,
    layer, value … (`sparse`) or, where most have one, as a value or null for each (`full`); the
    layers for which it is true (`set`).

    `unit`: what a value is; `text` is a number into the strings, `texts` several, `tensors`
    are numbers into the tensors, `parts` is what a ForeignNode holds, `pairs` texts of key,
    value, key, value …, `record` is the number of such pairs.
    """

    form: Form
    unit: str
    of: Callable[[Columns, Layer], Any]


# All data of each layer. Names, forms and units go into the data, where the page's
# decoder reads them; `viewer/types.d.ts` has the types. Texts that many layers share come before
# names: the first have the shortest numbers.
LAYERS: Final = {
    "type": Column("list", "text", lambda _, layer: layer.type),
    "title": Column("list", "text", lambda _, layer: box_head(layer)),
    "kind": Column("list", "text", lambda _, layer: kind(layer)),
    "line": Column("list", "line", lambda _, layer: layer.place.line),
    "also": Column("sparse", "line", lambda _, layer: layer.also_line),
    "tactic": Column("list", "text", lambda _, layer: layer.tactic),
    "kernel": Column("list", "text", lambda _, layer: layer.kernel),
    "dtype": Column("list", "text", lambda self, layer: self.dtypes[layer.index]),
    "scope": Column("list", "text", lambda self, layer: self.scopes[layer.index]),
    "name": Column("list", "text", lambda _, layer: layer.name),
    "subtitle": Column("list", "text", lambda self, layer: self.subtitle(layer)),
    "raw": Column("sparse", "text", lambda _, layer: layer.raw),
    "ms": Column("list", "ms", lambda self, layer: self.costs.of(layer)),
    # Of its optimisation profile's whole, from 0 to 1.
    "share": Column("list", "share", lambda self, layer: self.share(layer)),
    # An index into `times.profiles`.
    "profile": Column("list", "place", lambda self, layer: self.optimization_profile(layer)),
    "mean": Column("sparse", "ms", lambda self, layer: self.mean(layer)),
    "median": Column("sparse", "ms", lambda self, layer: self.time(layer, "median_ms")),
    "total": Column("sparse", "ms", lambda self, layer: self.time(layer, "total_ms")),
    "parts": Column("sparse", "rows", lambda self, layer: self.parts(layer)),
    "unsteady": Column("set", "layer", lambda self, layer: self.unsteady(layer)),
    "missing": Column("set", "layer", lambda self, layer: self.costs.missing(layer)),
    # Layers that a trace of a tensor goes through.
    "moves": Column("set", "layer", lambda _, layer: passes_on(layer)),
    "idle": Column("set", "layer", lambda _, layer: not runs_kernel(layer)),
    # An index into the theme's precisions.
    "precision": Column(
        "list", "place", lambda self, layer: self.precision(self.dtypes[layer.index])
    ),
    "tf32": Column("sparse", "text", lambda self, layer: self.tf32(layer)),
    "bytes": Column("list", "bytes", lambda self, layer: self.size(layer)),
    "macs": Column("sparse", "MACs", lambda self, layer: self.work.of(layer).macs),
    # Of the layers that the roofline shows: the bytes that they move.
    "traffic": Column("sparse", "bytes", lambda self, layer: self.traffic(layer)),
    # What the bytes of this layer are, where that is not what the engine's are.
    "holds": Column("sparse", "text", lambda self, layer: self.holds(layer)),
    "in": Column("list", "tensors", lambda _, layer: layer.inputs),
    "out": Column("list", "tensors", lambda _, layer: layer.outputs),
    "onnx": Column("sparse", "texts", lambda _, layer: onnx_nodes.of(layer).all),
    "reason": Column("sparse", "text", lambda self, layer: self.reason(layer)),
    "inside": Column("sparse", "parts", lambda self, layer: inside(layer, self.strings)),
    "attributes": Column("sparse", "record", lambda _, layer: _further(layer)),
    "facts": Column("sparse", "pairs", lambda columns, layer: columns.facts(layer)),
}
