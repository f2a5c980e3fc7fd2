"""Says in short words what a layer is: its operators, its place in the network, its change."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from engine_layer_visualize.analysis import operations
from engine_layer_visualize.analysis.contents import brief, node_operators
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.core.text import plural
from engine_layer_visualize.trt import myelin_kernels, torch_names
from engine_layer_visualize.trt.layer_names import COPY, ends, is_foreign, parts, split_profile
from engine_layer_visualize.trt.operators import PRODUCTS, named_after, operators

_COPY: Final = re.compile(rf"{COPY}(Input|Output) Tensor \d{{1,9}} to ")
_UNNAMED: Final = re.compile(r"\(Unnamed Layer\* (\d{1,9})\) \[([\w ]{1,80})\]")
# Shapes of constants, and constants themselves, that are parts of a fused layer's name.
_FILLING: Final = re.compile(
    r"\(Unnamed Layer\* \d{1,9}\) \[(?:Shuffle|Constant)\]|unsqueeze_node_after_|onnx::"
)


def headline(layer: Layer, *, told: bool = True) -> str:
    """What a layer does: its operators where its name or ONNX nodes tell them, else its type.

    Without `told`, those ONNX nodes alone that its own record names. Of a kernel that Myelin
    generated they are the beginnings of words, as its name has them.
    """
    known: Sequence[str] = operators(layer.name)
    known = known or [each for name in layer.onnx_nodes for each in operators(name)]
    if not known and told and layer.facts is not None and not is_foreign(layer.name):
        known = _whole(node_operators(layer), layer)
    known = known or myelin_kernels.words(layer.name) or named_after(layer.name)
    unnamed = _UNNAMED.search(layer.name)
    return " + ".join(known) or layer.type or (unnamed[2] if unnamed else "layer")


def _whole(known: Sequence[str], layer: Layer) -> Sequence[str]:
    """The operators, where all are known and the layer runs them.

    If a Gemm is cut in two, the layer that only adds its bias names the same node as the layer that
    multiplies.
    """
    cut = operations.of(layer) not in operations.MULTIPLYING and not PRODUCTS.isdisjoint(known)
    return known if all(known) and not cut else ()


def several(head: str, number: int) -> str:
    """The headline of equal layers, such as `22 × Conv` or `4 × (8 × (Conv + Relu))`."""
    if number == 1:
        return head
    return f"{number:,} × ({head})" if " " in head else f"{number:,} × {head}"


def box_head(layer: Layer, *, told: bool = True) -> str:
    """The headline of a layer's box."""
    return "unreadable record" if layer.raw is not None else headline(layer, told=told)


def part(layer: Layer) -> str:
    """The layer's place in the network: its weight's name, else its node's path, else its name."""
    name = split_profile(subtitle(layer))[0]
    if copy := _COPY.match(name):  # of many only the end differs
        return f"{'to' if copy[1] == 'Input' else 'of'} {name[copy.end() :]}"
    for piece in name.split(" + "):
        if piece.endswith(".weight") and " " not in piece:
            return piece.removesuffix(".weight")
    first = name.partition(" + ")[0]
    if " " not in first and (first.startswith("/") or ("/" in first and named_after(name))):
        path = first.removeprefix("/").split("/")[:-1]
        # `layer1/layer1.0` has `layer1` twice.
        kept = [a for a, b in zip(path, [*path[1:], ""]) if not b.startswith(f"{a}.")]
        return "/".join(kept) or first
    return name


def under_head(layer: Layer) -> str:
    """The second line of a layer's box.

    It is a record that could not be read, what a ForeignNode holds several of, else the part of the
    network.
    """
    return layer.raw or brief(layer) or _telling(part(layer))


def _telling(name: str) -> str:
    """The part of a name that tells where a layer is in the network; else the whole name.

    A ForeignNode gives the nodes at both ends, a name by PyTorch's converters the module.
    Layers without a name, and constants, tell nothing.
    """
    if is_foreign(name):
        nodes = [node.rpartition("/")[2] for side in ends(name) for node in side]
        return f"{nodes[0]} … {nodes[-1]}" if nodes else name
    pieces = parts(name) if name.startswith("PWN(") else name.split(" + ")
    modules = dict.fromkeys(
        operation[1] for piece in pieces if (operation := torch_names.operation(piece))
    )
    if modules:
        return " + ".join(modules)
    numbers = [match[1] for piece in pieces if (match := _UNNAMED.fullmatch(piece))]
    if len(numbers) == len(pieces):
        return f"unnamed {plural(len(numbers), 'layer')} {', '.join(numbers)}"
    kept = [piece for piece in pieces if not _FILLING.match(piece)]
    return " + ".join(kept) or name


def under_heads(layers: Sequence[Layer]) -> list[str]:
    """The second line of each box, without the scopes that all paths among them begin with."""
    lines = [under_head(layer) for layer in layers]
    paths = [line.split("/") for line in lines if "/" in line and " " not in line]
    common = 0
    if len(paths) > 2:
        first, last = min(paths), max(paths)
        while common < min(len(first), len(last)) - 1 and first[common] == last[common]:
            common += 1
    cut = "/".join(paths[0][:common]) + "/" if common else ""
    return [line.removeprefix(cut) if " " not in line else line for line in lines]


def subtitle(layer: Layer) -> str:
    """The layer's name, or its ONNX nodes where Myelin made the name up."""
    if layer.onnx_nodes and "_myl" in layer.name:
        return " + ".join(layer.onnx_nodes)
    return layer.name or "(no name)"


def change(layer: Layer) -> str:
    """The dtypes read and written, such as `Float → Half`; empty where equal or unknown."""
    if len(layer.inputs) != 1 or len(layer.outputs) != 1:
        return ""
    before, after = layer.inputs[0].dtype, layer.outputs[0].dtype
    return f"{before} → {after}" if before and after and before != after else ""
