"""Cuts what a layer runs out of an ONNX model: its nodes, what lies between them, constants.

A node inside of another (in a branch of an If, the body of a Loop, a function) is a part of that
one. `onnx.utils.extract_model` does not see what such a node reads, so that it cannot be used.
"""

import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from pathlib import Path
from typing import Any, Final

from engine_layer_visualize.analysis import origin, trtexec
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.reformat_reasons import described
from engine_layer_visualize.core.build_info import EngineFacts
from engine_layer_visualize.core.limits import product
from engine_layer_visualize.core.model import Engine, Layer, Tensor
from engine_layer_visualize.core.onnx_model import OnnxModel, Shape, outer_reads
from engine_layer_visualize.core.text import count, shorten
from engine_layer_visualize.io import onnx_file
from engine_layer_visualize.linting.ends import io_format
from engine_layer_visualize.trt import names as layer_names
from engine_layer_visualize.trt import types as data_types
from engine_layer_visualize.trt.names import without_profile

_MESSAGE_BYTES: Final = (2 << 30) - (1 << 20)  # bytes of one message of protobuf
_NAME: Final = 80  # characters of a name in a sentence
_SENTENCES: Final = 8  # about names of one layer
_TOLD: Final = re.compile(r"\(([\d, -]{0,400})\)\[(\w{1,20})\]")  # `(1, 3, -1)[FLOAT]`
_NAMELESS: Final = "neither its record nor the log names ONNX nodes of it"
_SHAPE: Final = ("Shape", "Size")  # they read no value


class NoPiece(Exception):
    """Why a layer cannot be cut out."""


class Cutter:
    """Cuts layers out of the model of one engine. Nodes are numbered as in `model.nodes`."""

    def __init__(self, engine: Engine, model: OnnxModel) -> None:
        self._onnx, self._model = onnx_file.library(model.path), model
        self._told = dict(engine.known.onnx_tensors)
        read = (tensor for layer in reversed(engine.layers) for tensor in layer.inputs)
        # of the network's inputs, as the engine has them
        self._extents = {without_profile(tensor.name): tensor.shape for tensor in read}
        self._types = onnx_file.types(model, self._extents)
        nodes = {node.number: node.proto for node in model.nodes if node.parent is None}
        self._nodes, self._initial = nodes, {t.name for t in model.proto.graph.initializer}
        self._reads = {at: [*filter(None, (*n.input, *outer_reads(n)))] for at, n in nodes.items()}
        self._made = {name: at for at, node in nodes.items() for name in node.output if name}
        self._readers: dict[str, set[int]] = {}  # of a tensor's values
        for at, node in nodes.items():
            for name in self._reads[at] if node.op_type not in _SHAPE else ():
                self._readers.setdefault(name, set()).add(at)
        given = {value.name for value in model.proto.graph.input} - self._initial
        begin = set[int]().union(*(self._readers.get(name, ()) for name in given))
        self._varying = _reached(begin, self._users)  # what depends on more than constants, shapes

    def _users(self, at: int) -> set[int]:
        """The nodes that read a value which a node makes."""
        return {user for name in self._nodes[at].output for user in self._readers.get(name, ())}

    def _makers(self, at: int) -> set[int]:
        """The nodes that make what a node reads."""
        return {self._made[name] for name in self._reads[at] if name in self._made}

    def shapes(self, names: Iterable[str], inputs: Mapping[str, Shape]) -> dict[str, Shape] | None:
        """The extents of tensors where inputs have these; None where one is not known."""
        known = onnx_file.shapes(self._model, {**self._extents, **inputs})
        found = {name: known.get(name, (-1,)) for name in names}
        return None if any(extent < 0 for shape in found.values() for extent in shape) else found

    def cut(self, layer: Layer) -> tuple[Any, tuple[str, ...]]:
        """The smallest piece with a layer's nodes, and all nodes on paths between them.

        Of a quantised layer it has the DequantizeLinear before it and the QuantizeLinear behind it.
        Paths from that DequantizeLinear do not count: each reader has its own in an engine.

        Returns:
            Its `ModelProto`, and what a user should know of it.

        Raises:
            NoPiece: there is none.
        """
        named, remarks = self.nodes_of(layer)
        if not named:
            raise NoPiece("; ".join(remarks) or _NAMELESS)
        core, before = named, set[int]()
        if _is_quantised(layer.inputs):
            near = core.union(*map(self._makers, core)) & self._varying
            before = {at for at in near if self._nodes[at].op_type == "DequantizeLinear"}
            core = core - before or core
        if _is_quantised(layer.outputs):
            users = set[int]().union(*map(self._users, core))
            core = core | {at for at in users if self._nodes[at].op_type == "QuantizeLinear"}
        ahead = _reached(core, self._users)
        core = core | (ahead & _reached(core, lambda at: self._makers(at) & self._varying))
        fixed = _reached(core | before, lambda at: self._makers(at) - self._varying)
        if more := len((core | before) - named):
            remarks += (f"it has {count(more, 'node')} more, between its nodes or to quantise",)
        return self._model_of(core, core | before | fixed), remarks

    def _model_of(self, core: Set[int], whole: Set[int]) -> Any:
        """The model of a piece; what `core` makes may leave it."""
        proto, numbers = self._model.proto, sorted(whole)
        read = {name: None for at in numbers for name in self._reads[at]}
        made = {name for at in numbers for name in self._nodes[at].output}
        piece = self._onnx.ModelProto(opset_import=proto.opset_import, functions=proto.functions)
        piece.ir_version = max(proto.ir_version, 4)  # before, an initializer is an input, too
        piece.graph.name = proto.graph.name
        piece.graph.node.extend(self._nodes[at] for at in numbers)
        for name in read:
            if name not in made and name not in self._initial:
                piece.graph.input.add(name=name).type.CopyFrom(self._type(name))
        running = sorted(core & self._varying or core)
        last = [name for at in running for name in self._nodes[at].output if name]
        ends, readers = {value.name for value in proto.graph.output}, self._readers
        crossing = [name for name in last if name in ends or readers.get(name, set()) - whole]
        for name in crossing or [name for name in last if name not in readers]:
            piece.graph.output.add(name=name).type.CopyFrom(self._type(name))
        if not piece.graph.output:
            raise NoPiece("its nodes write no tensor")
        piece.graph.initializer.extend(t for t in proto.graph.initializer if t.name in read)
        bytes_of = self._onnx.helper.tensor_dtype_to_np_dtype
        try:
            weights = piece.graph.initializer
            size = sum((product(t.dims) or 0) * bytes_of(t.data_type).itemsize for t in weights)
            if size < _MESSAGE_BYTES:
                folder = str(Path(self._model.path).parent)
                self._onnx.external_data_helper.load_external_data_for_model(piece, folder)
            if (size := max(size, piece.ByteSize())) >= _MESSAGE_BYTES:
                raise ValueError(f"{size:,} bytes, and an ONNX file holds less than 2 GiB")
        except Exception as error:  # of onnx, or of the system
            why = shorten(" ".join(str(error).split()), 2 * _NAME)
            raise NoPiece(f"its weights cannot be read: {why}") from None
        return piece

    def _type(self, name: str) -> Any:
        """The type of a tensor: as onnx infers it, else as the parser has it. Raises NoPiece."""
        kind, types = self._types.get(name), self._onnx.TensorProto.DataType
        told = _TOLD.fullmatch(self._told.get(name, ""))
        if not _is_told(kind) and told and told[2] in types.keys():  # noqa: SIM118
            dims = (int(dim) for dim in told[1].split(",") if dim.strip())
            known = [None if dim < 0 else dim for dim in dims]
            kind = self._onnx.helper.make_tensor_type_proto(types.Value(told[2]), known)
        if not _is_told(kind):
            what = f"the tensor `{shorten(name, _NAME)}`, which crosses its border"
            raise NoPiece(f"neither the log nor the model tells the type and the shape of {what}")
        return kind

    def nodes_of(self, layer: Layer) -> tuple[set[int], tuple[str, ...]]:
        """The nodes that a layer names, and what a user should know of the names.

        Of a ForeignNode it may be the two ends alone.
        """
        known, parts = origin.onnx_nodes_of(layer), layer_names.parts(layer.name)
        told = dict(layer.attributes or ()).get("Metadata")
        around: dict[str, set[int]] = {}
        for name, holder in layer_names.onnx_holders(told) if isinstance(told, str) else ():
            around.setdefault(name, set()).update(self._numbers(holder))

        found, remarks = set[int](), []
        own = [part for part in parts if self._model.named(part)]
        for name in dict.fromkeys(known.all or known.ends or own):
            numbers = around.get(name) or {*self._numbers(name)}
            times, called = max(1, parts.count(name)), f"`{shorten(name, _NAME)}`"
            if not numbers and name in self._model.inside_functions:
                where = "is inside of a function, and the record does not say of which call"
                return set(), (f"the node {called} {where}",)
            if not numbers:
                remarks.append(f"the model has no node {called}")
            elif not around.get(name) and len(numbers) > times:
                remarks.append(f"several nodes of the model are called {called}; it has them all")
            found |= numbers
        return found, tuple(remarks[:_SENTENCES])

    def _numbers(self, name: str) -> Iterator[int]:
        """The nodes that have a name, or that hold one which has it."""
        for node in self._model.named(name):
            while node.parent is not None:
                node = self._model.nodes[node.parent]
            yield node.number


def _is_told(kind: Any) -> bool:
    """Whether it is the type of a tensor, with its shape."""
    return bool(kind and kind.tensor_type.elem_type and kind.tensor_type.HasField("shape"))


def _is_quantised(tensors: Iterable[Tensor]) -> bool:
    return any((data_types.bits(tensor.dtype) or 32) <= 8 for tensor in tensors)


def _reached(start: Iterable[int], step: Callable[[int], Iterable[int]]) -> set[int]:
    """The nodes that steps from some lead to, and these."""
    seen, todo = set[int](), [*start]
    while todo:
        at = todo.pop()
        if at not in seen:
            seen.add(at)
            todo += step(at)
    return seen


# ---- how trtexec builds and times a piece of a model, with the flags of the log's own ------------

_OURS: Final = ("--verbose", "--profilingVerbosity=detailed", "--separateProfileRun")
_SHAPES: Final = ("--minShapes", "--optShapes", "--maxShapes", "--shapes")
# Those about files, about tensors and layers by name, and those that we give.
_OF_WHOLE: Final = re.compile(
    r"--(?:onnx|uff|deploy|model|output|batch|maxBatch|calib|profil|ref|save|load|export|dump|"
    r"layer|verbose|separateProfileRun|buildOnly|skipInference|timingCache|tempdir|strip|"
    r"weightless|mark|tun|set|useProfile|get|help|\w*[sS]hapes|\w*IOFormats)"
)
_DATA: Final = ("fp32:", "fp16:", "bf16:", "int8:")
_DIMS: Final = re.compile(r"\d{1,12}(?:x\d{1,12}){0,63}")


def trtexec_line(cutter: Cutter, costs: Costs, layer: Layer, piece: Any, path: Path) -> str:
    """The command that builds and times the piece of a layer, a `ModelProto`, in a file."""
    engine, facts = costs.engine, costs.engine.known
    given = [word for word in (facts.command or "").split() if word.startswith("--")]
    flags = [word for word in given if not _OF_WHOLE.match(word)]
    did_build = any(word.startswith("--onnx") for word in given)
    added = [*([] if did_build else _types(engine, facts)), *_formats(layer, piece, facts)]
    added += (*_shapes(cutter, engine, costs.profile_of(layer), given, piece), *_OURS)
    added.append(f"--exportProfile={path.with_suffix('.profile.json')}")
    flags += (flag for flag in added if trtexec.has_flag(engine, flag.partition("=")[0]))
    return shlex.join(["trtexec", f"--onnx={path}", *flags])


def _types(engine: Engine, facts: EngineFacts) -> list[str]:
    """The flags of the types that the log allows, else of those that the engine has."""
    if facts.strongly_typed:
        return ["--stronglyTyped"]
    tensors = (tensor for la in engine.layers for tensor in (*la.inputs, *la.outputs))
    types = {precision.casefold() for precision in facts.precisions}
    types = types or {data_types.types_of_inputs(tensor.dtype) or "" for tensor in tensors}
    return [f"--{one}" for one in ("fp16", "bf16", "int8", "fp8") if one in types]


def _formats(layer: Layer, piece: Any, facts: EngineFacts) -> Iterator[str]:
    """The flags of the types and formats of what the layer reads and writes."""
    combination = layer.known.formats or ""
    autotuned = (*data_types.of_combination(combination), (), ())
    sides = (piece.graph.input, layer.inputs), (piece.graph.output, layer.outputs)
    for side, (ends, tensors), told in zip(("input", "output"), sides, autotuned):
        forms = told if len(told) == len(tensors) else [""] * len(tensors)
        known = {without_profile(each.name): pair for each, *pair in zip(tensors, tensors, forms)}
        free = [end.name for end in ends if end.name not in known]
        left = known.keys() - {end.name for end in ends}
        if len(left) == len(free) == 1:  # a copy in another format, whose name is TensorRT's
            known[free[0]] = known[left.pop()]
        parts = [_part(end.type, facts, *known.get(end.name, ())) for end in ends]
        if all(parts):
            yield f"--{side}IOFormats={','.join(parts)}"


def _part(kind: Any, facts: EngineFacts, tensor: Tensor | None = None, form: str = "") -> str:
    """A part such as `fp16:hwc8` for an end of a piece; "" where none tells its type."""
    types = onnx_file.library("onnx").TensorProto.DataType
    own = data_types.types_of_inputs(types.Name(kind.tensor_type.elem_type))
    if tensor is not None and len(tensor.shape) == len(onnx_file.extents(kind)):
        is_same = data_types.canonical(form.partition(" ")[0]) == tensor.dtype
        words = io_format(form if is_same else described(tensor, "")) or ""
        may_change = own == "fp32" and not facts.strongly_typed
        if words.startswith(_DATA if may_change else f"{own}:"):
            return words
    return f"{own}:chw" if own else ""


def _shapes(
    cutter: Cutter, engine: Engine, profile: int, given: Sequence[str], piece: Any
) -> Iterator[str]:
    """The flags of the shapes that vary; `?` stands for what the log does not tell."""
    every = {end.name: onnx_file.extents(end.type) for end in piece.graph.input}
    ends = {name: shape for name, shape in every.items() if min(shape, default=0) < 0}
    inputs: dict[str, dict[str, Shape]] = {}  # of the network
    for flag, _, value in (word.partition("=") for word in given):
        for one in value.split(",") if flag in _SHAPES else ():
            name, _, dims = one.rpartition(":")
            if _DIMS.fullmatch(dims):
                inputs.setdefault(flag, {})[name] = tuple(map(int, dims.split("x")))
    for told in engine.ranges:
        for flag, shape in zip(_SHAPES, told.profiles[profile] if told.profiles[profile:] else ()):
            inputs.setdefault(flag, {})[told.name] = shape
    found = {flag: cutter.shapes(ends, shapes) for flag, shapes in inputs.items() if ends}
    known = found if found and all(found.values()) else {"--shapes": ends}
    for flag, shapes in known.items() if ends else ():
        words = (f"{name}:{_extents(shape)}" for name, shape in (shapes or {}).items())
        yield f"{flag}={','.join(words)}"


def _extents(shape: Shape) -> str:
    return "x".join("?" if extent < 0 else str(extent) for extent in shape)
