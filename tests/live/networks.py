"""Small networks, and what was put into each of them.

NETWORKS: name -> how to define it, its inputs and outputs, what depends on what.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import cut_models
import numpy as np
from encoder_model import encoder
from model_files import Sketch
from onnx_models import MODELS, quantised
from residual_models import exported

# A tensor: (dtype as listings print it, extents; -1 is dynamic).
Put = tuple[str, tuple[int, ...]]

# As listings print a data type -> its name in TensorRT's Python package.
DTYPES: Final = {
    **{"Float": "float32", "Half": "float16", "BFloat16": "bfloat16", "Int8": "int8"},
    **{"Int32": "int32", "Int64": "int64", "UInt8": "uint8", "Bool": "bool"},
}


@dataclass(frozen=True)
class Network:
    """`needs`: for every output the inputs whose values it depends on.

    `profiles`: how many optimisation profiles. `apart`: nothing would be gained by one kernel for
    what `needs` keeps apart, so the detailed graph keeps it apart, too. `fails`: the builder
    refuses it.
    """

    make: Callable[[Kit], None]
    inputs: Mapping[str, Put]
    outputs: Mapping[str, Put]
    needs: Mapping[str, frozenset[str]]
    profiles: int = 1
    apart: bool = False
    fails: bool = False


class Kit:
    """Operators by short names, over one network that is being defined."""

    def __init__(self, trt: Any, builder: Any, network: Any, config: Any, wanted: Network) -> None:
        self.trt, self.builder, self.net, self.config = trt, builder, network, config
        self._wanted = wanted
        self._kept: list[Any] = []  # the builder reads weights where they lie

    def input(self, name: str) -> Any:
        dtype, dims = self._wanted.inputs[name]
        return self.net.add_input(name, self.dtype(dtype), dims)

    def output(self, tensor: Any, name: str) -> Any:
        tensor.name = name
        self.net.mark_output(tensor)
        return tensor

    def dtype(self, name: str) -> Any:
        return getattr(self.trt, DTYPES[name])

    def weights(self, dims: tuple[int, ...], dtype: str = "float32") -> Any:
        count = int(np.prod(dims))
        # Not all equal: equal ones could be folded.
        array = (np.arange(count) % 7 - 3).astype(dtype).reshape(dims) / 8
        self._kept.append(array.astype(dtype))
        return self.trt.Weights(self._kept[-1])

    def constant(self, values: Any, dtype: str) -> Any:
        array = np.array(values, dtype)
        self._kept.append(array)
        return self.net.add_constant(array.shape, self.trt.Weights(array)).get_output(0)

    def filled(self, dims: tuple[int, ...]) -> Any:
        return self.net.add_constant(dims, self.weights(dims)).get_output(0)

    def conv(self, x: Any, maps: int, name: str, kernel: int = 3, dtype: str = "float32") -> Any:
        weights = self.weights((maps, x.shape[1], kernel, kernel), dtype)
        layer = self.net.add_convolution_nd(x, maps, (kernel, kernel), weights)
        layer.padding_nd = (kernel // 2, kernel // 2)
        layer.name = name
        return layer.get_output(0)

    def relu(self, x: Any, name: str = "") -> Any:
        return self._done(self.net.add_activation(x, self.trt.ActivationType.RELU), name)

    def binary(self, operation: str, a: Any, b: Any, name: str = "") -> Any:
        kind = getattr(self.trt.ElementWiseOperation, operation)
        return self._done(self.net.add_elementwise(a, b, kind), name)

    def unary(self, operation: str, x: Any, name: str = "") -> Any:
        return self._done(self.net.add_unary(x, getattr(self.trt.UnaryOperation, operation)), name)

    def matmul(self, a: Any, b: Any, name: str = "", transposed: bool = False) -> Any:
        plain, turned = self.trt.MatrixOperation.NONE, self.trt.MatrixOperation.TRANSPOSE
        layer = self.net.add_matrix_multiply(a, plain, b, turned if transposed else plain)
        return self._done(layer, name)

    def reshape(self, x: Any, dims: tuple[int, ...], order: tuple[int, ...] = ()) -> Any:
        """Reshapes, then transposes."""
        layer = self.net.add_shuffle(x)
        layer.reshape_dims = dims
        if order:
            layer.second_transpose = order
        return layer.get_output(0)

    def profile(self, values: Any = None, **shapes: Any) -> None:
        """One more optimisation profile: the least, the best and the greatest shape of each input;
        `values`: of the input `shape`."""
        profile = self.builder.create_optimization_profile()
        for name, own in shapes.items():
            profile.set_shape(name, *own)
        if values is not None:
            profile.set_shape_input("shape", *values)
        self.config.add_optimization_profile(profile)

    def counts(self, recurrence: Any) -> None:
        """One more in each round of a loop."""
        one = self.constant(1, "int32")
        recurrence.set_input(1, self.binary("SUM", recurrence.get_output(0), one, "count"))

    @staticmethod
    def _done(layer: Any, name: str) -> Any:
        if name:
            layer.name = name
        return layer.get_output(0)


def _of(*names: str) -> frozenset[str]:
    return frozenset(names)


NETWORKS: Final[dict[str, Network]] = {}  # filled by what follows


def _network(
    inputs: Mapping[str, Put],
    outputs: Mapping[str, Put],
    needs: Mapping[str, frozenset[str]] | None = None,
    **more: Any,
) -> Callable[[Callable[[Kit], None]], Callable[[Kit], None]]:
    """Enters a definition under its function's name. `needs` None: all outputs need all inputs."""
    everything = {name: frozenset(inputs) for name in outputs}

    def enter(make: Callable[[Kit], None]) -> Callable[[Kit], None]:
        network = Network(make, inputs, outputs, everything if needs is None else needs, **more)
        NETWORKS[make.__name__] = network
        return make

    return enter


@_network({"image": ("Float", (1, 3, 16, 16))}, {"features": ("Float", (1, 8, 16, 16))})
def residuals(kit: Kit) -> None:
    x = kit.relu(kit.conv(kit.input("image"), 8, "stem"), "stem_relu")
    for block in range(3):
        inner = kit.relu(kit.conv(x, 8, f"block{block}_a"), f"block{block}_relu")
        inner = kit.conv(inner, 8, f"block{block}_b")
        x = kit.relu(kit.binary("SUM", inner, x, f"block{block}_add"), f"block{block}_out")
    kit.output(x, "features")


@_network(
    {"tokens": ("Float", (2, 6, 32)), "memory": ("Float", (2, 10, 32))},
    {"context": ("Float", (2, 6, 32)), "weights": ("Float", (2, 4, 6, 10))},  # read inside, too
)
def attention(kit: Kit) -> None:
    tokens, memory = kit.input("tokens"), kit.input("memory")

    def heads(x: Any, name: str, length: int) -> Any:
        projected = kit.matmul(x, kit.filled((1, 32, 32)), name)
        return kit.reshape(projected, (2, length, 4, 8), (0, 2, 1, 3))

    query, key, value = heads(tokens, "q", 6), heads(memory, "k", 10), heads(memory, "v", 10)
    soft = kit.net.add_softmax(kit.matmul(query, key, "scores", transposed=True))
    soft.axes = 1 << 3
    weights = soft.get_output(0)
    mixed = kit.matmul(weights, value, "mix")
    turned = kit.net.add_shuffle(mixed)
    turned.first_transpose = (0, 2, 1, 3)
    turned.reshape_dims = (2, 6, 32)
    out = kit.matmul(turned.get_output(0), kit.filled((1, 32, 32)), "projection")
    kit.output(kit.binary("SUM", out, tokens, "skip"), "context")
    kit.output(weights, "weights")


@_network({"x": ("Float", (1, 8, 16, 16))}, {"y": ("Float", (1, 16, 16, 16))})
def quantized(kit: Kit) -> None:
    def through_int8(tensor: Any, scale: Any, axis: int | None = None) -> Any:
        there = kit.net.add_quantize(tensor, scale, kit.dtype("Int8"))
        back = kit.net.add_dequantize(there.get_output(0), scale, kit.dtype("Float"))
        if axis is not None:
            there.axis = back.axis = axis
        return back.get_output(0)

    x = kit.input("x")
    for number, maps in enumerate((16, 16)):
        x = through_int8(x, kit.constant(0.05, "float32"))
        weights = kit.filled((maps, x.shape[1], 3, 3))
        weights = through_int8(weights, kit.constant([0.02] * maps, "float32"), 0)
        conv = kit.net.add_convolution_nd(x, maps, (3, 3), kit.trt.Weights())
        conv.set_input(1, weights)
        conv.padding_nd = (1, 1)
        conv.name = f"conv{number}"
        x = kit.relu(conv.get_output(0))
    kit.output(x, "y")


@_network(
    {"x": ("Half", (1, 8, 16, 16)), "gain": ("Half", (1, 8, 1, 1))},
    {"y": ("Half", (1, 8, 16, 16)), "sum": ("Float", (1, 8, 1, 1))},
)
def half(kit: Kit) -> None:
    x = kit.conv(kit.input("x"), 8, "conv", dtype="float16")
    y = kit.output(kit.binary("PROD", x, kit.input("gain"), "scaled"), "y")
    wide = kit.net.add_cast(y, kit.dtype("Float")).get_output(0)
    reduce = kit.net.add_reduce(wide, kit.trt.ReduceOperation.SUM, 0b1100, True)
    kit.output(reduce.get_output(0), "sum")


@_network({"x": ("Float", (4, 32))}, {"y": ("BFloat16", (4, 16)), "z": ("Float", (4, 16))})
def bfloat16(kit: Kit) -> None:
    narrow = kit.dtype("BFloat16")
    x = kit.net.add_cast(kit.input("x"), narrow).get_output(0)
    weights = kit.net.add_cast(kit.filled((32, 16)), narrow).get_output(0)
    y = kit.output(kit.matmul(x, weights, "linear"), "y")
    soft = kit.net.add_softmax(kit.net.add_cast(y, kit.dtype("Float")).get_output(0))
    kit.output(soft.get_output(0), "z")


@_network({"x": ("Float", (-1, 3, -1, 16))}, {"y": ("Float", (-1, 8, -1, 16))})
def one_profile(kit: Kit) -> None:
    x = kit.input("x")
    kit.output(kit.relu(kit.conv(kit.relu(kit.conv(x, 8, "a")), 8, "b")), "y")
    kit.profile(x=((1, 3, 8, 16), (2, 3, 16, 16), (4, 3, 32, 16)))


@_network(
    {"x": ("Float", (-1, 16)), "bias": ("Float", (1, 8))},
    {"y": ("Float", (-1, 8)), "best": ("Int32", (-1, 2))},
    {"y": _of("x", "bias"), "best": _of("x", "bias")},
    profiles=3,
)
def three_profiles(kit: Kit) -> None:
    x, bias = kit.input("x"), kit.input("bias")
    y = kit.binary("SUM", kit.matmul(x, kit.filled((16, 8)), "linear"), bias, "biased")
    soft = kit.output(kit.net.add_softmax(y).get_output(0), "y")
    top = kit.net.add_topk(soft, kit.trt.TopKOperation.MAX, 2, 1 << 1)
    kit.output(top.get_output(1), "best")
    for most in (4, 16, 64):
        kit.profile(x=((1, 16), (most // 2, 16), (most, 16)))


@_network(
    {"x": ("Float", (-1, 24)), "shape": ("Int64", (3,))},
    {"y": ("Float", (-1, -1, -1))},
    {"y": _of("x")},  # the values of `shape` make the output's shape, no kernel reads them
)
def shape_input(kit: Kit) -> None:
    x, shape = kit.input("x"), kit.input("shape")
    view = kit.net.add_shuffle(kit.unary("EXP", x, "exp"))
    view.set_input(1, shape)
    kit.output(kit.relu(view.get_output(0)), "y")
    kit.profile(((1, 1, 6), (4, 4, 6), (8, 24, 24)), x=((1, 24), (4, 24), (8, 24)))


@_network(
    {"x": ("Float", (-1, 4, 8)), "like": ("Float", (-1, 16))},
    {"y": ("Float", (-1, 32)), "extents": ("Int64", (3,))},
    {"y": _of("x"), "extents": _of()},
)
def shape_operators(kit: Kit) -> None:
    x, like = kit.input("x"), kit.input("like")
    first = kit.net.add_slice(kit.net.add_shape(like).get_output(0), (0,), (1,), (1,))
    target = kit.net.add_concatenation([first.get_output(0), kit.constant([32], "int64")])
    target.axis = 0
    view = kit.net.add_shuffle(kit.relu(x))
    view.set_input(1, target.get_output(0))
    kit.output(kit.unary("ABS", view.get_output(0)), "y")
    kit.output(kit.net.add_shape(x).get_output(0), "extents")
    kit.profile(x=((1, 4, 8), (2, 4, 8), (4, 4, 8)), like=((1, 16), (2, 16), (4, 16)))


@_network(
    {"x": ("Float", (4, 8)), "other": ("Float", (4, 8)), "choose": ("Bool", ())},
    {"y": ("Float", (4, 8))},
)
def conditional(kit: Kit) -> None:
    x, other = kit.input("x"), kit.input("other")
    choice = kit.net.add_if_conditional()
    choice.set_condition(kit.input("choose"))
    one, two = choice.add_input(x).get_output(0), choice.add_input(other).get_output(0)
    then = kit.binary("SUM", kit.matmul(one, kit.filled((8, 8)), "then_linear"), one, "then_add")
    other_arm = kit.unary("EXP", kit.matmul(two, kit.filled((8, 8)), "else_linear"), "else_exp")
    joined = choice.add_output(then, other_arm)
    joined.name = "joined"
    kit.output(kit.relu(joined.get_output(0), "after"), "y")


@_network(
    {"start": ("Float", (4, 4)), "step": ("Float", (4, 4))},
    {"last": ("Float", (4, 4)), "rounds": ("Int32", ())},
    {"last": _of("start", "step"), "rounds": _of()},
)
def loop(kit: Kit) -> None:
    start, step = kit.input("start"), kit.input("step")
    turns = kit.net.add_loop()
    turns.add_trip_limit(kit.constant(5, "int32"), kit.trt.TripLimit.COUNT)
    state = turns.add_recurrence(start)
    counter = turns.add_recurrence(kit.constant(0, "int32"))
    mixed = kit.matmul(state.get_output(0), step, "mix")
    state.set_input(1, kit.binary("SUM", mixed, step, "mixed"))
    kit.counts(counter)
    for recurrence, name in ((state, "last"), (counter, "rounds")):
        done = turns.add_loop_output(recurrence.get_output(0), kit.trt.LoopOutput.LAST_VALUE)
        kit.output(done.get_output(0), name)


@_network({"x": ("Float", (2, 8)), "until": ("Int32", ())}, {"y": ("Float", (2, 8))})
def while_loop(kit: Kit) -> None:
    x, until = kit.input("x"), kit.input("until")
    turns = kit.net.add_loop()
    state = turns.add_recurrence(x)
    counter = turns.add_recurrence(kit.constant(0, "int32"))
    going = kit.binary("LESS", counter.get_output(0), until, "going")
    turns.add_trip_limit(going, kit.trt.TripLimit.WHILE)
    state.set_input(1, kit.binary("SUM", state.get_output(0), x, "again"))
    kit.counts(counter)
    last = turns.add_loop_output(state.get_output(0), kit.trt.LoopOutput.LAST_VALUE)
    kit.output(kit.relu(last.get_output(0)), "y")


@_network(
    {f"part{number}": ("Float", (1, 2, 8, 8)) for number in range(32)},
    {"whole": ("Float", (1, 64, 8, 8)), "mixed": ("Float", (1, 4, 8, 8))},
)
def wide_concat(kit: Kit) -> None:
    parts = [kit.relu(kit.input(f"part{number}"), f"relu{number}") for number in range(32)]
    whole = kit.net.add_concatenation(parts)
    whole.axis = 1
    kit.output(whole.get_output(0), "whole")
    kit.output(kit.conv(whole.get_output(0), 4, "mix"), "mixed")


@_network(
    {"x": ("Float", (1, 4, 8, 8))},
    {
        "stem": ("Float", (1, 8, 8, 8)),
        "logits": ("Float", (1, 4, 8, 8)),
        "positive": ("Bool", (1, 4, 8, 8)),
    },
)
def several_outputs(kit: Kit) -> None:
    stem = kit.output(kit.relu(kit.conv(kit.input("x"), 8, "stem_conv")), "stem")
    logits = kit.output(kit.conv(stem, 4, "head"), "logits")
    zero = kit.constant([[[[0.0]]]], "float32")
    kit.output(kit.binary("GREATER", logits, zero), "positive")


@_network(
    {"left": ("Float", (1, 4, 16, 16)), "right": ("Float", (8, 32))},
    {"conv_out": ("Float", (1, 4, 16, 16)), "linear_out": ("Float", (8, 16))},
    {"conv_out": _of("left"), "linear_out": _of("right")},
    apart=True,
)
def two_towers(kit: Kit) -> None:
    kit.output(kit.conv(kit.conv(kit.input("left"), 8, "l0"), 4, "l1"), "conv_out")
    hidden = kit.relu(kit.matmul(kit.input("right"), kit.filled((32, 32)), "r0"))
    kit.output(kit.matmul(hidden, kit.filled((32, 16)), "r1"), "linear_out")


@_network(
    {"ids": ("Int64", (2, 6)), "keep": ("Bool", (2, 6, 16))},
    {"embedded": ("Float", (2, 6, 16)), "bytes": ("Int8", (2, 6))},
    {"embedded": _of("ids", "keep"), "bytes": _of("ids")},
)
def integers(kit: Kit) -> None:
    ids, keep = kit.input("ids"), kit.input("keep")
    rows = kit.net.add_gather(kit.filled((50, 16)), ids, 0).get_output(0)
    zero = kit.constant([[[0.0]]], "float32")
    kit.output(kit.net.add_select(keep, rows, zero).get_output(0), "embedded")
    floats = kit.net.add_cast(ids, kit.dtype("Float")).get_output(0)
    small = kit.net.add_quantize(floats, kit.constant(1.0, "float32"), kit.dtype("Int8"))
    kit.output(small.get_output(0), "bytes")


@_network({}, {"table": ("Float", (4, 4))})
def no_inputs(kit: Kit) -> None:
    fill = kit.net.add_fill((4, 4), kit.trt.FillOperation.LINSPACE, kit.dtype("Float"))
    fill.set_input(1, kit.constant(0.0, "float32"))
    fill.set_input(2, kit.constant([4.0, 1.0], "float32"))
    kit.output(kit.unary("SQRT", fill.get_output(0)), "table")


@_network(
    {"input.0": ("Float", (1, 3, 16, 16)), "/mask": ("Float", (1, 1, 16, 16))},
    {"output/logits": ("Float", (1, 5)), "onnx::Relu_4": ("Float", (1, 8, 16, 16))},
    {"output/logits": _of("input.0", "/mask"), "onnx::Relu_4": _of("input.0")},
)
def from_onnx(kit: Kit) -> None:
    _parse(kit, onnx_model())


ONNX_NODES: Final = (
    *("/encoder/stem/Conv", "/encoder/stem/Relu", "/encoder/Mul", "/head/GlobalAveragePool"),
    *("/head/Flatten", "/head/fc/Gemm"),
)


@_network(
    {"input_ids": ("Int64", (1, 8)), "attention_mask": ("Int64", (1, 8))},
    {"logits": ("Float", (1, 8, 4))},
    {"logits": _of("input_ids", "attention_mask")},
)
def bert(kit: Kit) -> None:
    _parse(kit, MODELS["bert"]())


@_network({"ids": ("Int64", (-1, -1))}, {"result": ("Float", (-1, -1, 8))}, {"result": _of("ids")})
def positions(kit: Kit) -> None:
    _parse(kit, MODELS["positions"]())
    kit.profile(ids=((1, 4), (2, 8), (4, 16)))


def _parse(kit: Kit, model: bytes) -> None:
    parser = kit.trt.OnnxParser(kit.net, kit.builder.logger)
    assert parser.parse(model), [parser.get_error(n) for n in range(parser.num_errors)]


def onnx_model() -> bytes:
    """What PyTorch's exporter writes: names of modules, with slashes and dots."""
    sketch = Sketch()

    def node(at: int, reads: list[str], gives: str, **more: Any) -> str:
        name = ONNX_NODES[at]
        return sketch.node(name.rpartition("/")[2], reads, gives, name, **more)

    stem = sketch.weight("stem.weight", 8, 3, 3, 3)
    x = node(1, [node(0, ["input.0", stem], "/stem/out", pads=[1] * 4)], "onnx::Relu_4")
    x = node(4, [node(3, [node(2, [x, "/mask"], "/masked")], "/pooled")], "/flat")
    fc = [sketch.weight("fc.weight", 8, 5), sketch.weight("fc.bias", 5)]
    node(5, [x, *fc], "output/logits")
    wanted = NETWORKS["from_onnx"]
    return sketch.model(
        {name: ("FLOAT", dims) for name, (_, dims) in wanted.inputs.items()},
        {name: dims for name, (_, dims) in wanted.outputs.items()},
    )


@_network({"x": ("Float", (2, 3))}, {}, fails=True)
def without_outputs(kit: Kit) -> None:
    kit.relu(kit.input("x"))


@_network({"x": ("Float", (2, 3))}, {"y": ("Float", (5, 5))}, fails=True)
def impossible_reshape(kit: Kit) -> None:
    kit.output(kit.reshape(kit.input("x"), (5, 5)), "y")


# ---- names -------------------------------------------------------------------------------------

# Names are printed as they are. These mean something to whoever reads a listing.
NAMES: Final = (
    "plain",
    "with blanks in it",
    "comma, comma",
    "arrow -> arrow",
    "colon: value",
    "a, Tactic: 0x12",
    "Tactic: 0x0000000000000000, b",
    "[Float(1,2)]",
    "x[Float(1,2)], y",
    "(Float[1,2])",
    "{ForeignNode[a...b]}",
    "a || b + c",
    "]",
    "} ], Outputs: [ {",
    "{ Name: z, Dimensions: [1]",
    "n, LayerType: kgen, Inputs: [",
    "TacticName: , StreamId: 0, Metadata: ",
    "Layer(Conv): c",
    "Name: d",
    "Layers:",
    "I/O Tensors:",
    "Engine Layer Information:",
    "[11/21/2026-02:40:00] [TRT] [V] w",
    "tab\there",
    "separator\x1e and \x1f",
    "next line\x85 and \u2028",
    "größe 層 😀",
    "\"quoted\" 'too' \\n",
    "<b>&amp;</b>",
    "$$myelin$$ ^ %0 : Tensor = aten::relu(%x.1) # a.py:1455:17",
    "long/" * 800,
    "line\nbreak",
    "blank\n\nline",
    "last\n",
)

# This holds a whole tensor of a classic listing and an arrow: a line with it has two readings.
DOUBLE_NAMES: Final = ("x (Float[4,8]) -> y", "x (Float[4,8]), y", "x (Int8[1]), y (Half[2]), z")


def named(text: str) -> Network:
    """Two inputs, two layers and two outputs; of each kind one is called `text`, with a letter."""
    inputs: dict[str, Put] = {f"i{text}": ("Float", (4, 8)), "plain_input": ("Float", (4, 8))}
    outputs: dict[str, Put] = {f"o{text}": ("Float", (4, 8)), "plain_output": ("Half", (4, 8))}

    def make(kit: Kit) -> None:
        one, two = map(kit.input, inputs)
        weights = kit.net.add_constant((8, 8), kit.weights((8, 8)))
        weights.name = f"c{text}"
        product = kit.matmul(one, weights.get_output(0), f"l{text}")
        out = kit.output(kit.binary("SUM", product, two, f"m{text}"), f"o{text}")
        cast = kit.net.add_cast(out, kit.dtype("Half"))
        cast.name = f"k{text}"
        kit.output(cast.get_output(0), "plain_output")

    return Network(make, inputs, outputs, {name: frozenset(inputs) for name in outputs})


# ---- by words ------------------------------------------------------------------------------------


def _parsed(model: Callable[[], bytes], shapes: Mapping[str, cut_models.Shapes] = {}) -> Network:
    def make(kit: Kit) -> None:
        _parse(kit, model())
        for tensor, own in shapes.items():
            kit.profile(**{tensor: own})

    return Network(make, {}, {}, {})


# What makes a network of a word: the N-th of the names or a text for a name, a variant of the
# residual network, a number of channels in Int8, a model of the tests of `cut`, a file.
MADE: Final[dict[str, Callable[[str], Network]]] = {
    "name": lambda number: named((*NAMES, *DOUBLE_NAMES)[int(number)]),
    "text": named,
    "transformer": lambda _: _parsed(encoder),
    "residual": lambda variant: _parsed(lambda: exported(variant).model),
    "channels": lambda count: _parsed(lambda: quantised(int(count))),
    "cut": lambda name: _parsed(*cut_models.MODELS[name]),
    "file": lambda path: _parsed(Path(path).read_bytes),
}
