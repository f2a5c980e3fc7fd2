"""Layers that only move numbers follow one another, or stand around a pointwise layer.

**Found**: two or more layers with a kernel that only change the order or shape of a tensor
(Shuffle; a Myelin kernel that only transposes or reshapes) follow one another, nothing else between
them. Or: behind a convolution or matrix product stands such a change (here also one without a
kernel, a NoOp that gives another shape), then pointwise layers, then a change back to the product's
dimensions.

**Why it costs**: each such layer reads and writes the whole tensor. And what stands between the two
changes is not fused into the product. An engine measured with and without had 57 and 12 layers.

**What to do**: in the model, merge transposes that follow one another; and apply the pointwise
operation before the change, with its constant in the other order. Then both changes can go.

**When to leave it**: where the model cannot be changed: no flag of the builder removes these
layers.

**Example**:

    Layer(CaskConvolution): Conv_0, Tactic: 0x1, x[Float(1,32,16,16)] -> a[Float(1,32,16,16)]
    Layer(Shuffle): Transpose_1, Tactic: 0x0, a[Float(1,32,16,16)] -> b[Float(1,16,16,32)]
    Layer(ElementWise): Add_2, Tactic: 0x1, b[…], w[Float(1,1,1,32)] -> c[Float(1,16,16,32)]
    Layer(Shuffle): Transpose_3, Tactic: 0x0, c[Float(1,16,16,32)] -> y[Float(1,32,16,16)]

**Versions**: all.

**Severity**: hint.

**Sources**: NVIDIA trt-samples-for-hackathon-cn cookbook: EliminateSqueezeUnsqueezeTranspose.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Final

from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.linting.finding import Finding, described
from engine_layer_visualize.linting.roles import is_layout, is_pointwise, is_product, moves_only
from engine_layer_visualize.linting.rule import finding, named
from engine_layer_visualize.linting.subject import Subject

RULE: Final = described(__name__, __doc__)
_LONGEST_CHAIN: Final = 16  # layers
_LEAST_LAYERS: Final = 2
_MERGE: Final = "merge the Transposes and Reshapes that follow one another in {model}"
_AROUND: Final = (
    "in {model}, apply the pointwise operation before the first change, with its constant "
    "in the other order: then both changes can go, and it can be fused"
)


def check(subject: Subject) -> Iterator[Finding]:
    """Yields one finding for all chains of the same types, in each of the two forms."""
    model = subject.frontend.model
    rows: dict[tuple[str, ...], list[Layer]] = defaultdict(list)
    arounds: dict[tuple[str, ...], list[Layer]] = defaultdict(list)
    for layer in subject.layers:
        if is_layout(layer) and _starts(subject, layer):
            chain = _row(subject, layer)
            if sum(map(moves_only, chain)) >= _LEAST_LAYERS:
                rows[tuple(link.type for link in chain)] += chain
        elif is_product(subject, layer) and (chain := _around(subject, layer)):
            arounds[tuple(link.type for link in chain)] += chain
    for layers in rows.values():
        why = (*named(layers), " follow one another and only move numbers")
        yield finding(subject, RULE, layers, why, _MERGE.format(model=model), part=1.0)
    for layers in arounds.values():
        why = (
            *named(layers),
            ": changes of order or shape around pointwise layers, behind a product",
        )
        yield finding(subject, RULE, layers, why, _AROUND.format(model=model), part=1.0)


def _starts(subject: Subject, layer: Layer) -> bool:
    """Whether no layout layer stands before it that has it as its only reader."""
    writers = subject.writers(layer)
    return not any(is_layout(writer) and subject.only_reader(writer) is layer for writer in writers)


def _row(subject: Subject, first: Layer) -> list[Layer]:
    """Returns the layout layers that follow one another, from the first."""
    chain = [first]
    while len(chain) < _LONGEST_CHAIN:
        follower = subject.only_reader(chain[-1])
        if follower is None or not is_layout(follower):
            break
        chain.append(follower)
    return chain


def _around(subject: Subject, product: Layer) -> list[Layer]:
    """Returns a change, pointwise layers and the change back; empty where there are none."""
    chain: list[Layer] = []
    pointwise = False
    layer: Layer | None = product
    while layer is not None and len(chain) < _LONGEST_CHAIN:
        layer = subject.only_reader(layer)
        if layer is None:
            break
        if is_layout(layer):
            chain.append(layer)
            if pointwise:
                return chain if _dims(layer) == _dims(product) else []
        elif chain and _is_alone(subject, layer):
            pointwise = True
            chain.append(layer)
        else:
            break
    return []


def _is_alone(subject: Subject, layer: Layer) -> bool:
    """Whether it is pointwise, and all that it reads but one tensor is constant."""
    if layer.type != "Scale" and not is_pointwise(layer):
        return False
    return len(subject.computed(layer)) == 1


def _dims(layer: Layer) -> str:
    return layer.outputs[0].dims if layer.outputs else ""
