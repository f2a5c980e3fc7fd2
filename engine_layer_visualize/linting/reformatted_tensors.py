"""A `Subject` in; the tensors that reformats read, each with all of its readers, out."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from engine_layer_visualize.analysis.layer_kinds import is_reformat
from engine_layer_visualize.analysis.reformat_reasons import Reason
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.linting.subject import Subject


class Reformatted(NamedTuple):
    """A tensor with several readers: the reformats that change its type or format, and the layers
    that read it as it is. Copies, and reformats of which nothing is known, are neither."""

    tensor: str
    reformats: tuple[tuple[Layer, Reason], ...]
    others: tuple[Layer, ...]


def reformatted(subject: Subject) -> Iterator[Reformatted]:
    """In the order of their first reformat."""
    wanted = {layer.inputs[0].name for layer in subject.reformats if layer.inputs}
    readers: dict[tuple[int | None, str], dict[int, None]] = defaultdict(dict)
    for edge in subject.edges:
        if edge.tensor in wanted and edge.target is not None:
            readers[edge.source, edge.tensor][edge.target] = None
    seen = set()
    own = {layer.index for layer in subject.layers}
    for (_, tensor), indices in readers.items():
        several = tuple(sorted(own.intersection(indices))) if len(indices) > 1 else ()
        if len(several) < 2 or several in seen:  # seen: the parts of a concatenation
            continue
        seen.add(several)
        layers = [subject.engine.layers[index] for index in several]
        changes = [(la, subject.reasons[la.index]) for la in layers if la.index in subject.reasons]
        yield Reformatted(
            tensor,
            tuple(
                (layer, reason)
                for layer, reason in changes
                if not {"copy", "untold"} & {*reason.changes} and layer.inputs[0].name == tensor
            ),
            tuple(layer for layer in layers if not is_reformat(layer)),
        )
