"""Counts the multiplications with additions (MACs) of a layer.

Convolutions and matrix products alone count. What may multiply inside of a layer without being
listed is unknown, never 0: then the answer is a text, which says why.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from engine_layer_visualize.analysis.layer_kinds import is_myelin
from engine_layer_visualize.analysis.work import multiplying_nodes, myelin, onnx_lines
from engine_layer_visualize.analysis.work.extents import NO_KERNEL
from engine_layer_visualize.analysis.work.onnx_lines import Model
from engine_layer_visualize.analysis.work.sizes import (
    ON_DLA,
    Convolution,
    Extents,
    Product,
    Several,
    Unknown,
)
from engine_layer_visualize.core.model import Engine, Layer
from engine_layer_visualize.core.numbers import product
from engine_layer_visualize.trt.layer_names import DLA, profile_of

_SYMBOLIC: Final = "an extent is symbolic or unknown"
_IMPLICIT: Final = "the batch is implicit: the listing does not print it"
# Types of layers that multiply no matrices; in Myelin, such as `memset`, they are in lower case.
_WITHOUT: Final = re.compile(
    r"reformat|pool|constant|shuffle|elementwise|pointwise|activation|scale|unary|reduce|softmax"
    r"|topk|gather|scatter|slice|resize|padding|concat|copy|select|shape|cast|fill|nonzero|nms"
    r"|quantize|trainstation|assert|identity|noop|onehot|squeeze|transpose|lrn|cumulative"
    r"|\A(?:add|sub|mul|div|and|or|not|less|greater|equal|cjmp|jmp|memset|signal|wait|comm_\w+)\Z",
    re.IGNORECASE,
)


def of(layer: Layer, extents: Extents | None, model: Model) -> int | str:
    """The number, or why it is unknown.

    `model` is what the log's ONNX lines tell; a model that was given knows better than a record.
    """
    if model.owners and (several := multiplying_nodes.of(layer)):
        own = model.own_macs(layer, len(several))
        if own is not None:
            return own
    if isinstance(extents, Unknown):
        return extents.why
    if isinstance(extents, Product):
        found = product(extents[:4])
        if found is None and extents.m is None and _all_known(layer):
            return _IMPLICIT
        return _SYMBOLIC if found is None else found
    if isinstance(extents, Convolution):
        return _convolution(extents)
    if isinstance(extents, Several):
        each = [_convolution(one) for one in extents.parts]
        known = [one for one in each if isinstance(one, int)]
        return sum(known) if len(known) == len(each) else _SYMBOLIC
    if not may_multiply(layer):
        return 0
    several = multiplying_nodes.of(layer)
    if not several and multiplying_nodes.operators(layer):
        return 0
    found = model.macs(layer, len(several)) if several and is_myelin(layer) else None
    return _hidden(layer) if found is None else found


def _all_known(layer: Layer) -> bool:
    """Whether no extent that its record prints is symbolic."""
    return min(n for tensor in (*layer.inputs, *layer.outputs) for n in (0, *tensor.shape)) == 0


def model(engine: Engine) -> Model:
    """What the log's ONNX lines tell of an engine."""
    named = [layer for layer in engine.layers if layer.facts is not None and layer.facts.products]
    told = onnx_lines.model(engine, filter(may_multiply, named))
    given = engine.onnx is not None and engine.onnx.same and engine.onnx.same_batch
    return told._replace(owners=_owners(named)) if given else told


def _owners(layers: Iterable[Layer]) -> dict[tuple[str, str], int]:
    """The one layer that computes each node that multiplies; None where several may.

    Nodes come with their optimisation profiles. Other layers may pad the node's input, or add its
    bias.
    """
    users: dict[tuple[str, str], list[Layer]] = {}
    for layer in layers:
        for node in layer.facts.products if layer.facts is not None else ():
            users.setdefault((profile_of(layer.name), node.node), []).append(layer)
    owners = {}
    for key, named in users.items():
        able = [layer for layer in named if may_multiply(layer)]
        able = [layer for layer in able if not myelin.sums_products(layer)] or able
        if len(able) == 1:
            owners[key] = able[0].index
    return owners


def _convolution(convolution: Convolution) -> int | str:
    """Each weight once for each place of the output; of a deconvolution, of the input."""
    places = convolution.before if convolution.transposed else convolution.after
    each = product((convolution.batch, *places, convolution.channels, convolution.filters))
    if each is None:
        return _SYMBOLIC
    if convolution.kernel is None or convolution.groups is None:
        return NO_KERNEL
    macs = product((each, *convolution.kernel))
    return _SYMBOLIC if macs is None else macs // convolution.groups


def may_multiply(layer: Layer) -> bool:
    """Whether neither a layer's type nor its kernel's name excludes a product."""
    if layer.raw is not None or is_myelin(layer):
        return True
    return not (_is_without(layer.type) or myelin.has_no_products(layer))


@lru_cache(maxsize=1 << 10)
def _is_without(type: str) -> bool:
    return _WITHOUT.search(type) is not None and "plugin" not in type.casefold()


def _hidden(layer: Layer) -> str:
    """Why nothing is known of a layer that is neither convolution nor product by its record."""
    if layer.raw is not None:
        return "its record could not be read"
    if layer.type == DLA:
        return ON_DLA
    if is_myelin(layer):
        return "Myelin compiled it, and the listing does not show what is inside"
    if layer.type.startswith("Plugin"):
        return "the listing does not show what a plugin computes"
    if not layer.type:
        return "no record gives its type"
    return f"it is not known what a layer of type {layer.type} computes"
