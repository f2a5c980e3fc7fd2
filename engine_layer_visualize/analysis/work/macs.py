"""A `Layer` and its extents in; how many multiplications with additions (MACs) it is, out.

Convolutions and matrix products alone count. What may multiply inside of a layer without being
listed is unknown, never 0: then the answer is a text, which says why.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from engine_layer_visualize.analysis import onnx_nodes
from engine_layer_visualize.analysis.layer_kinds import is_myelin
from engine_layer_visualize.analysis.work import myelin
from engine_layer_visualize.analysis.work.extents import (
    NO_KERNEL,
    Convolution,
    Extents,
    Product,
    Unknown,
    times,
)
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.trt.operators import OPERATORS, operators

_SYMBOLIC: Final = "an extent is symbolic or unknown"
# Types of layers that multiply no matrices; in Myelin, such as `memset`, they are in lower case.
_WITHOUT: Final = re.compile(
    r"reformat|pool|constant|shuffle|elementwise|pointwise|activation|scale|unary|reduce|softmax"
    r"|topk|gather|scatter|slice|resize|padding|concat|copy|select|shape|cast|fill|nonzero|nms"
    r"|quantize|trainstation|assert|identity|noop|onehot|squeeze|transpose|lrn|cumulative"
    r"|\A(?:add|sub|mul|div|and|or|not|less|greater|equal|cjmp|jmp|memset|signal|wait|comm_\w+)\Z",
    re.IGNORECASE,
)
_MULTIPLY: Final = frozenset(
    "Attention Conv ConvTranspose DeformConv Einsum GRU Gemm If LSTM Loop MatMul RNN Scan".split()  # noqa: SIM905
)


def of(layer: Layer, extents: Extents | None) -> int | str:
    """The number, or why it is unknown."""
    if isinstance(extents, Unknown):
        return extents.why
    if isinstance(extents, Product):
        found = times(extents[:4])
        return _SYMBOLIC if found is None else found
    if isinstance(extents, Convolution):
        return _convolution(extents)
    return 0 if _multiplies_nothing(layer) else _hidden(layer)


def _convolution(one: Convolution) -> int | str:
    """Each weight once for each place of the output; of a deconvolution, of the input."""
    if one.kernel is None or one.groups is None:
        return NO_KERNEL
    places = one.before if one.transposed else one.after
    found = times((one.batch, *places, one.channels, one.filters, *one.kernel))
    return _SYMBOLIC if found is None else found // one.groups


def _multiplies_nothing(layer: Layer) -> bool:
    """Whether a layer's type, its ONNX nodes or its kernel's name exclude a product."""
    if layer.raw is not None:
        return False
    if not is_myelin(layer) and (_is_without(layer.type) or myelin.adds_only(layer)):
        return True
    known = layer.facts.onnx_operators if layer.facts is not None else ()
    nodes = onnx_nodes.of(layer).all
    if not nodes:
        return False
    if len(known) != len(nodes) or not all(known):
        known = tuple(word for node in nodes for word in operators(node) or ("",))
    return all(word in OPERATORS and word not in _MULTIPLY for word in known)


@lru_cache(maxsize=1 << 10)
def _is_without(type: str) -> bool:
    return _WITHOUT.search(type) is not None and "plugin" not in type.casefold()


def _hidden(layer: Layer) -> str:
    """Why nothing is known of a layer that is neither convolution nor product by its record."""
    if layer.raw is not None:
        return "its record could not be read"
    if is_myelin(layer):
        return "Myelin compiled it, and the listing does not show what is inside"
    if layer.type.startswith("Plugin"):
        return "the listing does not show what a plugin computes"
    return f"it is not known what a layer of type {layer.type} computes"
