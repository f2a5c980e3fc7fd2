"""Cuts the piece of a model that layers run, and writes its model and its script."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.core.onnx_model import OnnxModel
from engine_layer_visualize.core.text import count, milliseconds, plural, shorten
from engine_layer_visualize.exchange.cut import piece_model, script
from engine_layer_visualize.exchange.cut.piece_model import NoPiece
from engine_layer_visualize.exchange.cut.tensor_types import TensorTypes, inputs_of
from engine_layer_visualize.exchange.cutting import piece as pieces
from engine_layer_visualize.exchange.cutting.graph import NodeGraph
from engine_layer_visualize.exchange.cutting.layer_nodes import Found, LayerNodes, quantised
from engine_layer_visualize.exchange.cutting.piece import Piece

__all__ = ["Cut", "Cutter", "NoPiece"]

_NAMES_IN_SENTENCE: Final = 8  # names in a sentence
_NAME_LENGTH: Final = 80  # characters of a name


class Cut(NamedTuple):
    """A piece that was cut out."""

    model: bytes
    script: bytes
    words: str  # what is in the model, in a few words
    remarks: tuple[str, ...]  # sentences that a user should read


class Cutter:
    """Cuts pieces out of the model of one engine. `costs`: of that engine."""

    def __init__(self, costs: Costs, model: OnnxModel) -> None:
        self._costs, self._model = costs, model
        self._graph = NodeGraph(model)
        self._nodes = LayerNodes(self._graph)
        self._types = TensorTypes(self._graph, inputs_of(costs.engine), costs.engine)
        self._of_profiles: dict[int, script.Shapes] = {}

    def has_nodes(self, layer: Layer) -> bool:
        """Whether the model has nodes of the layer."""
        return bool(self._nodes.of(layer).nodes)

    def cut(self, stem: str, what: str, layers: Sequence[Layer], around: Sequence[Layer]) -> Cut:
        """The piece that holds the nodes of `layers`, and of those `around` them.

        Args:
            stem: The name of the piece's files.
            what: How the layers are called.
            layers: The layers that are cut out.
            around: Further layers that go with them.

        Raises:
            NoPiece: There is no such piece, or it cannot be a model.
        """
        found = Found()
        for layer in layers:
            found.add(self._nodes.of(layer))
        if not found.nodes:
            raise NoPiece(_why_none(found))
        if self._graph.in_circle:
            raise NoPiece("nodes of the model read what comes of them")
        for layer in around:
            found.add(self._nodes.of(layer))
        every = (*layers, *around)
        piece = pieces.cut(
            self._graph, found.nodes, self._types.shape, quantised(every), self._takes
        )
        model = piece_model.made(self._graph, piece, self._types, stem)
        remarks = tuple(self._remarks(piece, found, model))
        engine = self._costs.engine
        about = [self._about(what, layers), *self._inside(piece), *remarks]
        if around:
            names = [f"layer {one.index} `{shorten(one.name, _NAME_LENGTH)}`" for one in around]
            about.insert(1, f"With it: {_some(names)}.")
        shapes = self._shapes(self._costs.profile_of(layers[0]))
        text = script.written(stem, engine, every, piece, self._types, shapes, about)
        near = f" and {count(len(around), 'layer')} around it" if around else ""
        return Cut(model, text, _words(piece, what + near), remarks)

    def _shapes(self, profile: int) -> script.Shapes:
        if profile not in self._of_profiles:
            self._of_profiles[profile] = script.Shapes(self._graph, self._costs.engine, profile)
        return self._of_profiles[profile]

    def _takes(self, tensor: str) -> bool:
        """Whether TensorRT can have a quantised tensor of the model as an input.

        Without a zero point ONNX quantises to UInt8; TensorRT computes with Int8 there.
        """
        return self._types.word(tensor) != "uint8"

    def _about(self, what: str, layers: Sequence[Layer]) -> str:
        engine = self._costs.engine
        name = f" `{shorten(layers[0].name, _NAME_LENGTH)}`" if len(layers) == 1 else ""
        ms = self._costs.sum(layers)
        kind = "by the builder's estimate" if self._costs.estimated else "measured there"
        time = f": {milliseconds(ms)} {kind}" if ms is not None else ""
        return f"Times {what}{name} of engine {engine.index} of {engine.source.file} alone{time}."

    def _inside(self, piece: Piece) -> Iterator[str]:
        """Which nodes are in the piece."""
        for words, numbers in (
            ("Its nodes", piece.named),
            ("What quantises its tensors", piece.neighbours),
            ("Constants and shapes", piece.fixed),
        ):
            if numbers:
                yield f"{words}: {_some(map(self._name, numbers))}."
        if piece.folded:
            known = (f"{_quoted(name)} = {list(values)}" for name, values, _ in piece.folded)
            yield f"Shapes that the log tells: {_some(known)}."

    def _remarks(self, piece: Piece, named: Found, model: bytes) -> Iterator[str]:
        if piece.between:
            names = _some(map(self._name, piece.between))
            yield f"Nodes on a path between its nodes are in the piece, too: {names}."
        if named.held:
            yield f"It runs nodes inside of {_some(named.held)}, which is in the piece as a whole."
        if named.shared:
            names = _some(map(_quoted, named.shared))
            yield f"Several nodes of the model are called {names}; all of them are in the piece."
        if named.missing:
            names = _some(map(_quoted, named.missing))
            yield f"The model has no node {names}, which the log names."
        if wrong := piece_model.judged(model):
            yield f"onnx's checker does not accept it: {wrong}"
        own = {one.domain for one in self._model.proto.functions} | {"", "ai.onnx"}
        nodes = [self._graph.nodes[number] for number in piece.nodes]
        foreign = dict.fromkeys(one.op_type for one in nodes if one.domain not in own)
        if foreign:
            yield f"{_some(foreign)} may need a plugin: give the script --staticPlugins=…"

    def _name(self, number: int) -> str:
        return _quoted(self._graph.name(number))


def _quoted(name: str) -> str:
    return f"`{shorten(name, _NAME_LENGTH)}`"


def _some(words: Iterable[str] | Mapping[str, object]) -> str:
    listed = list(words)
    more = len(listed) - _NAMES_IN_SENTENCE
    return ", ".join(listed[:_NAMES_IN_SENTENCE]) + (f" and {more:,} more" if more > 0 else "")


def _words(piece: Piece, what: str) -> str:
    """What is in a piece, such as `2 nodes of layer 3 and 4 more, 1 input, 1 output`."""
    more = len(piece.nodes) - len(piece.named)
    beside = f" and {more:,} more" if more else ""
    ends = f"{count(len(piece.inputs), 'input')}, {count(len(piece.outputs), 'output')}"
    return f"{count(len(piece.named), 'node')} of {what}{beside}, {ends}"


def _why_none(found: Found) -> str:
    if not found.missing:
        return "neither its record nor the log names ONNX nodes of it"
    names = _some(map(_quoted, found.missing))
    which = plural(len(found.missing), "node")
    return f"the model has none of its {count(len(found.missing), 'ONNX node')}: no {which} {names}"
