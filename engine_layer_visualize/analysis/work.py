"""Computes what layers compute and move, and the time that no kernel can beat.

By the `extents` of what it multiplies, its MACs and bytes, and what the device can do.
"""

import math
from collections.abc import Hashable, Iterable, Mapping
from typing import Final, Literal, NamedTuple

from engine_layer_visualize.analysis import counts, extents, peaks, precisions, told_extents
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.kinds import runs_kernel
from engine_layer_visualize.analysis.labels import headline
from engine_layer_visualize.analysis.sizes import Convolution, Extents, Unknown
from engine_layer_visualize.core.limits import sum_of_all
from engine_layer_visualize.core.model import Layer, TimeKind
from engine_layer_visualize.core.options import Peak
from engine_layer_visualize.core.text import count, large
from engine_layer_visualize.trt.names import is_sparse, is_winograd, on_tensor_cores
from engine_layer_visualize.trt.types import canonical, width

BoundBy = Literal["compute", "memory", "launch"]
_OTHER_EXTENTS: Final = "the log does not say for which extents the builder timed it"
LAUNCH: Final = 0.005  # ms; less is spent on the start of a kernel
_KEYS: Final = {
    **{"Double": "fp64", "Half": "fp16", "BFloat16": "bf16", "Int8": "int8", "FP8": "fp8"},
    "FP4": "fp4",
}
_PEAKS: Final[Mapping[str, tuple[str, ...]]] = {
    **{dtype: (key, f"{key}_fp32") for dtype, key in _KEYS.items()},
    "Float": ("tf32", "fp32"),
}
# How many times fewer multiplications: F(2×2, 3×3), and F(4×4, 3×3) in several kernels.
_WINOGRAD: Final = (("winograd_nonfused", 4.0), ("winograd", 2.25))


class LayerWork(NamedTuple):
    """What one layer computes and moves; None: unknown."""

    macs: int | None = None  # multiplications with additions, of convolutions and matrix products
    flop: int | None = None  # twice the MACs
    bytes: int | None = None  # each tensor once, and the weights
    intensity: float | None = None  # FLOP per byte
    bound_ms: float | None = None  # the time that no kernel beats at the maximum clock
    bound_by: BoundBy | None = None  # `launch` where its time is below 5 µs
    efficiency: float | None = None  # the bound as a part of the layer's time; 1: nothing to gain
    above_ms: float | None = None  # the time above the bound
    unknown: str | None = None  # why something is not known
    in_l2: bool = False  # all that it moves may lie in the L2 cache: it may beat a bound by memory
    compute_ms: float | None = None  # the bound of its multiplications alone
    # why the bound counts fewer of them: `Winograd` or `sparse`, by the kernel
    assumes: str | None = None


class EngineWork(NamedTuple):
    """The work of an engine's layers; the sums are of one optimisation profile."""

    layers: Mapping[int, LayerWork]  # by index, of all optimisation profiles
    macs: int | None  # the sum; None where a layer's are unknown
    macs_known: int  # the sum of those that are known
    layers_unknown: int  # of how many they are not
    peak: Peak | None  # what the device can do; None: unknown
    kind: TimeKind | None  # of the times that efficiencies are of
    # the inputs whose shapes the listing leaves open, with those that numbers are of
    at: tuple[told_extents.InputShape, ...] = ()
    of_times: bool = True  # whether the layers' times are of these shapes, too

    def of(self, layer: Layer) -> LayerWork:
        """The work of one layer."""
        return self.layers[layer.index]

    def timed(self, layer: Layer) -> LayerWork:
        """The work that the layer's time is of; nothing is known of that at other extents."""
        done = self.layers[layer.index]
        return done if self.of_times else LayerWork(unknown=done.unknown)

    def __repr__(self) -> str:
        """`<EngineWork of 54 layers, 3.94 G MACs>`."""
        least = "" if self.macs is not None else "at least "
        layers = count(len(self.layers), "layer")
        return f"<EngineWork of {layers}, {least}{large(self.macs_known)} MACs>"


def work(costs: Costs) -> EngineWork:
    """The work of each layer."""
    (_, peak), layers = costs.once(_untimed), costs.once(_layers, of_times=True)
    told = costs.once(told_extents.by_inputs)
    known = [done.macs for la in costs.layers if (done := layers[la.index]).macs is not None]
    whole, missing = sum(known), len(costs.layers) - len(known)
    return EngineWork(
        layers, None if missing else whole, whole, missing, peak, costs.kind, told.at, told.of_times
    )


def _layers(costs: Costs) -> Mapping[int, LayerWork]:
    layers, _ = costs.once(_untimed)
    return {la.index: _timed(layers[la.index], costs.of(la)) for la in costs.engine.layers}


def shapes(costs: Costs) -> Mapping[int, Extents | None]:
    """The extents of each layer's convolution or matrix product, by the layer's index."""
    return costs.once(_shapes)


def _shapes(costs: Costs) -> Mapping[int, Extents | None]:
    return {la.index: extents.of(la) for la in costs.once(told_extents.by_inputs).layers}


def _untimed(costs: Costs) -> tuple[Mapping[int, LayerWork], Peak | None]:
    """The work of all layers without what depends on their times, and what the device can do."""
    known, told = costs.engine.known.device, costs.once(told_extents.by_inputs)
    # a compute capability alone gives no figure
    has_figures = known is not None and (known.name or known.sms or known.bus_bits)
    peak = peaks.merged(peaks.of_device(known) if has_figures else None, costs.peak)
    inside, whole = counts.inside_myelin(costs.engine), counts.whole_sizes(told.layers)
    of_layers = shapes(costs)
    layers = {la.index: _layer(la, of_layers[la.index], whole, peak, inside) for la in told.layers}
    jumps, looped = costs.engine.graph.jumps, 0
    behind = {jump.source: jump.target for jump in jumps if jump.tensor == "JumpTarget"}
    for jump in (one for one in jumps if one.tensor == "JumpTargetElse"):
        other = jump.target or 0  # its arm ends where the first arm goes on, else at the end
        for index in range(jump.source or 0, behind.get(other - 1) or len(layers)):
            if layers[index].macs:
                layers[index] = LayerWork(unknown="a branch decides whether it runs")
    for begin, end in sorted((j.target or 0, j.source or 0) for j in jumps):
        for index in range(max(begin, looped), end):  # of one back: a loop
            if layers[index].macs:
                layers[index] = LayerWork(unknown="a loop runs it, how often is not known")
        looped = max(looped, end)
    if not told.of_times:  # no bound is asked of extents that the times may not be of
        for index, done in layers.items():
            if done.bound_ms is not None:
                layers[index] = LayerWork(*done[:4], unknown=_OTHER_EXTENTS)
    return layers, peak


def _timed(done: LayerWork, took: float | None) -> LayerWork:
    """The work of a layer that takes `took` ms."""
    ms = done.bound_ms
    if ms is None:
        return done
    by: BoundBy | None = "launch" if (ms if took is None else took) < LAUNCH else done.bound_by
    above_ms = None if took is None else max(0.0, took - ms)
    return done._replace(bound_by=by, efficiency=ms / took if took else None, above_ms=above_ms)


def _layer(
    layer: Layer,
    extents: Extents | None,
    whole: Mapping[str, int],
    peak: Peak | None,
    inside: Mapping[int, int],
) -> LayerWork:
    """The work of a layer of which no time is known.

    `whole`: bytes of tensors; `inside`: MACs of layers that Myelin compiled.
    """
    if not runs_kernel(layer):
        return LayerWork(0, 0, 0)
    both = counts.macs(layer, extents, inside), counts.moved(layer, extents, whole)
    number, moved = (None if isinstance(known, Unknown) else known for known in both)
    why = next((known.why for known in both if isinstance(known, Unknown)), None)
    done = LayerWork(number, None if number is None else 2 * number, moved, unknown=why)
    if number is None or moved is None:
        return done
    done = done._replace(intensity=2 * number / moved if moved else None)
    if peak is None:
        return done
    if peak.bytes_per_ms is None:
        return done._replace(unknown="the memory bandwidth of the device is not known")
    able = _able(layer, extents, peak) if number else math.inf
    if able is None:
        dtype = precisions.of(layer).dtype or "its precision"
        return done._replace(unknown=f"the device's peak in {dtype} is not known")
    memory, compute = moved / peak.bytes_per_ms, 2 * number / able * 1e3
    by_memory, ms, kernel = compute <= memory, max(compute, memory), layer.kernel or ""
    assumes = "Winograd" if is_winograd(kernel) else "sparse" if is_sparse(kernel) else None
    return done._replace(
        bound_ms=ms,
        bound_by="memory" if by_memory else "compute",
        in_l2=by_memory and peak.l2_mib is not None and moved <= peak.l2_mib * (1 << 20),
        compute_ms=compute,
        assumes=assumes if ms and number else None,
    )


def _able(layer: Layer, extents: Extents | None, peak: Peak) -> float | None:
    """FLOP/s of what the layer may run on, the fastest where the log does not tell."""
    precise, kernel = precisions.of(layer), (layer.kernel or "").casefold()
    dtype = canonical(precise.dtype)
    if isinstance(extents, Convolution) and extents.depthwise:
        cores, bits = peak.of("fp32"), width(dtype)
        return None if cores is None or bits is None else cores * max(1, 32 // bits)
    names = peaks_of(dtype, peak)
    if dtype == "Float" and not precise.tf32 and on_tensor_cores(kernel) is False:
        names = ("fp32",)
    elif dtype == "Half" and "f16f16_f16f32_" in kernel and peak.of("fp16_fp32"):
        names = ("fp16_fp32",)
    known = [value for name in names if (value := peak.of(name)) is not None]
    if not known:
        return None
    fewer = next((times for words, times in _WINOGRAD if words in kernel), None)
    fewer = fewer or (2.0 if is_sparse(kernel) else 1.0)
    return (max(known) if dtype == "Float" else known[0]) * fewer


def peaks_of(dtype: str | None, peak: Peak) -> tuple[str, ...]:
    """The names of the known peaks that a layer of a data type may reach."""
    known = tuple(name for name in _PEAKS.get(dtype or "", ()) if peak.of(name) is not None)
    # Where there are no tensor cores for them, they are multiplied as Float.
    if not known and dtype in ("Half", "BFloat16") and peak.of("fp32") is not None:
        return ("fp32",)
    return known


def needed_ms(
    done: LayerWork, now: str, dtypes: Iterable[str], peak: Peak | None
) -> tuple[float, float] | None:
    """The ms that a layer's multiplications and its bytes need in the worst of these types.

    None where one is not known. `now`: the type of `done`; it stays where `dtypes` has none.
    """
    rate, bits, types = peak and peak.bytes_per_ms, width(now), tuple(dtypes) or (now,)
    if peak is None or not rate or done.macs is None or done.bytes is None:
        return None
    compute, widths = done.compute_ms, [width(dtype) or 0 for dtype in types]
    if types != (now,):
        able = [peak.of(_KEYS.get(dtype, "")) or 0.0 for dtype in types]
        compute = 2 * done.macs / min(able) * 1e3 if all(able) else None
    if compute is None or not bits or not all(widths):
        return None
    return compute, done.bytes * min(1.0, max(widths) / bits) / rate


# ---- layers that compute the same with the same kernel -------------------------------------------

# Of equal heads, or of the blocks of a transformer, each layer alone ranks low: what is gained in
# one is gained in all.


class EqualLayers(NamedTuple):
    """Layers that compute the same. A sum is None where a layer's value is unknown."""

    layers: tuple[Layer, ...]  # in order
    done: LayerWork  # the work of the first
    ms: float | None
    bound_ms: float | None
    above_ms: float | None

    @property
    def efficiency(self) -> float | None:
        """The bounds as a part of the times."""
        return self.bound_ms / self.ms if self.bound_ms is not None and self.ms else None

    @property
    def macs(self) -> int | None:
        """The MACs of all of them."""
        return None if self.done.macs is None else len(self.layers) * self.done.macs

    @property
    def bytes(self) -> int | None:
        """The bytes that all of them move."""
        return None if self.done.bytes is None else len(self.layers) * self.done.bytes


def ranked_equal_layers(
    layers: Iterable[Layer], work: EngineWork, costs: Costs
) -> list[EqualLayers]:
    """The groups, those first that are farthest above their bounds.

    Where no bounds are known it is those with the most MACs.
    """
    members: dict[Hashable, list[Layer]] = {}
    for layer in layers:
        members.setdefault(_sign(layer, work.of(layer)), []).append(layer)
    groups = [_group(tuple(several), work, costs) for several in members.values()]
    if any(group.above_ms is not None for group in groups):
        return sorted(groups, key=lambda group: -(group.above_ms or 0.0))
    return sorted(groups, key=lambda group: -(group.macs or 0))


def _group(layers: tuple[Layer, ...], work: EngineWork, costs: Costs) -> EqualLayers:
    done = [work.of(layer) for layer in layers]
    bound_ms = sum_of_all(each.bound_ms for each in done)
    above_ms = sum_of_all(each.above_ms for each in done)
    return EqualLayers(layers, done[0], sum_of_all(map(costs.of, layers)), bound_ms, above_ms)


def _sign(layer: Layer, done: LayerWork) -> Hashable:
    """Equal for layers that compute the same with the same kernel."""
    if not layer.inputs and not layer.outputs:
        return layer.index  # nothing tells what it computes
    read = tuple((tensor.dtype, tensor.dims, tensor.format) for tensor in layer.inputs)
    written = tuple((tensor.dtype, tensor.dims, tensor.format) for tensor in layer.outputs)
    tactic = layer.kernel or layer.tactic
    return layer.type, headline(layer), tactic, read, written, done.macs, done.bytes, done.bound_ms
