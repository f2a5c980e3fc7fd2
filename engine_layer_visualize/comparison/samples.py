"""Reads at which shapes an engine's inputs were timed, and how many samples these are.

Shapes have no names, which another export may change.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, NamedTuple

from engine_layer_visualize.analysis import input_shapes
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.core.build_info import EngineFacts
from engine_layer_visualize.core.model import Engine

Shapes = tuple[tuple[int, ...], ...]
Inputs = tuple["Shapes | None", "Shapes | None"]  # of two engines; None: not known

_DIMS: Final = r"\d{1,9}(?:x\d{1,9})*"
_TEXT: Final = re.compile(rf"{_DIMS}(?: {_DIMS})*")


class PerSample(NamedTuple):
    """The times of two engines by the samples of a run."""

    a_ms: float  # of one sample
    b_ms: float
    samples_a: int  # of a run
    samples_b: int


def shapes(costs: Costs, *, estimated: bool | None = None) -> Shapes | None:
    """The shapes of all inputs, sorted; None where one is not known.

    Measured times are of the shapes that trtexec ran, estimated ones of those that the builder was
    to take for the best; both are those of the network where none varies.

    Args:
        costs: the engine with its times.
        estimated: which of both; None: as the costs are.
    """
    engine = costs.engine
    facts = engine.facts or EngineFacts()
    of_build = costs.estimated if estimated is None else estimated
    asked = input_shapes.of_build(facts) if of_build else input_shapes.of_run(facts)
    known = tuple((asked or {}).values()) or _declared(facts) or _listed(engine)
    if known is None:
        return None
    batch = _implicit_batch(facts)
    return tuple(sorted((*batch, *shape) for shape in known))


def _declared(facts: EngineFacts) -> Shapes | None:
    """The shapes of the network, where none varies."""
    dims = [dims_of_input.dims or "" for dims_of_input in facts.inputs]
    if not dims or not all(
        re.fullmatch(r"\d{1,9}(?:,\d{1,9})*", dims_of_input) for dims_of_input in dims
    ):
        return None
    return _parsed(dims_of_input.replace(",", "x") for dims_of_input in dims)


def _listed(engine: Engine) -> Shapes | None:
    """The shapes that the layers print which read the inputs.

    Where all print the same, and none varies.
    """
    read: dict[str, set[tuple[int, ...]]] = {name: set() for name in engine.inputs}
    for layer in engine.layers:
        for tensor in layer.inputs:
            if tensor.name in read:
                read[tensor.name].add(tensor.shape if tensor.dims else ())
    alike = [shape for printed in read.values() if len(printed) == 1 for shape in printed]
    known = len(alike) == len(read) > 0 and all(shape and min(shape) >= 0 for shape in alike)
    return tuple(alike) if known else None


def _implicit_batch(facts: EngineFacts) -> tuple[int, ...]:
    """What trtexec put before all shapes of a network without a batch of its own.

    A batch of 1 it prints of any engine.
    """
    for option in facts.options:
        if option.section == "Inference" and option.key.strip() == "Batch":
            value = option.value.strip()
            return (int(value),) if re.fullmatch(r"[1-9]\d{0,8}", value) and value != "1" else ()
    return ()


# ---- two engines -------------------------------------------------------------------------------


def differ(inputs: Inputs) -> bool:
    """Whether both shapes are known, and are not the same."""
    return None not in inputs and inputs[0] != inputs[1]


def numbers(a: Shapes | None, b: Shapes | None) -> tuple[int, int] | None:
    """How many samples a run of each is, where shapes differ in their leading dimensions alone.

    None where they are the same, or differ in more, or are not known.
    """
    if a is None or b is None or a == b or len(a) != len(b):
        return None
    pairs = set()
    for first, second in zip(_by_rest(a), _by_rest(b), strict=True):
        if not first or not second or first[1:] != second[1:]:
            return None
        if first != second:
            pairs.add((first[0], second[0]))
    if len(pairs) != 1:
        return None
    (pair,) = pairs
    return pair if min(pair) > 0 else None


def _by_rest(shapes: Shapes) -> list[tuple[int, ...]]:
    return sorted(shapes, key=lambda shape: (shape[1:], shape[:1]))


def words(shapes: Shapes) -> str:
    """`1x10 1x3x224x224`."""
    return " ".join(sorted("x".join(map(str, shape)) for shape in shapes))


def of_words(text: str) -> Shapes | None:
    """Shapes of such words; None where they are none."""
    return tuple(sorted(_parsed(text.split(" ")))) if _TEXT.fullmatch(text) else None


def _parsed(texts: Iterable[str]) -> Shapes:
    return tuple(tuple(map(int, text.split("x"))) for text in texts)
