"""Convolutions and products run tensor-core kernels of a much older GPU.

**Found**: kernels on tensor cores that were made for an architecture at least two generations below
the GPU take more than 20 % of the time of all convolutions and matrix products. The
generations are Volta, Turing, Ampere and Ada, Hopper, Blackwell. Blackwell for desktops (compute
capability 12) counts as one generation above Ampere: its tensor cores take Ampere's instructions.
Kernels of pooling and element-wise layers never count: old names are normal there.

**Why it costs**: newer tensor cores reach their full speed only with newer instructions.

**What to do**: build with a newer version of TensorRT and CUDA: it may have newer kernels.

**When to leave it**: where the newest version of TensorRT that runs on this GPU was used.

**Example**:

    Compute Capability: 9.0
    conv1 Set Tactic Name: turing_h1688cudnn_128x128_ldg8_relu_exp_small_nhwc_tn_v1 Tactic: 0x1

**Versions**: all that name kernels.

**Severity**: hint.

**Sources**: recorded logs.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.core.text import percent, plural
from engine_layer_visualize.linting.finding import Evidence, Finding, described
from engine_layer_visualize.linting.subject import Subject
from engine_layer_visualize.trt.kernel_names import architecture, on_tensor_cores

RULE: Final = described(__name__, __doc__)
_LEAST_SHARE: Final = 0.2
_LEAST_GENERATIONS: Final = 2
# The first compute capability of each generation, the oldest first.
_GENERATIONS: Final = ((7, 0), (7, 5), (8, 0), (9, 0), (10, 0))
_DESKTOP_BLACKWELL: Final = (12, 0)
_ADVICE: Final = "build with a newer version of TensorRT and CUDA: it may have newer kernels"


def check(subject: Subject) -> Iterator[Finding]:
    """Yields one finding for all such layers."""
    device = subject.compute_capability
    if device is None:
        return
    generation = _generation(device) - (device >= _DESKTOP_BLACKWELL)
    layers = [layer for layer in subject.multiplying if _is_old(layer, generation)]
    ms, whole = subject.costs.sum(layers), subject.costs.sum(subject.multiplying)
    if ms is None or not whole or ms <= _LEAST_SHARE * whole:
        return
    verb = plural(len(layers), "runs", "run")
    share = f"{percent(ms / whole)} of the time of convolutions and products"
    share += "" if subject.engine.source.complete else " that are listed"
    gpu = ".".join(map(str, device))
    why = (*subject.names(layers), f" {verb} kernels of older GPUs than {gpu}, {share}")
    evidence = [
        Evidence(f"kernel {layer.kernel}", dict(subject.known(layer).lines).get("kernel"))
        for layer in layers[:3]
    ]
    yield subject.finding(RULE, layers, why, _ADVICE, evidence, part=None)


def _generation(capability: tuple[int, int]) -> int:
    return sum(first <= capability for first in _GENERATIONS)


def _is_old(layer: Layer, generation: int) -> bool:
    if not layer.kernel or not on_tensor_cores(layer.kernel):
        return False
    made_for = architecture(layer.kernel)
    return made_for is not None and generation - _generation(made_for) >= _LEAST_GENERATIONS
