"""A `Layer` in; the names by which it is found again in another engine out.

ONNX nodes and weights, each in a namespace of its own; TensorRT's own names are neither.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from engine_layer_visualize.analysis import onnx_nodes
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.trt.layer_names import parts, without_profile
from engine_layer_visualize.trt.operators import SCALE_NODE, WEIGHTS

# What TensorRT puts around the name of a node that it splits, copies or reshapes for.
_BEFORE: Final = re.compile(
    r"(?:(?:copied_)?squeeze_after_|unsqueeze_node_after_|reshape_(?:before|after)_)+"
)
_AFTER: Final = re.compile(rf"(?:{SCALE_NODE}|_clone_\d+|_myl\d+_\d+)+\Z")
# Names that the builder makes up, or that its parser gives to layers of its own.
_OWN: Final = ("__my", "dummy_shape_call__", "Forced Cast ITensor", "ONNXTRT_")
_UNNAMED: Final = "(Unnamed Layer*"
_TENSOR: Final = re.compile(r":\d+\Z")
_PLAIN: Final = re.compile(r"\W")


class Keys(NamedTuple):
    """`nodes`: names of ONNX nodes; `weights`: names of weights."""

    nodes: frozenset[str] = frozenset()
    weights: frozenset[str] = frozenset()


def of(layer: Layer) -> Keys:
    """The keys of a layer; a reformat, which is named after another layer, has none."""
    named, known = parts(layer.name), onnx_nodes.of(layer)
    nodes, weights = _sorted(named)
    if (listed := known.all or known.ends) and listed != named:
        nodes = _sorted(listed)[0]
    return Keys(nodes, weights)


def _sorted(names: Sequence[str]) -> tuple[frozenset[str], frozenset[str]]:
    """Nodes and weights. A reshape for another layer bears that one's name: it is that layer's
    where it is no other's."""
    nodes: list[str] = []
    weights: list[str] = []
    served: list[str] = []
    for name in names:
        if plain := _plain(name):
            found = weights if _is_weight(plain) else served if _BEFORE.match(name) else nodes
            found.append(plain)
    return frozenset(nodes or served), frozenset(weights)


def base_name(name: str) -> str:
    """A layer's name without the numbers that change with every build."""
    name = without_profile(name)
    # Few names end so, and a search for an end takes long.
    return _AFTER.sub("", name) if name[-1:].isdigit() or name.endswith(SCALE_NODE) else name


def folded(key: str) -> str:
    """As Myelin writes it: `a.b/c` is `a_b_c`."""
    return _PLAIN.sub("_", key)


def _plain(part: str) -> str:
    """The node's own name; empty where the builder made it up."""
    if _UNNAMED in part or part.startswith(_OWN):
        return ""
    if match := _BEFORE.match(part):
        part = part[match.end() :]
    part = base_name(part)
    return "" if part.startswith(_OWN) else part


def _is_weight(part: str) -> bool:
    if part.endswith(WEIGHTS) or part.startswith("onnx::"):
        return True
    return part[-1:].isdigit() and _TENSOR.search(part) is not None
