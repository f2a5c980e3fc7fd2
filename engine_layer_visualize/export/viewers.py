"""Writes an engine for the viewers of other programs: as a trace, and as an ONNX model.

Perfetto, chrome://tracing and speedscope open the trace, Netron the model.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from decimal import ROUND_CEILING, Decimal
from itertools import groupby
from typing import Any, Final, NamedTuple, TypeAlias

from engine_layer_visualize.analysis import scopes
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.scopes import DEEPEST
from engine_layer_visualize.analysis.times import timed_layers
from engine_layer_visualize.core.model import Engine, JsonValue, Layer, Tensor
from engine_layer_visualize.core.options import DEFAULT, Options
from engine_layer_visualize.core.problems import Place, Problem, ReadError
from engine_layer_visualize.documents import marks
from engine_layer_visualize.facts import sentences
from engine_layer_visualize.facts.engine import Fact, dump, layer_facts_of, rows
from engine_layer_visualize.facts.subgraph import View
from engine_layer_visualize.linting.subject import Subject
from engine_layer_visualize.trt.types import canonical


def _bytes(text: str) -> bytes:
    """UTF-8, which has no lone surrogates."""
    return text.encode("utf-8", "backslashreplace")


# ---- a trace -------------------------------------------------------------------------------------

# An optimisation profile is a process. Layers are slices of its only thread, laid end to end: a
# profile tells how long a layer took, and not when it began. Their modules are slices around them,
# and kernels, where the times tell them, slices below. The format is the "Trace Event Format" of
# the Catapult project.
Event: TypeAlias = dict[str, JsonValue]
_THREAD: Final = 1  # the number of the only one of a process
_SEQUENCE: Final = "sequence, not a time line"
_DECLARED: Final = (
    f"{_SEQUENCE}: layers stand end to end in the order of execution, as no profile says when "
    "each began"
)
HINT: Final = "--profile_file takes the times, such as those of trtexec --exportProfile"
_NS_OF_MS: Final = 6  # decimal places
_NS_OF_US: Final = -3
_GAP: Final = Decimal("0.01")  # ns, at least, between two slices
_AROUND: Final = _GAP / 2 / DEEPEST  # ns


class _Span(NamedTuple):
    """When a slice begins and how long it is, in nanoseconds.

    It begins on a whole one: then slices nest for readers that drop parts of one, and the duration
    of a layer is its time to the last digit.
    """

    start: int
    took: Decimal

    @property
    def end(self) -> Decimal:
        return self.start + self.took

    @property
    def next(self) -> int:
        """Where the next slice of the thread may begin, with more between than rounding costs."""
        return int((self.end + _GAP).to_integral_value(ROUND_CEILING))


class _Placed(NamedTuple):
    """A layer, with its time in ms and the scopes around it."""

    layer: Layer
    ms: float
    path: scopes.Path
    span: _Span


def trace(view: View, options: Options = DEFAULT) -> Iterator[bytes]:
    """The whole engine, whatever the view. Raises ReadError (ELV411) where no layer has a time."""
    costs = Costs(view.engine, options.optimization_profile, options.time, options.peak)
    engine = costs.engine
    place = Place(engine.source.file, engine.source.first_line)
    if costs.kind is None or costs.is_sum:
        of_run = "the time of a run: an unknown number of runs is summed"
        what = of_run if costs.is_sum else "a time"
        message = f"no layer of engine {engine.index} has {what}"
        raise ReadError(Problem(place, "ELV411", message), HINT)
    about = {
        "source": {"file": place.file, "first_line": place.line},
        "engine": engine.index,
        "tensorrt": engine.tensorrt,
        "times": costs.kind,
        "statistic": costs.statistic,
        "timed": timed_layers(costs),
        "declared": _DECLARED,
    }
    yield _bytes(f'{{"displayTimeUnit": "ns",\n"otherData": {dump(about)},\n"traceEvents": ')
    yield from map(_bytes, rows(_events(Subject(costs))))  # an event a line
    yield b"}\n"


def _events(subject: Subject) -> Iterator[Event]:
    costs = subject.costs
    for number in costs.profiles:
        process = number + 1  # 0 is the kernel's own in Perfetto
        if not (placed := _placed(costs.of_profile(number), subject.paths)):
            continue
        name = f"engine {costs.engine.index}"
        name += f", optimisation profile {number}" if len(costs.profiles) > 1 else ""
        yield _named("process_name", f"{name} · {costs.engine.source.file}", process)
        estimated = ", builder's estimates" if costs.estimated else ""
        yield _named("process_labels", _SEQUENCE + estimated, process)
        yield _named("process_sort_index", process, process)
        yield {**_named("thread_name", "layers", process), "tid": _THREAD}
        yield {**_named("thread_sort_index", _THREAD, process), "tid": _THREAD}
        yield from _slices(subject, placed, process)


def _placed(costs: Costs, paths: Sequence[scopes.Path]) -> list[_Placed]:
    """The timed layers of an optimisation profile, one after the other."""
    start = 0
    placed: list[_Placed] = []
    for layer in costs.layers:
        if (ms := costs.of(layer)) is not None:
            placed.append(_Placed(layer, ms, paths[layer.index], _Span(start, nanoseconds(ms))))
            start = placed[-1].span.next
    return placed


def _slices(
    subject: Subject, placed: Sequence[_Placed], process: int, depth: int = 0
) -> Iterator[Event]:
    """The slices of neighbours inside of `depth` modules: a module stands before what it holds."""
    for path, run in groupby(placed, lambda one: one.path[: depth + 1]):
        several = list(run)
        if len(path) > depth:
            start, end = several[0].span.start, several[-1].span.end
            # Of those that end together an outer one ends last, however readers round.
            inside = _Span(start, end + _AROUND * (DEEPEST - depth) - start)
            name = path[-1].lstrip("/.") or path[-1]
            yield _slice(name, "module", process, inside, {"scope": scopes.written(path)})
            yield from _slices(subject, several, process, depth + 1)
            continue
        for one in several:
            args = layer_facts_of(subject, one.layer)
            yield _slice(one.layer.name, "layer", process, one.span, args)
            yield from _kernels(subject.costs, one, process)


def _kernels(costs: Costs, placed: _Placed, process: int) -> Iterator[Event]:
    """Kernels end to end inside the layer; however readers round, the last ends no later than it.

    Medians of parts do not add up to the median of the whole: then there are none.
    """
    time = placed.layer.time
    if time is None or costs.estimated or costs.statistic != "mean":
        return
    kernels = [(kernel.name, kernel.average_ms) for kernel in time.kernels]
    left_ms, start, last = placed.ms, placed.span.start, int(placed.span.end)
    for name, ms in kernels or [(row.name, row.time.average_ms or 0.0) for row in time.rows]:
        ms = min(ms, left_ms)
        left_ms -= ms
        left = max(Decimal(0), placed.span.end - _GAP / 2 - start)
        took = min(nanoseconds(ms), left) if start < last else Decimal(0)
        inner = _Span(start, took)
        yield _slice(name, "kernel", process, inner, {})
        start = min(last, inner.next if took else start)


def nanoseconds(ms: float) -> Decimal:
    """The nanoseconds that the text of a number of ms says: no digit is rounded away."""
    return Decimal(repr(ms)).scaleb(_NS_OF_MS)


def microseconds(ns: Decimal | int) -> float:
    """The number that a trace holds for a time.

    Perfetto multiplies it and drops what is below a nanosecond: it is the next larger number where
    rounding would cost a nanosecond.
    """
    us = float(Decimal(ns).scaleb(_NS_OF_US))
    while int(us * 1000) < int(ns):
        us = math.nextafter(us, math.inf)
    return us


def _slice(name: str, category: str, process: int, span: _Span, args: Mapping[str, Any]) -> Event:
    """A slice. Slices of a thread nest."""
    return {
        **{"ph": "X", "name": name, "cat": category, "pid": process, "tid": _THREAD},
        **{"ts": microseconds(span.start), "dur": microseconds(span.took)},
        "args": dict(args),
    }


def _named(what: str, value: JsonValue, process: int) -> Event:
    """A name of a process or a thread (`process_name`), or its place (`thread_sort_index`)."""
    args: Event = {what.partition("_")[2]: value}
    return {"ph": "M", "name": what, "pid": process, "args": args}


# ---- an ONNX model with a node for each layer ----------------------------------------------------

DOMAIN: Final = "engine_layer_visualize"  # of the operators, which are types of layers
_IR_VERSION: Final = 11  # the first with FLOAT4E2M1
_OPSET: Final = 21
_INT64_END: Final = 1 << 63  # of an integer
_TYPES: Final = {
    **{"Float": "FLOAT", "Half": "FLOAT16", "BFloat16": "BFLOAT16", "Double": "DOUBLE"},
    **{"FP8": "FLOAT8E4M3FN", "FP4": "FLOAT4E2M1", "E8M0": "FLOAT8E8M0"},
}


def onnx(view: View, options: Options = DEFAULT) -> Iterator[bytes]:
    """The whole engine, whatever the view. Raises ReadError (ELV502) without the package onnx."""
    try:
        import onnx as library
    except ImportError:
        words = "--format onnx needs the package onnx: pip install onnx"
        raise ReadError(Problem(Place("onnx"), "ELV502", words)) from None
    costs = Costs(view.engine, options.optimization_profile, options.time, options.peak)
    yield _model(library, costs).SerializeToString()


def _model(library: Any, costs: Costs) -> Any:
    engine, subject, values = costs.engine, Subject(costs), _Values(library, costs.engine)
    made = library.ModelProto(ir_version=_IR_VERSION, producer_name=DOMAIN)
    heading = ", ".join(sentences.heading(costs))
    made.doc_string = _text(f"{heading}\n{marks.in_words(engine.source)}\n")
    made.opset_import.add(domain="", version=_OPSET)
    made.opset_import.add(domain=DOMAIN, version=1)
    made.graph.name = _text(sentences.name(engine)) or "engine"
    read = {tensor.name: tensor for la in reversed(engine.layers) for tensor in la.inputs}
    outside = (edge.tensor for edge in engine.graph.edges if edge.source is None)
    for name in dict.fromkeys((*engine.inputs, *outside)):
        made.graph.input.append(values.written(None, name, read.get(name)))
    for layer in engine.layers:
        node = made.graph.node.add(name=_text(layer.name), domain=DOMAIN)
        node.op_type = _text(layer.type) or "Opaque"
        for name in dict.fromkeys(tensor.name for tensor in layer.inputs):
            node.input.extend(value.name for value in values.read(layer.index, name))
        for tensor in {tensor.name: tensor for tensor in layer.outputs}.values():
            node.output.append(values.written(layer.index, tensor.name, tensor).name)
        if not node.input and not node.output:  # readers refuse it
            node.output.append(values.written(layer.index, f"control@{layer.index}", None).name)
        for key, fact in layer_facts_of(subject, layer, "layer").items():
            node.attribute.append(library.helper.make_attribute(_text(key), _attribute(fact)))
    ends = {value.name: value for name in engine.outputs for value in values.read(None, name)}
    made.graph.output.extend(ends.values())
    given = {value.name for value in made.graph.input} | ends.keys()
    made.graph.value_info.extend(v for v in values.known.values() if v.name not in given)
    return made


class _Values:
    """The values of an engine, each written once: `t`, and where a layer writes it again, `t@2`.

    `known` are those that were written, by the writer and the tensor.
    """

    def __init__(self, library: Any, engine: Engine) -> None:
        self._onnx = library
        tensors = (tensor for la in engine.layers for tensor in (*la.inputs, *la.outputs))
        self._taken = {_text(name) for name in (*(t.name for t in tensors), *engine.inputs)}
        self._times: Counter[str] = Counter()  # that a tensor was written
        self.known: dict[tuple[int | None, str], Any] = {}
        self._sources: dict[tuple[int | None, str], dict[int | None, None]] = {}
        for edge in engine.graph.edges:
            self._sources.setdefault((edge.target, edge.tensor), {})[edge.source] = None

    def read(self, reader: int | None, name: str) -> Iterator[Any]:
        """What a layer, or the outside, reads of a tensor: a value of each of its writers."""
        for source in self._sources.get((reader, name), ()):
            if (source, name) in self.known:
                yield self.known[source, name]

    def written(self, writer: int | None, name: str, tensor: Tensor | None) -> Any:
        """A `ValueInfoProto`."""
        fresh = _text(name)
        self._times[fresh] += 1
        if not fresh or self._times[fresh] > 1:
            fresh += f"@{self._times[fresh]}"
            while fresh in self._taken:
                fresh += "'"
            self._taken.add(fresh)
        info = self.known[writer, name] = self._onnx.ValueInfoProto(name=fresh)
        info.type.tensor_type.elem_type = self._onnx.TensorProto.UNDEFINED
        info.type.tensor_type.shape.SetInParent()  # readers want one, even where nothing is known
        if tensor is None:
            return info
        word = canonical(tensor.dtype) or ""
        types = self._onnx.TensorProto.DataType
        with suppress(ValueError):  # ONNX has no such type
            info.type.tensor_type.elem_type = types.Value(_TYPES.get(word, word.upper()))
        for axis, extent in enumerate(tensor.shape):
            dim = info.type.tensor_type.shape.dim.add()
            if extent >= 0:
                dim.dim_value = min(extent, _INT64_END - 1)
            else:  # an open extent is a parameter of its own
                dim.dim_param = f"{info.name}[{axis}]" if extent == -1 else f"symbol {-extent}"
        if tensor.format:
            info.metadata_props.add(key="format", value=_text(tensor.format))
        return info


def _attribute(fact: Fact) -> Fact:
    """What ONNX and protobuf take of a fact."""
    if isinstance(fact, list):
        return list(map(_text, fact))
    return _text(str(fact)) if isinstance(fact, str) or fact >= _INT64_END else fact


def _text(words: str) -> str:
    """What protobuf takes."""
    return _bytes(words).decode()
