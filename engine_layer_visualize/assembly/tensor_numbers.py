"""Gives an engine the numbers of its tensors that a file has."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

from engine_layer_visualize.core.build_info import EngineFacts
from engine_layer_visualize.core.model import Engine
from engine_layer_visualize.core.problems import Place, Problem, ReadError
from engine_layer_visualize.core.text import count

if TYPE_CHECKING:
    from engine_layer_visualize.inputs.tensor_numbers import Numbers

_NAMED: Final = 3  # names in a message; the rest is counted
Given = TypeVar("Given", bound=Engine)


def usable(path: str | Path | None) -> tuple[Numbers | None, list[Problem]]:
    """The numbers of a file, None where there is none that can be used, and problems."""
    if path is None:
        return None, []
    from engine_layer_visualize.inputs import tensor_numbers

    try:
        return tensor_numbers.read(path)
    except ReadError as error:
        return None, [error.problem]


def joined(engine: Given, given: Numbers | None) -> Given:
    """The engine with the numbers of tensors that a layer has; a warning of the rest."""
    if given is None:
        return engine
    names = {one.name for layer in engine.layers for one in (*layer.inputs, *layer.outputs)}
    problems = engine.problems
    if strange := [name for name in given.tensors if name not in names]:
        shown = ", ".join(f"`{name:.60}`" for name in strange[:_NAMED])
        more = len(strange) - _NAMED
        shown += f" and {more} more" if more > 0 else ""
        of = f"{len(strange)} of {count(len(given.tensors), 'tensor')}"
        problem = Problem(Place(given.file, 1), "ELV213", f"{of} are of no layer: {shown}")
        problems = (*problems, problem)
    facts = engine.facts or EngineFacts()
    known = tuple(one for name, one in given.tensors.items() if name in names)
    losses = tuple(one for one in given.accuracy if one.tensor in names)
    facts = replace(facts, numbers=known, accuracy=(*facts.accuracy, *losses))
    return replace(engine, facts=facts, problems=problems)
