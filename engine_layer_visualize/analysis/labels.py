"""Says in short words what a layer is, and what a ForeignNode holds."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import chain, groupby
from typing import Final, NamedTuple

from engine_layer_visualize.analysis import kinds, origin
from engine_layer_visualize.analysis.scopes import Scope, around, from_to, tree
from engine_layer_visualize.core.limits import lazy
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.core.text import plural
from engine_layer_visualize.trt import names
from engine_layer_visualize.trt.operators import (
    FILLING,
    PRODUCTS,
    added,
    named_after,
    operators,
    unnumbered,
)

_COPY: Final = lazy(rf"{names.COPY}(Input|Output) Tensor \d{{1,9}} to ")
_UNNAMED: Final = lazy(r"\(Unnamed Layer\* (\d{1,9})\) \[([\w ]{1,80})\]")
_ADDING: Final = frozenset({"ElementWise", "PointWise", "PointWiseV2"})
_NUMBER: Final = lazy(r"\d+")


# ---- what a ForeignNode holds, by the scopes of its ONNX nodes -----------------------------------


class Part(NamedTuple):
    """A scope inside a layer."""

    path: str  # "" for all of the layer
    depth: int  # 0 for all of the layer
    nodes: int  # how many ONNX nodes, those of inner scopes too
    operators: tuple[tuple[str, int], ...]  # of these, the most frequent first


class Alike(NamedTuple):
    """Parts beside each other that differ in their numbers alone."""

    first: Part
    path: str  # of all of them, such as `/encoder/layer.0–11`
    number: int  # how many they are


def contents(layer: Layer) -> tuple[Part, ...]:
    """The layer, then the scopes inside, an outer one before what is inside.

    There are none where the layer is no ForeignNode, or its nodes are not known.
    """
    nodes = origin.onnx_nodes_of(layer).all if kinds.is_myelin(layer) else ()
    if len(nodes) < 2:
        return ()
    named, whole = node_operators(layer), Scope("", tuple(range(len(nodes))), None, -1)
    return tuple(
        Part(one.path, one.depth + 1, len(one.layers), counted(named[n] for n in one.layers))
        for one in (whole, *scopes_inside(nodes))
    )


def scopes_inside(nodes: Sequence[str]) -> list[Scope]:
    """The scopes of ONNX nodes, by their places."""
    return tree([(number, around(node)) for number, node in enumerate(nodes)])


def counted(named: Iterable[str]) -> tuple[tuple[str, int], ...]:
    """How often each name is there, the most frequent first; "" does not count."""
    return tuple(Counter(filter(None, named)).most_common())


def node_operators(layer: Layer) -> tuple[str, ...]:
    """The operator of each ONNX node of a layer; "" where it is not known, or another layer's.

    It is told by the log, else by the node's name. A layer that adds the bias of a product names
    the node of the layer that multiplies.
    """
    nodes = origin.onnx_nodes_of(layer).all
    parsed = layer.known.onnx_operators or ("",) * len(nodes)
    named = (known or next(iter(operators(node)), "") for known, node in zip(parsed, nodes))
    elsewhere = PRODUCTS if layer.type in _ADDING else frozenset[str]()
    return tuple("" if operator in elsewhere else operator for operator in named)


def alike_parts(members: Sequence[Part]) -> tuple[Alike, ...]:
    """The outermost parts, where one with most of the nodes is told by what is inside of it.

    Neighbours with equal operators, and names that differ in numbers alone, are one.
    """
    parts = [members[number] for number in outermost(members)]
    alike: list[Alike] = []
    for _, row in groupby(parts, lambda part: (_NUMBER.sub("", part.path), part.operators)):
        first, *others = row
        path = from_to(first.path, others[-1].path) if others else first.path
        alike.append(Alike(first, path, 1 + len(others)))
    return tuple(alike)


def several_of(members: Sequence[Part]) -> str:
    """The parts that there are several of, in few words: `12 × layer`; else empty."""
    several = [row for row in alike_parts(members) if row.number > 1]
    return " + ".join(f"{row.number} × {_word(row.first.path)}" for row in several)


def _word(path: str) -> str:
    """The part of a path that bears its last number, without it; a path without one as it is."""
    numbers = list(_NUMBER.finditer(path))
    before = path[: numbers[-1].start()] if numbers else path
    return before.rstrip("/._-").rpartition("/")[2] or path


def outermost(members: Sequence[Part]) -> list[int]:
    """The numbers of parts beside each other.

    None of them has most of the nodes and several parts inside.
    """
    inside = defaultdict[int, list[int]](list)  # by the number of the part around them
    around_it: list[int] = []
    for number, part in enumerate(members):
        del around_it[part.depth :]
        if around_it:
            inside[around_it[-1]].append(number)
        around_it.append(number)
    level = inside[0]
    while large := next(
        (n for n in level if 2 * members[n].nodes > members[0].nodes and len(inside[n]) > 1), None
    ):
        place = level.index(large)
        level = [*level[:place], *inside[large], *level[place + 1 :]]
    return level


# ---- what a layer is, and where in the network ---------------------------------------------------


def headline(layer: Layer, *, told: bool = True) -> str:
    """What a layer does: its operators where its name or ONNX nodes tell them, else its type.

    Without `told`, those ONNX nodes alone that its own record names. Of a kernel that Myelin
    generated they are the beginnings of words, as its name has them.
    """
    if kinds.waits_for_dla(layer):
        return f"{layer.type or 'Copy'} or DLA wait"
    if own := added(layer.name):
        return layer.type or own
    known: Sequence[str] = operators(layer.name)
    of_nodes = [operators(name) for name in layer.onnx_nodes]
    known = known or ([*chain.from_iterable(of_nodes)] if all(of_nodes) else ())
    if not known and told and layer.facts is not None and not names.is_foreign(layer.name):
        known = _whole(node_operators(layer), layer)
    known = known or names.myelin_words(layer.name) or operators(unnumbered(layer.name))
    known = known or named_after(layer.name)
    fallback = "Constant" if layer.name.startswith("onnx::") else "layer"  # a tensor's name
    return " + ".join(known) or layer.type or fallback


def _whole(known: Sequence[str], layer: Layer) -> Sequence[str]:
    """The operators, where all are known and the layer runs them.

    If a Gemm is cut in two, the layer that only adds its bias names the same node as the layer that
    multiplies.
    """
    cut = kinds.operation_of(layer) not in kinds.MULTIPLYING and not PRODUCTS.isdisjoint(known)
    return known if all(known) and not cut else ()


def several(head: str, number: int) -> str:
    """The headline of equal layers, such as `22 × Conv` or `4 × (8 × (Conv + Relu))`."""
    return f"{number:,} × ({head})" if " " in head else f"{number:,} × {head}"


def box_head(layer: Layer, *, told: bool = True) -> str:
    """The headline of a layer's box."""
    return "unreadable record" if layer.raw is not None else headline(layer, told=told)


def part_of_layer(layer: Layer) -> str:
    """The layer's place in the network: its weight's name, else its node's path, else its name."""
    name = names.split_profile(subtitle(layer))[0]
    if copy := _COPY.match(name):  # of many only the end differs
        return f"{'to' if copy[1] == 'Input' else 'of'} {name[copy.end() :]}"
    for piece in name.split(" + "):
        if piece.endswith(".weight") and " " not in piece and not names.is_foreign(name):
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
    return layer.raw or several_of(contents(layer)) or _telling(part_of_layer(layer))


def _telling(name: str) -> str:
    """The part of a name that tells where a layer is in the network; else the whole name.

    A ForeignNode gives the nodes at both ends, a name by PyTorch's converters the module.
    Layers without a name, and constants, tell nothing.
    """
    if names.is_foreign(name):
        nodes = [node.rpartition("/")[2] for side in names.ends(name) for node in side]
        return f"{nodes[0]} … {nodes[-1]}" if nodes else name
    pieces = names.parts(name) if name.startswith("PWN(") else name.split(" + ")
    operations = filter(None, map(names.torch_operation, pieces))
    if modules := dict.fromkeys(operation[1] for operation in operations):
        return " + ".join(modules)
    numbers = [match[1] for piece in pieces if (match := _UNNAMED.fullmatch(piece))]
    if len(numbers) == len(pieces):
        return f"unnamed {plural(len(numbers), 'layer')} {', '.join(numbers)}"
    return " + ".join(piece for piece in pieces if not FILLING.match(piece)) or name


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
