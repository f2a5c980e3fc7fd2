"""Reads whether inputs vary, at which shapes they ran, and for which the builder timed layers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import chain
from typing import Final

from engine_layer_visualize.core.build_info import EngineFacts
from engine_layer_visualize.core.model import Engine

Shape = tuple[int, ...]
Shapes = Mapping[str, Shape]  # by the input's name

_OF_BUILD: Final = "Input build shape"
_DIMS: Final = r"\d{1,9}(?:x\d{1,9})*"
# `x:0=4x1x28x28` of trtexec's options; of a build the least, the best and the largest.
_RUN: Final = re.compile(rf"(?:\A|,)([^=]*)=({_DIMS})(?=,|\Z)")
_BUILT: Final = re.compile(rf"(?:\A|,)([^=]*)={_DIMS}\+({_DIMS})\+{_DIMS}(?=,|\Z)")


def vary(engine: Engine) -> bool:
    """Whether the shape of an input varies, by the log or by the listing."""
    facts = engine.facts or EngineFacts()
    if engine.ranges or any("-1" in (bound.dims or "") for bound in facts.inputs):
        return True
    # trtexec prints the least, the best and the largest shape, or one that does not vary.
    given = [option.value for option in facts.options if option.key.startswith(_OF_BUILD)]
    if any(len({*value.partition("=")[2].split("+")}) > 1 for value in given):
        return True
    shapes = {tensor.shape for la in engine.layers for tensor in chain(la.inputs, la.outputs)}
    return min(map(min, filter(None, shapes)), default=0) < 0


def of_run(facts: EngineFacts | None) -> Shapes | None:
    """The shapes that trtexec gave the inputs; None where it does not say, or is not understood."""
    return _asked(facts, "Input inference shape", _RUN)


def of_build(facts: EngineFacts | None) -> Shapes | None:
    """The shapes that the builder was to take for the best, of a single optimisation profile."""
    return _asked(facts, _OF_BUILD, _BUILT)


def _asked(facts: EngineFacts | None, key: str, wanted: re.Pattern[str]) -> Shapes | None:
    """The shapes of trtexec's options, each of which has one input or several."""
    shapes: dict[str, Shape] = {}
    for option in facts.options if facts is not None else ():
        if not option.key.strip().startswith(key) or "=" not in option.value:
            continue
        value = option.value.strip()
        found = wanted.findall(value)
        if len(found) != value.count("="):
            return None
        for name, dims in found:
            shape = tuple(map(int, dims.split("x")))
            if shapes.setdefault(name, shape) != shape:
                return None
    return shapes or None
