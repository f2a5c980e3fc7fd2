"""Tells the part that layers play, which are too small, and how an engine was run."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from engine_layer_visualize.analysis import precisions, sizes
from engine_layer_visualize.analysis.kinds import SERVING, is_reformat, kind_of, runs_kernel
from engine_layer_visualize.analysis.work import LayerWork
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.core.text import milliseconds
from engine_layer_visualize.linting.finding import SHORTEST_MS, Evidence
from engine_layer_visualize.linting.inference import gpu_compute
from engine_layer_visualize.linting.subject import Subject
from engine_layer_visualize.trt import kernels
from engine_layer_visualize.trt.kernels import is_winograd

# ---- tells the part that a layer plays in a graph: pointwise, layout, softmax, product ----------

# Its record and its ONNX operators tell that. Myelin's kernels tell theirs by name
# (`__myl_ResTran_myl0_1`).

_POINTWISE: Final = ("PointWise", "ElementWise", "Elementwise", "Activation", "Unary")
_LAYOUT: Final = ("Shuffle", "Transpose", "Squeeze", "Unsqueeze", "Reshape")
_LAYOUT_WORDS: Final = frozenset({"Tran", "Resh", "Res", "Move", "Perm", "Sque", "Unsq", "Flat"})
_PRODUCTS: Final = frozenset({"Gemm", "MatMul", "Conv", "ConvTranspose", "Einsum"})
_TAIL: Final = frozenset({"Add", "Relu", "Clip", "LeakyRelu"})  # a bias and what TensorRT fuses
# How TensorRT names the layout layers that it adds around its own convolutions.
_OWN: Final = (
    "reshape_before_",
    "reshape_after_",
    "squeeze_",
    "unsqueeze_node_",
    "unsqueeze_after",
)


def is_pointwise(layer: Layer) -> bool:
    """Whether each number of its output comes from one number of each input."""
    return layer.type.startswith(_POINTWISE)


def is_generated(layer: Layer) -> bool:
    """Whether it is a kernel that Myelin wrote, and that holds no product."""
    return layer.type == "kgen" and sizes.has_no_products(layer)


def moves_only(layer: Layer) -> bool:
    """Whether it gives the same numbers in another order or shape, with a kernel."""
    if layer.type == "kgen":
        words = kernels.myelin_words(layer.name)
        return bool(words) and _LAYOUT_WORDS.issuperset(words)
    return layer.type.startswith(_LAYOUT)


def passes_on(layer: Layer) -> bool:
    """Whether it gives the same numbers in another type, format, order or shape, or as they are."""
    return kind_of(layer) in SERVING or layer.type in ("Identity", "copy") or moves_only(layer)


def is_layout(layer: Layer) -> bool:
    """Whether it changes an order or a shape, with a kernel or without.

    The layers that TensorRT adds around products do not count.
    """
    return (moves_only(layer) or _is_view(layer)) and not layer.name.startswith(_OWN)


def _is_view(layer: Layer) -> bool:
    """Whether it gives another shape without a kernel.

    A NoOp may be a cast that changes nothing, too.
    """
    if layer.type != "NoOp" or not layer.inputs or not layer.outputs:
        return False
    return layer.inputs[0].dims != layer.outputs[0].dims


def is_product(subject: Subject, layer: Layer) -> bool:
    """Whether it is a convolution or a matrix product, also one that Myelin runs alone."""
    if subject.multiplies(layer):
        return True
    if layer.type != "Myelin":
        return False
    operators = subject.operators(layer)
    return bool(operators) and _PRODUCTS.issuperset(operators)


def product_before(subject: Subject, layer: Layer) -> Layer | None:
    """Returns the product that writes for a pointwise layer alone; None where there is none."""
    for writer in subject.writers(layer):
        if is_product(subject, writer) and subject.only_reader(writer) is layer:
            return writer
    return None


def is_tail(subject: Subject, layer: Layer, product: Layer) -> bool:
    """Whether a pointwise layer is only what TensorRT can fuse into its product.

    That is the product's own bias, or an added constant, and an activation that TensorRT fuses: no
    model has them in a better place.
    """
    if len(subject.computed(layer)) > 1:
        return False
    nodes, operators = subject.nodes(layer), subject.operators(layer)
    whole = subject.nodes(product)
    if not nodes or len(nodes) != len(operators):
        return bool(operators) and _TAIL.issuperset(operators)
    return all(node in whole or operator in _TAIL for node, operator in zip(nodes, operators))


def runs_alone(subject: Subject, layer: Layer, operator: str) -> bool:
    """Whether a layer runs a kernel for ONNX nodes of this operator alone."""
    known = layer.facts.onnx_operators if layer.facts is not None else ()
    if operator not in known and (operator not in layer.name or (all(known) and known)):
        return False  # most layers
    return {*subject.operators(layer)} == {operator} and runs_kernel(layer)


def is_softmax(layer: Layer) -> bool:
    """Whether it computes a softmax and no product."""
    words = layer.type.casefold()
    if "softmax" in words:
        return "topk" not in words
    return is_generated(layer) and "SubExpSum" in layer.name


# ---- finds the layers of an engine that are too small to fill the device ------------------------


TIMES_BOUND: Final = 3  # how many bounds a layer takes at least
LEAST_SHARE: Final = 0.5  # of the time of the engine
LEAST_LAYERS: Final = 10


class SmallLayers(NamedTuple):
    """Layers that are too small to fill the device.

    Attributes:
        layers: the longest first.
        took: their ms.
        bound: the ms that the device needs for them.
    """

    layers: tuple[Layer, ...]
    took: float
    bound: float


def small(subject: Subject) -> SmallLayers | None:
    """Returns the small layers of an engine of which they take the most time; None of others."""
    costs = subject.costs
    if costs.kind != "measured" or not costs.ranked or not costs.whole:
        return None
    rows = [
        (ms, layer, work)
        for layer in subject.layers
        if not is_reformat(layer)
        if (ms := subject.ms(layer)) and ms < SHORTEST_MS
        if (work := subject.work_of(layer)).bound_ms and is_sure(layer, work)
    ]
    took = sum(ms for ms, *_ in rows)
    bound = sum(work.bound_ms or 0.0 for *_, work in rows)
    is_most = took > LEAST_SHARE * costs.whole and took > TIMES_BOUND * bound
    if len(rows) < LEAST_LAYERS or not is_most:
        return None
    rows.sort(key=lambda row: -row[0])
    return SmallLayers(tuple(layer for _, layer, _ in rows), took, bound)


def mean_of_kernels(subject: Subject) -> float | None:
    """Returns the ms of a layer in the mean, by the time of an inference on the GPU.

    None where that is not known, or layers are missing.
    """
    took = gpu_compute(subject.measured.costs)
    number = sum(map(runs_kernel, subject.layers))
    return took / number if took and number and subject.engine.source.complete else None


def is_sure(layer: Layer, work: LayerWork) -> bool:
    """Whether the peak is known to be that of the units on which a layer's kernel runs.

    Float may run on two kinds of units. How much a Winograd kernel saves is unknown.
    """
    if is_winograd(layer.kernel or ""):
        return False
    precision = precisions.of(layer)
    known = precision.tf32 or layer.kernel is not None or precision.dtype != "Float"
    return known or work.bound_by == "memory"


# ---- tells how an engine was run and measured, for rules about the whole engine -----------------


MOST_LINES: Final = 3  # of the log, as evidence
_DEFAULTS: Final = (11,)  # the first version whose trtexec captures a CUDA graph by default
_LAUNCH_MS: Final = 0.0015  # of a kernel in a graph, by the time to enqueue; in a stream it is 2 µs


def of_last_run(subject: Subject, words: re.Pattern[str]) -> list[Evidence]:
    """Returns what trtexec itself warns of the last run: it stands behind the run's summary."""
    performance = subject.facts.performance
    first = performance.line or 0 if performance is not None else 0
    return [line for line in subject.lines(words) if (line.line or 0) >= first]


class Ratio(NamedTuple):
    """The median of a row of trtexec's summary, as a part of the median GPU compute time."""

    part: float
    lines: tuple[Evidence, ...]


def part_of_computing(subject: Subject, name: str) -> Ratio | None:
    """Returns the ratio of the last run; None where one of both medians is unknown or 0."""
    performance = subject.facts.performance
    rows = performance.measures if performance is not None else ()
    medians = {row.name: (row.median, row.line) for row in rows if row.median}
    median, median_line = medians.get(name, (None, None))
    compute, compute_line = medians.get("GPU Compute Time", (None, None))
    if not median or not compute:
        return None
    lines = ((name, median, median_line), ("GPU Compute Time", compute, compute_line))
    return Ratio(
        median / compute,
        tuple(Evidence(f"{what}: median {milliseconds(ms)}", line) for what, ms, line in lines),
    )


def has_cuda_graph(subject: Subject) -> bool:
    """Whether trtexec measured the engine captured in a CUDA graph.

    Where its options are not in the log, the time to enqueue tells.
    """
    if (option := subject.option("CUDA Graph", "Inference")) is not None:
        return option.value == "Enabled"
    rows = subject.facts.performance.measures if subject.facts.performance is not None else ()
    took = next((row.median for row in rows if row.name == "Enqueue Time" and row.median), None)
    kernels = sum(map(runs_kernel, subject.layers)) if subject.engine.source.complete else 0
    is_quick = took is not None and took < _LAUNCH_MS * kernels
    return is_quick or _by_default(subject, "--noCudaGraph")


def run_conditions_spins(subject: Subject) -> bool:
    """Whether trtexec waited for the GPU without yielding (`--useSpinWait`)."""
    return _is(subject, "Spin-wait", "Enabled") or _by_default(subject, "--noSpinWait")


def profiled_apart(subject: Subject) -> bool:
    """Whether trtexec profiled the layers in a run of their own (`--separateProfileRun`)."""
    return _is(subject, "Separate profiling", "Enabled") or _by_default(subject)


def profiled_together(subject: Subject) -> bool:
    """Whether the run that gave the time on the GPU was slowed by the profile of the layers."""
    exported = subject.option("Export profile to JSON file", "Reporting")
    dumped = _is(subject, "Profile", "Enabled", "Reporting")
    profiled = dumped or (exported is not None and bool(exported.value))
    return profiled and not profiled_apart(subject)


def _by_default(subject: Subject, without: str = "") -> bool:
    """Whether trtexec does it unasked, from TensorRT 11 on; `without`: the flag against it."""
    is_new = subject.version is not None and subject.version >= _DEFAULTS
    return is_new and bool(subject.facts.command) and (not without or subject.can_add(without))


def _is(subject: Subject, key: str, value: str, section: str = "Inference") -> bool:
    option = subject.option(key, section)
    return option is not None and option.value == value
