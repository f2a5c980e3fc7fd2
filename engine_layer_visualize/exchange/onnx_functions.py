"""Makes an ONNX function of the nodes of the model that a layer runs.

The body's nodes are unchanged copies. What they read of weights and other constants are parameters
that the call leaves out: an ONNX function cannot read the graph around it.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Any, Final

from engine_layer_visualize.analysis.model_nodes import LayerNodes
from engine_layer_visualize.core.onnx_model import outer_reads
from engine_layer_visualize.exchange.cutting.graph import in_order
from engine_layer_visualize.exchange.onnx_types import add_metadata, add_opsets
from engine_layer_visualize.trt.layer_names import without_profile

# `words.1_4_myl0`: the tensor `words`, in another generation or another format.
_MYELIN: Final = re.compile(r"(?:\.\d{1,9}(?:_\d{1,9})?)?_myl\d{1,9}\Z")


def function(
    onnx: Any, call: Any, layer_nodes: LayerNodes, fixed: Container[str], opsets: Mapping[str, int]
) -> Any:
    """The function that `call` calls; an overload tells it from others of the same type.

    `fixed` has the names of the model's initializers.
    """
    call.overload = call.name.partition(" ")[0]
    made = onnx.FunctionProto(domain=call.domain, name=call.op_type, overload=call.overload)
    # What an If or a Loop holds stands in its attributes.
    nodes = [node.proto for node in layer_nodes.outermost]
    made.node.extend(nodes[place] for place in in_order(nodes)[0])
    written = dict.fromkeys(name for body_node in made.node for name in body_node.output if name)
    free = dict.fromkeys(
        name
        for body_node in made.node
        for name in (*body_node.input, *outer_reads(body_node))
        if name and name not in written
    )
    inputs = _paired(call.input, free, {*written}, [name for name in free if name not in fixed])
    made.input.extend([*inputs, *(name for name in free if name not in inputs)])
    read = {name for body_node in made.node for name in (*body_node.input, *outer_reads(body_node))}
    last = [name for name in written if name not in read]
    made.output.extend(_paired(call.output, written, {*made.input}, last))
    add_opsets(made, opsets.items())
    add_metadata(made, _remarks(layer_nodes))
    return made


def _paired(
    given: Sequence[str], known: Iterable[str], taken: set[str], rest: Sequence[str] = ()
) -> list[str]:
    """The name that the body has for each tensor of the call.

    It is the tensor's own name, else the only one of `rest` that is left, else one that the body
    does not use.
    """
    known = set(known)
    found = [next((own for own in _plain(name) if own in known), "") for name in given]
    left = [name for name in rest if name not in found]
    if found.count("") == 1 and len(left) == 1:
        found[found.index("")] = left[0]
    used = {*taken, *known}
    for at, name in enumerate(found):
        if not name or name in found[:at]:
            name = given[at]
            while name in used:
                name += "'"
            found[at] = name
        used.add(found[at])
    return found


def _plain(name: str) -> tuple[str, str]:
    """A tensor's name in the model, without its generation and its optimisation profile.

    What Myelin adds is taken off, too.
    """
    head, _, number = name.rpartition("@")
    plain = without_profile(head if head and number.isdigit() else name)
    return plain, _MYELIN.sub("", plain)


def _remarks(layer_nodes: LayerNodes) -> dict[str, list[str] | None]:
    inside = [node.name for node in layer_nodes.outermost if node.parent is not None]
    return {
        "inside an If, a Loop or a Scan": inside,
        "names of several nodes, left out": list(layer_nodes.ambiguous),
        "not in the model": list(layer_nodes.missing),
    }
