"""Gives an engine the numbers of its tensors that a file has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from engine_layer_visualize.core.build_info import EngineFacts
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.core.problems import Place, Problem
from engine_layer_visualize.core.text import count
from engine_layer_visualize.inputs.tensor_numbers import Numbers

_NAMED: Final = 3  # names in a message; the rest is counted


def joined(
    facts: EngineFacts, layers: Sequence[Layer], given: Numbers
) -> tuple[EngineFacts, list[Problem]]:
    """The facts with the numbers of tensors that a layer reads or writes; a warning of the rest."""
    names = {one.name for layer in layers for one in (*layer.inputs, *layer.outputs)}
    problems = []
    if strange := [name for name in given.tensors if name not in names]:
        shown = ", ".join(f"`{name:.60}`" for name in strange[:_NAMED])
        more = len(strange) - _NAMED
        shown += f" and {more} more" if more > 0 else ""
        message = (
            f"{len(strange)} of {count(len(given.tensors), 'tensor')} are of no layer: {shown}"
        )
        problems.append(Problem(Place(given.file, 1), "ELV213", message))
    known = tuple(one for name, one in given.tensors.items() if name in names)
    losses = tuple(one for one in given.accuracy if one.tensor in names)
    return replace(facts, numbers=known, accuracy=(*facts.accuracy, *losses)), problems
