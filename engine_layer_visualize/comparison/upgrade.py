"""Finds what only one of two engines has: fusions, kernels and precisions, by ONNX operator.

Where an upgrade made an engine slower or its results wrong, these are the suspects.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import fsum
from typing import Final, NamedTuple

from engine_layer_visualize.analysis import measures, onnx_nodes
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.comparison.accounting import counted, without_address
from engine_layer_visualize.comparison.result import Comparison, Group, Suspect, SuspectKind
from engine_layer_visualize.comparison.side import operator
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.trt.layer_names import parts
from engine_layer_visualize.trt.node_names import node_name

_KINDS: Final[tuple[SuspectKind, ...]] = ("fusion", "precision", "kernel")


class _Seen(NamedTuple):
    """What differs, in words that are equal for all layers where the same differs."""

    what: SuspectKind
    operators: tuple[str, ...]
    in_a: str  # the fusion, the precision or the kernel
    in_b: str


def suspects(comparison: Comparison) -> tuple[Suspect, ...]:
    """What differs; of one engine and itself nothing.

    Those come first that cost the most more in B.
    """
    found: dict[_Seen, list[tuple[tuple[int, ...], tuple[int, ...]]]] = {}
    for seen, a, b in _differences(comparison):
        found.setdefault(seen, []).append((a, b))
    made = []
    for seen, each in found.items():
        a = tuple(sorted(i for mine, _ in each for i in mine))
        b = tuple(sorted(i for _, yours in each for i in yours))
        nodes = tuple(dict.fromkeys(_nodes(comparison.a, a) + _nodes(comparison.b, b)))
        times = _ms(comparison.a, a), _ms(comparison.b, b)
        what, operators, in_a, in_b = seen
        known = (nodes, a, b, *times, operators, in_a, in_b)
        made.append(Suspect(what, *known))
    return tuple(sorted(made, key=lambda one: (-one.more_ms, one.a, one.b)))


def _differences(
    comparison: Comparison,
) -> Iterator[tuple[_Seen, tuple[int, ...], tuple[int, ...]]]:
    for group in comparison.groups:
        a, b = counted(comparison.a, group.a), counted(comparison.b, group.b)
        if not a or not b:
            continue
        operators = _operators(comparison, a, b)
        for what in _KINDS:
            if what in group.changes:
                told = _told(comparison, group, what)
                if what == "kernel" and told[0] == told[1]:
                    told = _types(comparison.a, a), _types(comparison.b, b)
                yield _Seen(what, operators, *told), tuple(a), tuple(b)
                break  # what is fused otherwise has another kernel, too
    for i in counted(comparison.a, comparison.unmatched.a):
        own = _operators_of(comparison.a, [i]), _types(comparison.a, [i])
        yield _Seen("only in A", *own, ""), (i,), ()
    for i in counted(comparison.b, comparison.unmatched.b):
        yield (
            _Seen("only in B", _operators_of(comparison.b, [i]), "", _types(comparison.b, [i])),
            (),
            (i,),
        )


def _told(comparison: Comparison, group: Group, what: SuspectKind) -> tuple[str, str]:
    """The fusion, the precision or the kernel of both sides."""
    a, b = (
        [costs.engine.layers[i] for i in indices]
        for costs, indices in zip((comparison.a, comparison.b), (group.a, group.b))
    )
    if what == "fusion":
        return _count(a), _count(b)
    told = _precisions if what == "precision" else _kernels
    return told(a), told(b)


def _count(layers: Sequence[Layer]) -> str:
    """`Conv + Relu, MaxPool`: the operators of each layer."""
    return ", ".join(" + ".join(_of(layer)) for layer in layers)


def _precisions(layers: Sequence[Layer]) -> str:
    return ", ".join(dict.fromkeys(map(measures.precision_of, layers)))


def _kernels(layers: Sequence[Layer]) -> str:
    known = (without_address(layer.kernel or layer.tactic or "") for layer in layers)
    return ", ".join(dict.fromkeys(kernel for kernel in known if kernel))


def _types(costs: Costs, indices: Sequence[int]) -> str:
    return ", ".join(dict.fromkeys(costs.engine.layers[i].type for i in indices))


def _ms(costs: Costs, indices: Sequence[int]) -> float | None:
    known = [ms for i in indices if (ms := costs.of(costs.engine.layers[i])) is not None]
    return fsum(known) if known else None


# ---- ONNX --------------------------------------------------------------------------------------


def _nodes(costs: Costs, indices: Sequence[int]) -> tuple[str, ...]:
    """The ONNX nodes of layers, as far as the log tells them."""
    names: list[str] = []
    for i in indices:
        layer = costs.engine.layers[i]
        known = onnx_nodes.of(layer)
        names += known.all or known.ends or filter(None, map(node_name, parts(layer.name)))
    return tuple(names)


def _operators(comparison: Comparison, a: Sequence[int], b: Sequence[int]) -> tuple[str, ...]:
    return _operators_of(comparison.a, a) or _operators_of(comparison.b, b)


def _operators_of(costs: Costs, indices: Sequence[int]) -> tuple[str, ...]:
    layers = costs.engine.layers
    return tuple(dict.fromkeys(name for i in indices for name in _of(layers[i])))


def _of(layer: Layer) -> tuple[str, ...]:
    """The ONNX operators of a layer, else what it computes."""
    return onnx_nodes.operators(layer) or (operator(layer) or layer.type,)
