"""Makes the page's data of an engine: columns of numbers, and one table of strings.

They are small enough for 20,000 layers. Nodes are numbered: the layers first, then the endpoints. A
text is the number of a string, -1 for none.
"""

import json
from collections.abc import Callable, Iterable
from itertools import chain
from typing import Any, Final, Literal, NamedTuple

from engine_layer_visualize.analysis import kinds, labels, origin, precisions, trtexec
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.kinds import SERVING, kind_of, on_dla, runs_kernel
from engine_layer_visualize.analysis.labels import box_head, change, under_head
from engine_layer_visualize.analysis.precisions import HELD, format_words, held, precision_of
from engine_layer_visualize.analysis.times import is_unsteady
from engine_layer_visualize.comparison.result import input_shapes
from engine_layer_visualize.core.model import Engine, JsonValue, Layer, Tensor
from engine_layer_visualize.core.text import visible
from engine_layer_visualize.drawing.theme import LIGHT
from engine_layer_visualize.facts.field import NODE, TEXTS, Field, lines, of_place
from engine_layer_visualize.facts.layer import BY_KEY, LAYER, TENSOR, TENSORS
from engine_layer_visualize.facts.sentences import heading
from engine_layer_visualize.facts.sentences import name as name_of
from engine_layer_visualize.facts.subgraph import Endpoints, seen, whole
from engine_layer_visualize.linting.subject import Subject
from engine_layer_visualize.trt.names import names_nodes_alone

Form = Literal["list", "sparse", "full", "set"]
_PANEL: Final = of_place(LAYER, "panel")
_OF_TENSOR: Final = of_place(TENSOR, "panel")
_LONGEST_TEXT: Final = 20_000  # characters; a record's metadata can be 160 kB


class Strings:
    """Texts, each kept once."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def __call__(self, text: str | None) -> int:
        """Returns the number of a text, -1 of none."""
        return -1 if text is None else self._numbers.setdefault(text, len(self._numbers))

    def shown(self) -> list[str]:
        """Returns them in order of their numbers, with control characters spelled."""
        return [visible(cut(text)) for text in self._numbers]


def cut(text: str) -> str:
    """Returns the start of a very long text, and how much is left out."""
    if len(text) <= _LONGEST_TEXT:
        return text
    left_out = len(text) - _LONGEST_TEXT
    return f"{text[:_LONGEST_TEXT]}… ({left_out:,} characters more, left out of this page)"


_PROFILING: Final = "--exportProfile=prof.json --separateProfileRun"


def head(costs: Costs) -> dict[str, JsonValue]:
    """Returns what the page's list of engines shows."""
    engine = costs.engine
    title, size, _ = heading(costs)
    device, performance = engine.known.device, engine.known.performance
    compute = performance and performance.gpu_compute
    inputs = input_shapes(costs), input_shapes(costs, estimated=False)
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
        "node": origin.frontend_of(costs).node,
        "tensorrt": engine.tensorrt and visible(engine.tensorrt),
        "device": visible(device.name) if device is not None and device.name else None,
        "gpu": [compute.median, compute.mean] if compute and compute.median is not None else None,
        "inputs": [None if own is None else [[*shape] for shape in own] for own in inputs],
        "constrains": trtexec.has_flag(engine, "--layerPrecisions"),
        "profiling": trtexec.has_flag(engine, "--exportProfile")
        and trtexec.known_to(engine, _PROFILING) + _plugins(engine),
    }


def _plugins(engine: Engine) -> str:
    """The end of a command that runs the engine; a shell reads no further than `#`."""
    flags = trtexec.shapes_flag(engine), trtexec.plugin_flags(engine)
    end = " # where one is not TensorRT's own" if flags[1].endswith("=…") else ""
    return visible(" ".join(("", *filter(None, flags)))) + end


class EngineColumns:
    """One engine in columns."""

    def __init__(self, costs: Costs) -> None:
        self.costs = costs
        self.engine = engine = costs.engine
        self.strings = Strings()
        self.subject = Subject(costs)
        self.records: dict[tuple[int, ...], int] = {}  # texts of key, value, key, value …
        self._tensors: dict[Tensor, int] = {}
        self._encoders: dict[str, Callable[[Any], JsonValue]] = {
            "text": self.strings,
            "texts": lambda texts: list(map(self.strings, texts)) or None,
            "tensors": lambda tensors: list(map(self.tensor, tensors)),
            "pairs": lambda pairs: list(self._pairs(pairs)) or None,
            "record": self._record,
        }
        self._drawn = Endpoints(whole(engine), costs.profile_of_each)
        self.ends = self._drawn.all
        self.edges = list(self._edges())
        self.edge_names = [edge.tensor for edge in self._drawn.edges]
        jumps = engine.graph.jumps
        self.hosts = kinds.hosts_of_marks(engine.layers, self._drawn.edges, jumps, costs.of)

    def tensor(self, tensor: Tensor) -> int:
        """Returns the number of a tensor."""
        return self._tensors.setdefault(tensor, len(self._tensors))

    def layers(self) -> tuple[dict[str, JsonValue], dict[str, JsonValue]]:
        """Returns form and unit of each of `LAYERS`, and the columns in these forms."""
        forms: dict[str, JsonValue] = {}
        columns: dict[str, JsonValue] = {}
        for name, column in LAYERS.items():
            form, encode = column.form, self._encoders.get(column.unit)
            values = [column.value(self, layer) for layer in self.engine.layers]
            if encode is not None:  # text that is None has a number, too
                is_list = form == "list"
                values = [encode(each) if is_list or each is not None else None for each in values]
            known = [(number, value) for number, value in enumerate(values) if value is not None]
            # Where most layers have a value, their numbers would take more than nulls do.
            if form == "sparse" and 2 * len(known) > len(values):
                form = "full"
            if form == "set":
                values = [number for number, value in known if value]
            elif form == "sparse":
                values = [each for pair in known for each in pair]
            forms[name], columns[name] = [form, column.unit], values
        return forms, columns

    def subtitle(self, layer: Layer) -> str:
        """Returns what a reformat changes; of another layer the words of a picture."""
        reason = self.subject.reasons.get(layer.index)
        changed = reason.change if reason else ""
        if not changed and kind_of(layer) in SERVING:
            changed = change(layer)
        return changed or under_head(layer)

    def value(self, key: str, layer: Layer) -> Any:
        """Returns what a field says of a layer."""
        return BY_KEY[key].value(self.subject, layer)

    def fields(self) -> dict[str, JsonValue]:
        """Returns key, unit, label and doc of each column that is a field's, and of two others."""
        known = {name: column.field for name, column in LAYERS.items() if column.field is not None}
        known.update(index=BY_KEY["index"], best=BY_KEY["best"])
        return {
            name: {
                "key": field.key.rpartition(".")[2],
                "unit": field.unit,
                "label": (field.label or field.line).replace(NODE, self.subject.frontend.node),
                "doc": field.doc,
            }
            for name, field in known.items()
        }

    def share(self, layer: Layer) -> float | None:
        """Returns a layer's share in six digits, so that those of many layers add up well."""
        share = self.value("share", layer)
        return None if share is None else float(f"{share:.6g}")

    def unsteady(self, layer: Layer) -> bool:
        """Returns whether the layer's mean and median differ much."""
        return is_unsteady(*(self.value(f"time.{key}_ms", layer) for key in ("average", "median")))

    def optimization_profile(self, layer: Layer) -> int:
        """Returns the index of the layer's optimisation profile."""
        return self.costs.profiles.index(self.costs.profile_of(layer))

    def tf32(self, layer: Layer) -> str | None:
        """Returns `TF32` where the kernel takes Float and multiplies in that."""
        return precisions.TF32 if precisions.of(layer).tf32 else None

    def holds(self, layer: Layer) -> str | None:
        """Returns the parts of the layer's device memory."""
        return memory_words([layer]) if held(layer) is not None else None

    def facts(self, layer: Layer) -> Iterable[tuple[str, JsonValue]]:
        """Returns what the panel shows of a layer besides the columns."""
        return [
            (label, texts[0] if len(texts) == 1 and texts[0][:1] not in "[{" else [*texts])
            for label, texts in lines(_PANEL, self.subject, layer)
        ]

    def tensors(self) -> dict[str, JsonValue]:
        """Returns the table of tensors. It is called last, when all of them have a number.

        A column that says nothing of any is empty.
        """
        text, tensors = self.strings, list(self._tensors)
        words: dict[str, list[str | None]] = {}
        for field in _OF_TENSOR:
            values = (field.value(self.subject, tensor) for tensor in tensors)
            words[field.key] = [None if one is None else str(field.words(one)) for one in values]
        words["layout"] = [format_words(tensor) or None for tensor in tensors]
        told: dict[str, JsonValue] = {
            key: [*map(text, column)] if any(one is not None for one in column) else []
            for key, column in words.items()
        }
        return {
            "fields": [[field.key, field.label] for field in _OF_TENSOR if field.key != "name"],
            **told,
            "precision": [self.precision(tensor.dtype) for tensor in tensors],
        }

    def ports(self) -> dict[str, JsonValue]:
        """Returns the table of endpoints."""
        text, ends = self.strings, self.ends
        return {
            "name": [text(end.name) for end in ends],
            "kind": [text(end.kind) for end in ends],
            "entry": [int(end.entry) for end in ends],
            "word": [text(end.word) for end in ends],
            "words": [text(LIGHT.marks[end.kind].words or f"engine {end.word}") for end in ends],
            "tensor": [-1 if end.tensor is None else self.tensor(end.tensor) for end in ends],
        }

    def precision(self, dtype: str | None) -> int:
        """Returns the index of a data type's entry of the legend."""
        return LIGHT.entries.index(LIGHT.precision(dtype))

    def precision_of(self, layer: Layer) -> int:
        """Returns the index of the entry of what a layer computes in."""
        return self.precision(precision_of(layer))

    def _pairs(self, pairs: Iterable[tuple[str, JsonValue]]) -> Iterable[int]:
        for each in chain.from_iterable(pairs):
            text = each if isinstance(each, str) else json.dumps(each, ensure_ascii=False)
            yield self.strings(text)

    def _record(self, pairs: Iterable[tuple[str, JsonValue]]) -> int | None:
        """Returns the number of these pairs, None of no pairs: many layers have the same."""
        texts = tuple(self._pairs(pairs))
        return self.records.setdefault(texts, len(self.records)) if texts else None

    def _edges(self) -> Iterable[tuple[int, int, int]]:
        """Yields from node, to node, and the tensor as the reader has it."""
        number = {end.id: n for n, end in enumerate(self.ends, len(self.engine.layers))}
        for edge, entry, exit in self._drawn.lines():
            source = (edge.source or 0) if entry is None else number[entry.id]
            target = (edge.target or 0) if exit is None else number[exit.id]
            tensor = seen(*self._drawn.tensors.of(edge))
            yield source, target, self.tensor(tensor or Tensor(edge.tensor, None, "", ()))


def memory_words(layers: Iterable[Layer]) -> str:
    """Says what a layer's bytes are: those that the log tells of any, else those of its tensors."""
    sizes = [item for layer in layers for item in precisions.held_parts(layer).items()]
    parts = {part for part, size in sizes if size} or {part for part, _ in sizes}
    names = [name.replace("_persistent", " persistent memory") for name in HELD if name in parts]
    *before, last = names or ["bytes of the tensors read and written"]
    return f"{', '.join(before)} and {last}" if before else last


def _holds(layer: Layer, text: Strings) -> JsonValue:
    """Returns what a ForeignNode holds; None where that is not known.

    These are [words, nodes, operators] of parts that are alike, then how many nodes there are.
    """
    parts = labels.contents(layer)
    if not parts:
        return None
    several: list[JsonValue] = []
    for alike in labels.alike_parts(parts):
        words = f"{alike.number} × " * (alike.number > 1) + alike.path
        kinds = ", ".join(f"{number} {name}" for name, number in alike.first.operators)
        several.append([text(words), alike.first.nodes, text(kinds)])
    return [several, parts[0].nodes]


def _further(layer: Layer) -> list[tuple[str, JsonValue]]:
    """Returns the further keys of a layer's record, without what `onnx` gives."""
    return [
        (key, value)
        for key, value in layer.attributes
        if not (key == "Metadata" and isinstance(value, str) and names_nodes_alone(value))
    ]


class LayerColumn(NamedTuple):
    """A column of the page's table of layers."""

    # `list`: a value for each layer; `sparse`: a value of some, written as layer, value, layer,
    # value …; `full`: the same where most have one, as a value or null for each; `set`: the layers
    # for which it is true.
    form: Form
    # What a value is. `text` is a number into the strings, `texts` several, `tensors` are numbers
    # into the tensors, `parts` is what a ForeignNode holds, `pairs` are texts of key, value, key,
    # value …, `record` is the number of such pairs.
    unit: str
    value: Callable[[EngineColumns, Layer], Any]
    field: Field[Layer] | None = None


_SOURCES: Final = {"kernel": "from its kernel's name", "record": "from its tensors", None: None}
_ENCODED: Final = {str: "text", TEXTS: "texts", TENSORS: "tensors"}  # units of some types


def _fact(
    form: Form, key: str, value: Callable[[EngineColumns, Layer], Any] | None = None, unit: str = ""
) -> LayerColumn:
    """Returns the column of a field; `value` and `unit`: where they are not the field's own."""
    field = BY_KEY[key]
    value = value or (lambda columns, layer: field.value(columns.subject, layer))
    return LayerColumn(form, unit or _ENCODED.get(field.type, field.unit), value, field)


# All data of each layer. Names, forms and units go into the data, where the page's
# decoder reads them; `viewer/types.d.ts` has the types. Texts that many layers share come before
# names: the first have the shortest numbers.
LAYERS: Final = {
    "type": _fact("list", "type"),
    "title": LayerColumn("list", "text", lambda _, layer: box_head(layer)),
    "kind": LayerColumn("list", "text", lambda _, layer: kind_of(layer)),
    "line": _fact("list", "line"),
    "also": _fact("sparse", "also_line"),
    "tactic": _fact("list", "tactic"),
    "kernel": _fact("list", "kernel"),
    "dtype": _fact("list", "facts.precision", lambda _, layer: precision_of(layer)),
    "source": _fact(
        "sparse", "facts.precision_from", lambda _, layer: _SOURCES.get(precisions.of(layer).source)
    ),
    "scope": _fact("list", "scope"),
    "name": _fact("list", "name"),
    "subtitle": LayerColumn("list", "text", EngineColumns.subtitle),
    "raw": LayerColumn("sparse", "text", lambda _, layer: layer.raw),
    "ms": _fact("list", "ms"),
    "share": _fact("list", "share", EngineColumns.share),
    # An index into `times.profiles`.
    "profile": LayerColumn("list", "place", EngineColumns.optimization_profile),
    "median": _fact("sparse", "time.median_ms"),
    "total": _fact("sparse", "time.total_ms"),
    "unsteady": LayerColumn("set", "layer", EngineColumns.unsteady),
    "missing": LayerColumn("set", "layer", lambda columns, layer: columns.costs.missing(layer)),
    "idle": LayerColumn("set", "layer", lambda _, layer: not runs_kernel(layer)),
    # The layer at whose box a mark stands.
    "host": LayerColumn("sparse", "layer", lambda columns, layer: columns.hosts.get(layer.index)),
    # An index into the theme's precisions.
    "precision": LayerColumn("list", "place", EngineColumns.precision_of),
    "tf32": _fact("sparse", "facts.tf32", EngineColumns.tf32, "text"),
    "dla": LayerColumn("set", "", lambda _, layer: on_dla(layer)),
    "bytes": _fact("list", "memory"),
    "macs": _fact("sparse", "work.macs"),
    "traffic": _fact("sparse", "work.bytes"),
    # What the bytes of this layer are, where that is not what the engine's are.
    "holds": LayerColumn("sparse", "text", EngineColumns.holds),
    "in": _fact("list", "inputs"),
    "out": _fact("list", "outputs"),
    "onnx": _fact("sparse", "nodes"),
    "reason": _fact("sparse", "reason"),
    "inside": LayerColumn("sparse", "parts", lambda columns, layer: _holds(layer, columns.strings)),
    "attributes": _fact("sparse", "attributes", lambda _, layer: _further(layer), "record"),
    "facts": LayerColumn("sparse", "pairs", EngineColumns.facts),
}
