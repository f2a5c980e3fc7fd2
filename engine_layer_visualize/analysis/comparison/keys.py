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
_WEIGHT: Final = re.compile(r"\Aonnx::|:\d+\Z")
_PLAIN: Final = re.compile(r"\W")


class Keys(NamedTuple):
    """`nodes`: names of ONNX nodes; `weights`: names of weights."""

    nodes: frozenset[str] = frozenset()
    weights: frozenset[str] = frozenset()


def of(layer: Layer) -> Keys:
    """The keys of a layer; a reformat, which is named after another layer, has none."""
    split = parts(layer.name)
    named = [_plain(part) for part in split]
    weights = frozenset(part for part in named if part and _is_weight(part))
    known = onnx_nodes.of(layer)
    nodes = known.all or known.ends or split
    # A reshape for another layer bears that one's name: it is that layer's where it is no other's.
    own = [node for node in nodes if not _BEFORE.match(node)]
    return Keys(frozenset(_nodes(own) or _nodes(nodes)), weights)


def _nodes(names: Sequence[str]) -> list[str]:
    plain = map(_plain, names)
    return [name for name in plain if name and not _is_weight(name)]


def base_name(name: str) -> str:
    """A layer's name without the numbers that change with every build."""
    return _AFTER.sub("", without_profile(name))


def folded(key: str) -> str:
    """As Myelin writes it: `a.b/c` is `a_b_c`."""
    return _PLAIN.sub("_", key)


def _plain(part: str) -> str:
    """The node's own name; empty where the builder made it up."""
    if _UNNAMED in part or part.startswith(_OWN):
        return ""
    part = without_profile(part)
    if match := _BEFORE.match(part):
        part = part[match.end() :]
    part = _AFTER.sub("", part)
    return "" if part.startswith(_OWN) else part


def _is_weight(part: str) -> bool:
    return part.endswith(WEIGHTS) or _WEIGHT.search(part) is not None
