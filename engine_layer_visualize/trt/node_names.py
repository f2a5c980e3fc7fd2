"""Takes off what TensorRT adds to the name of a node that it splits, copies or reshapes for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from engine_layer_visualize.trt.layer_names import branches, without_profile
from engine_layer_visualize.trt.operators import SCALE_NODE, WEIGHTS

_BEFORE: Final = re.compile(
    r"(?:(?:copied_)?squeeze_after_|unsqueeze_node_after_|reshape_(?:before|after)_)+"
)
_AFTER: Final = re.compile(rf"(?:{SCALE_NODE}|_clone_\d+|_myl\d+_\d+)+\Z")
# Names that the builder makes up, or that its parser gives to layers of its own.
_OWN: Final = ("__my", "dummy_shape_call__", "Forced Cast ITensor", "ONNXTRT_")
# What Myelin makes of a loop or a branch: `adv_off^hvar^323i64`, `cbr___mye98`, and of what is
# inside of it: `$$myelin$$(Unnamed Loop* 0)^ElementWise 2_to_add`.
_MYELINS: Final = re.compile(r"\^|__mye\d|\$\$myelin\$\$")
_UNNAMED: Final = "(Unnamed Layer*"
_SHUFFLE: Final = "[Shuffle]"  # in the name of a reshape that has none of its own
# Parsers add reshapes, constants and sums of their own; up to TensorRT 7 nodes had no names, too.
_NO_HELP: Final = tuple(
    f"[{kind}]"
    for kind in ("Activation", "Convolution", "Deconvolution", "Fully Connected", "LRN", "Pooling")
)
_BROADCAST: Final = "ONNXTRT_Broadcast"  # the same since TensorRT 10
_UNSQUEEZE: Final = "unsqueeze_node_after_"
# Layers that do the same with each element: what is reshaped in one is a constant.
_ELEMENTWISE: Final = frozenset({"Scale", "PointWise", "PointWiseV2"})
_TENSOR: Final = re.compile(r":\d+\Z")
_PLAIN: Final = re.compile(r"\W")


def node_name(part: str) -> str:
    """The node's own name; empty where the builder made it up."""
    if _UNNAMED in part or part.startswith(_OWN):
        return ""
    if match := _BEFORE.match(part):
        part = part[match.end() :]
    part = base_name(part)
    return "" if part.startswith(_OWN) else part


def is_unnamed(part: str) -> bool:
    """Whether TensorRT numbered a layer because it had no name: `(Unnamed Layer* 3) [Pooling]`."""
    return part.startswith(_UNNAMED)


def is_unnamed_node(part: str) -> bool:
    """Whether it is an unnamed layer that is a node of the network, and no help of a parser's."""
    return is_unnamed(part) and part.endswith(_NO_HELP)


def is_myelins(part: str) -> bool:
    """Whether Myelin made up the name of a record inside of it, which may hold a node's name."""
    return _MYELINS.search(part) is not None


def serves(part: str) -> bool:
    """Whether it is a reshape for the node whose name it bears."""
    return _BEFORE.match(part) is not None


def is_weight(part: str) -> bool:
    """Whether it names weights, and no node."""
    if part.endswith(WEIGHTS) or part.startswith("onnx::"):
        return True
    return part[-1:].isdigit() and _TENSOR.search(part) is not None


def operands(name: str, type: str) -> frozenset[str]:
    """The constants that a fused layer of this type reads, such as `bias`, by its name.

    A constant is fused with the reshape that broadcasts it, then both with their reader:
    `Gemm_1 + bias + (Unnamed Layer* 4) [Shuffle] + unsqueeze_node_after_bias + … + Add_2`.
    """
    if _SHUFFLE not in name and _BROADCAST not in name:
        return frozenset()
    return frozenset(part for branch in branches(name) for part in _operands(branch, type))


def _operands(branch: Sequence[str], type: str) -> Iterator[str]:
    for place in range(1, len(branch)):
        if branch[place].startswith(_UNSQUEEZE):
            before = place - 1
            while before > 0 and _broadcasts(branch[before]):
                before -= 1
            if before > 0 and any(_SHUFFLE not in part for part in branch[place + 1 :]):
                yield branch[before]
        elif type in _ELEMENTWISE and _broadcasts(branch[place]) and place + 1 < len(branch):
            yield branch[place - 1]


def _broadcasts(part: str) -> bool:
    return part.startswith(_BROADCAST) or (is_unnamed(part) and part.endswith(_SHUFFLE))


def base_name(name: str) -> str:
    """A layer's name without the numbers that change with every build."""
    name = without_profile(name)
    # Few names end so, and a search for an end takes long.
    return _AFTER.sub("", name) if name[-1:].isdigit() or name.endswith(SCALE_NODE) else name


def folded(key: str) -> str:
    """The name as Myelin writes it: `a.b/c` is `a_b_c`."""
    return _PLAIN.sub("_", key)
