"""Writes an engine as an ONNX model with a node for each layer, for Netron and other readers."""

from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, Final

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.core.model import Engine, Tensor
from engine_layer_visualize.core.options import DEFAULT, Options
from engine_layer_visualize.core.problems import Place, Problem, ReadError
from engine_layer_visualize.documents import marks
from engine_layer_visualize.facts import sentences
from engine_layer_visualize.facts.json import Fact, layer_facts_of
from engine_layer_visualize.facts.subgraph import View
from engine_layer_visualize.linting.subject import Subject
from engine_layer_visualize.trt.types import canonical

DOMAIN: Final = "engine_layer_visualize"  # of the operators, which are types of layers
_IR_VERSION: Final = 11  # the first with FLOAT4E2M1
_OPSET: Final = 21
_INT64_END: Final = 1 << 63  # of an integer
_TYPES: Final = {
    **{"Float": "FLOAT", "Half": "FLOAT16", "BFloat16": "BFLOAT16", "Double": "DOUBLE"},
    **{"FP8": "FLOAT8E4M3FN", "FP4": "FLOAT4E2M1", "E8M0": "FLOAT8E8M0"},
}


def render(view: View, options: Options = DEFAULT) -> Iterator[bytes]:
    """The whole engine, whatever the view. Raises ReadError (ELV502) without the package onnx."""
    try:
        import onnx
    except ImportError:
        words = "--format onnx needs the package onnx: pip install onnx"
        raise ReadError(Problem(Place("onnx"), "ELV502", words)) from None
    costs = Costs(view.engine, options.optimization_profile, options.peak)
    yield _model(onnx, costs).SerializeToString()


def _model(onnx: Any, costs: Costs) -> Any:
    engine, subject, values = costs.engine, Subject(costs), _Values(onnx, costs.engine)
    made = onnx.ModelProto(ir_version=_IR_VERSION, producer_name=DOMAIN)
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
            node.attribute.append(onnx.helper.make_attribute(_text(key), _attribute(fact)))
    ends = {value.name: value for name in engine.outputs for value in values.read(None, name)}
    made.graph.output.extend(ends.values())
    given = {value.name for value in made.graph.input} | ends.keys()
    made.graph.value_info.extend(v for v in values.known.values() if v.name not in given)
    return made


class _Values:
    """The values of an engine, each written once: `t`, and where a layer writes it again, `t@2`.

    `known` are those that were written, by the writer and the tensor.
    """

    def __init__(self, onnx: Any, engine: Engine) -> None:
        self._onnx = onnx
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
        kind, dims = self._onnx.TensorProto.UNDEFINED, list[int | str]()
        if tensor is not None:
            word = canonical(tensor.dtype) or ""
            with suppress(ValueError):  # ONNX has no such type
                kind = self._onnx.TensorProto.DataType.Value(_TYPES.get(word, word.upper()))
            for axis, extent in enumerate(tensor.shape):
                if extent >= 0:
                    dims.append(min(extent, _INT64_END - 1))
                else:  # an open extent is a parameter of its own
                    dims.append(f"{fresh}[{axis}]" if extent == -1 else f"symbol {-extent}")
        # Readers want a shape, even where nothing is known.
        info = self._onnx.helper.make_tensor_value_info(fresh, kind, dims)
        if tensor is not None and tensor.format:
            info.metadata_props.add(key="format", value=_text(tensor.format))
        self.known[writer, name] = info
        return info


def _attribute(fact: Fact) -> Fact:
    """What ONNX and protobuf take of a fact."""
    if isinstance(fact, list):
        return list(map(_text, fact))
    return _text(str(fact)) if isinstance(fact, str) or fact >= _INT64_END else fact


def _text(words: str) -> str:
    """What protobuf takes: UTF-8 has no lone surrogates."""
    return words.encode("utf-8", "backslashreplace").decode()
