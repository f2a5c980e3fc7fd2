"""Writes the value of trtexec's flag for the types and formats of inputs or outputs.

The flag takes a part for each of them, in their order, or one for all.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Final

from engine_layer_visualize.analysis.reformat_reasons import described
from engine_layer_visualize.linting.subject import Subject
from engine_layer_visualize.trt import types
from engine_layer_visualize.trt.names import without_profile

_MOST_PARTS: Final = 3  # outputs, where their order is unknown
_DEFAULT: Final = "fp32:chw"  # what trtexec takes without the flag


def part(words: str) -> str | None:
    """Returns `fp16:hwc8` for `Half channels last, in 8s`.

    None if an input cannot have the type; a format that it cannot have becomes `chw`.
    """
    type_word, _, form = words.partition(" ")
    dtype, order = types.types_of_inputs(type_word), types.formats_of_inputs(form)
    return f"{dtype}:{order or 'chw'}" if dtype else None


class EndFormats:
    """The inputs or outputs of an engine, each with the format that it has and the wanted one.

    Args:
        subject: the engine.
        of_inputs: whether these are its inputs.
        wanted: the wanted part of the flag for each name.
    """

    def __init__(self, subject: Subject, of_inputs: bool, wanted: Mapping[str, str]) -> None:
        self._subject, self._of_inputs, self._wanted = subject, of_inputs, wanted
        self._what = "inputs" if of_inputs else "outputs"

    @cached_property
    def _now(self) -> Mapping[str, str]:
        subject, of_inputs = self._subject, self._of_inputs
        graph, layers = subject.engine.graph, subject.engine.layers
        parts: dict[str, str | None] = {}
        for edge in subject.edges:
            end, index = (edge.source, edge.target) if of_inputs else (edge.target, edge.source)
            name = without_profile(edge.tensor)
            if end is not None or index is None or name in parts:
                continue
            tensors = layers[index].inputs if of_inputs else layers[index].outputs
            words = next((described(each, "") for each in tensors if each.name == edge.tensor), "")
            if (reason := subject.reasons.get(index)) is not None:
                words = reason.before if of_inputs else reason.after
            parts[name] = part(words)
        names = graph.inputs if of_inputs else graph.outputs
        return {name: parts.get(name) or _DEFAULT for name in map(without_profile, names)}

    def flag(self, needed: Mapping[str, str]) -> str:
        """Returns the flag, such as `trtexec: --inputIOFormats=fp16:hwc8`.

        Ends in `needed` or `wanted` get that format; all others keep theirs.
        """
        usual = needed.items() <= self._wanted.items()
        return self._usual if usual else self._flag({**self._wanted, **needed})

    @cached_property
    def _usual(self) -> str:
        return self._flag(self._wanted)

    def _flag(self, wanted: Mapping[str, str]) -> str:
        values = [wanted.get(name, now) for name, now in self._now.items()] or [*wanted.values()]
        flag = f"--{self._what[:-1]}IOFormats"
        if len({*values}) == 1:
            return f"trtexec: {flag}={values[0]}"
        facts = self._subject.engine.facts
        if not self._of_inputs and (facts is None or facts.outputs_order != "log"):
            named = [f"{value} for `{name}`" for name, value in wanted.items()]
            more = [f"{len(named) - _MOST_PARTS} more"] if len(named) > _MOST_PARTS else []
            parts = ", ".join([*named[:_MOST_PARTS], *more])
            return f"trtexec: {flag}, in the network's order, which is not known: {parts}"
        return f"trtexec, in the order of all {self._what}: {flag}={','.join(values)}"
