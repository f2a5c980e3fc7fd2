"""Writes the lines of tooltips, with findings, and the badges of boxes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final, NamedTuple

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.core.model import Edge, JsonValue, Layer, Tensor
from engine_layer_visualize.core.text import count, dims, milliseconds, shorten
from engine_layer_visualize.core.words import first_lines, shown
from engine_layer_visualize.drawing.theme import LIGHT
from engine_layer_visualize.facts.field import lines, of_place
from engine_layer_visualize.facts.layer import LAYER
from engine_layer_visualize.facts.sentences import stakes
from engine_layer_visualize.facts.subgraph import Endpoint
from engine_layer_visualize.linting import of_profiles
from engine_layer_visualize.linting.causes import of_rule
from engine_layer_visualize.linting.rules import Finding, Rule
from engine_layer_visualize.linting.subject import Subject

_MOST_LISTED: Final = 24  # tensors of one side, attributes, layers beyond a stub
_FIELDS: Final = of_place(LAYER, "tooltip")
_OF_RECORD: Final = tuple(one for one in _FIELDS if not one.key.startswith("facts."))
_LONGEST_VALUE: Final = 300  # characters of one attribute
_MOST_BADGED: Final = 0.15  # of the boxes
LONGEST_NAME: Final = 120  # characters of a name in a message
LONGEST_MESSAGE: Final = 700  # characters of a message


def of_tensor(tensor: Tensor) -> str:
    """Returns `x[Half 1×64×56×56]`."""
    return f"{tensor.name}[{type_and_dims(tensor)}]"


def type_and_dims(tensor: Tensor) -> str:
    """Returns `Half 1×64×56×56`."""
    return f"{tensor.dtype or '?'} {dims(tensor.dims)}".rstrip()


def of_edge(edge: Edge, written: Tensor | None, read: Tensor | None) -> tuple[str, ...]:
    """Returns the tensor as it is written, and as it is read."""
    told = dict.fromkeys(of_tensor(each) for each in (written, read) if each is not None)
    first, *others = told or (edge.tensor,)
    return (first, *(f"read as {other}" for other in others))


def of_endpoint(end: Endpoint) -> Iterator[str]:
    """Yields its tensor, its kind, and the layers outside the view."""
    yield of_tensor(end.tensor) if end.tensor is not None else end.name
    words = f"{end.word}, not shown" if end.beyond else end.word
    known = LIGHT.marks[end.kind].words
    yield {"port": f"engine {words}", "stub": f"{words}: {known}"}.get(end.kind, known)
    yield from first_lines(end.beyond, _MOST_LISTED, "layer {0.index}: {0.name}".format, "layer")


def of_layer(layer: Layer, findings: EngineFindings) -> Iterator[str]:
    """Yields all that is known of a layer; `findings` are those of its engine."""
    subject = findings.subject
    yield layer.name or "(no name)"
    listed = "" if layer.listed else ", not listed"
    place = f"{subject.engine.source.file}:{layer.place.line}"
    kind = f"{layer.type}, layer" if layer.type else "Layer"
    yield f"{kind} {layer.index}{listed}, {place}"
    yield from findings.lines(layer)
    fields = _OF_RECORD if layer.facts is None else _FIELDS
    for label, texts in lines(fields, subject, layer):
        yield from (f"{label}: {text}" if label else text for text in texts)
    for word, tensors in ("input", layer.inputs), ("output", layer.outputs):
        yield from first_lines(tensors, _MOST_LISTED, partial(_tensor, word), word)
    yield from first_lines(layer.attributes, _MOST_LISTED, _attribute, "attribute")
    if layer.raw is not None:
        yield f"unreadable: {shorten(layer.raw, 4 * _LONGEST_VALUE)}"


def _attribute(pair: tuple[str, JsonValue]) -> str:
    key, value = pair
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return f"{key}: {shorten(text, _LONGEST_VALUE)}"


def _tensor(word: str, tensor: Tensor) -> str:
    """Returns it with memory format and strides, where the record has them beside the data type."""
    layout = tensor.format if tensor.format != tensor.dtype else None
    parts = (layout, tensor.strides and f"strides {tensor.strides}")
    return ", ".join((f"{word}: {of_tensor(tensor)}", *filter(None, parts)))


class Badges(NamedTuple):
    """The rules whose codes stand on boxes; the findings that would mark too many of them."""

    of_box: dict[int, list[Rule]]  # by the number of a box
    above: list[str]  # lines above the boxes: what to do, about how many layers


class EngineFindings:
    """The findings of one engine, of all its optimisation profiles.

    Without `rules` there are none, and of a reformat its reason alone.
    """

    def __init__(self, costs: Costs, rules: bool = True) -> None:
        self.profiles = of_profiles(costs) if rules else ()
        self.subject = Subject(costs)
        self.reasons = self.subject.reasons
        self._of: dict[int, tuple[Finding, Costs]] = {}  # of each layer: its own
        for own, findings in self.profiles:
            for finding in findings:
                self._of.update(dict.fromkeys(finding.layers, (finding, own)))

    def badges(self, boxes: Sequence[Sequence[Layer]]) -> Badges:
        """Returns the findings that mark boxes, each of which stands for these layers."""
        box_of = {layer.index: number for number, box in enumerate(boxes) for layer in box}
        most = max(1.0, _MOST_BADGED * sum(map(bool, boxes)))
        found = Badges({}, [])
        for costs, findings in self.profiles:
            for finding in filter(lambda each: each.shown, findings):
                layers = finding.layers or finding.about
                own = {box_of[index] for index in layers if index in box_of}
                if len(own | found.of_box.keys()) <= most:
                    for box in sorted(own):
                        found.of_box.setdefault(box, []).append(finding.rule)
                elif layers and costs.profile == self.subject.costs.profile:
                    found.above.append(_told(finding, costs))
        return found

    def lines(self, layer: Layer) -> Iterator[str]:
        """Yields lines of its tooltip: why a reformat is there; what is found, and what to try."""
        reason = self.reasons.get(layer.index)
        if reason is not None:
            yield f"why: {reason.text}"
        if layer.index not in self._of:
            return
        finding, own = self._of[layer.index]
        is_said = reason is not None and finding.message == reason.text
        head = _head(finding, own)
        yield head if is_said else f"{head}: {shown(finding.said, LONGEST_NAME, LONGEST_MESSAGE)}"
        yield f"try: {finding.advice}"


def _told(finding: Finding, costs: Costs) -> str:
    about = "≈ " if costs.estimated else ""
    gain = "" if finding.ms is None else f", could save {about}{milliseconds(finding.ms)}"
    layers = count(len(finding.layers or finding.about), "layer")
    return f"{of_rule(finding.code).action}: {layers}{gain}"


def _head(finding: Finding, costs: Costs) -> str:
    """Returns `warning P01 higher-precision-compute, 20 layers, touches 97.0 µs, 4.1 %, …`."""
    rule, number = finding.rule, len(finding.layers)
    words = [f"{'' if rule.severity == 'hint' else rule.severity + ' '}{rule.code} {rule.name}"]
    words += [f"{number:,} layers"] if number > 1 else []
    told = [*stakes(finding, costs)]
    return ", ".join([*words, *told]) + " (estimated)" * bool(told and costs.estimated)
