"""Says what stands on a poster: title, boxes, and what each of three causes would gain."""

from __future__ import annotations

import os.path
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain, islice
from pathlib import PurePath
from typing import Final, NamedTuple

from engine_layer_visualize import linting
from engine_layer_visualize.analysis.breakdown import by_precision
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.coverage import how, of_layers
from engine_layer_visualize.analysis.layer_labels import several
from engine_layer_visualize.analysis.layer_times import share
from engine_layer_visualize.analysis.precisions import UNKNOWN
from engine_layer_visualize.core.text import count, milliseconds, percent, visible
from engine_layer_visualize.drawings.poster.steps import Node, Step, Steps
from engine_layer_visualize.fields import sentences
from engine_layer_visualize.fields.stakes import is_partly_timed
from engine_layer_visualize.linting import in_order
from engine_layer_visualize.linting.causes import of_rule
from engine_layer_visualize.linting.finding import Finding, first_steps, where
from engine_layer_visualize.linting.subject import Subject
from engine_layer_visualize.linting.totals import held_in_one, inference, share_words
from engine_layer_visualize.trt import versions

_GAINS: Final = 3
_FILES: Final = frozenset(
    ".onnx .engine .plan .trt .uff .prototxt .pb .log .txt .layers .json".split()  # noqa: SIM905
)
_MAKERS: Final = ("NVIDIA ", "GeForce ", "Tesla ")
_NAMED: Final = 2  # operators in the name of a box
# A repeat that has no name: `26 layers 3/8`.
_BLOCK_OF: Final = re.compile(r"\d+ layers(?: (\d+)/(\d+)|[ /]\S+)?")
_TWICE: Final = re.compile(r"(?:(?<=/)|^)([^/]+)/(?=\1\.)")  # `layer2/` of `layer2/layer2.0`
_NODES: Final = re.compile(r" (?:\+|\|\||…) ")  # between nodes of one layer
_PATH: Final = re.compile("[/.]")
_TO_SEPARATOR: Final = re.compile(".*[/._-]")
_NUMBER: Final = re.compile(r"\d+")


class Gain(NamedTuple):
    """A sentence of a poster."""

    number: str  # what is gained, or what is touched
    about: str  # what the number is
    action: str  # what to do, in a few words; or what is as it should be
    advice: str
    known: bool = True  # whether the number is what would be gained


class BoxWords(NamedTuple):
    """What a box says: of each row what it says where there is room, then what it says with less.

    A box of several layers that share no module is named after their operators.
    """

    title: tuple[str, ...]
    what: tuple[str, ...]  # which operators, or where
    size: tuple[str, ...]  # how many layers, and the shape of what the last one writes


def title(costs: Costs) -> tuple[str, ...]:
    """Returns the model, the time of an inference and the device, as far as they are known."""
    name = sentences.name(costs.engine)
    while PurePath(name).suffix in _FILES:
        name = PurePath(name).stem
    return tuple(filter(None, (visible(name), sentences.headline_time(costs), device(costs))))


def device(costs: Costs) -> str:
    """Returns `RTX 3080` of `NVIDIA GeForce RTX 3080`; empty where the log names none."""
    facts = costs.engine.facts
    name = (facts.device.name if facts is not None and facts.device is not None else "") or ""
    for maker in _MAKERS:
        name = name.removeprefix(maker)
    return visible(name)


def facts(costs: Costs) -> Iterator[str]:
    """Yields what the engine is, and how its times are known."""
    engine = costs.engine
    yield count(len(costs.layers), "layer") + sentences.listing(engine)
    if engine.tensorrt:
        yield visible(versions.called(engine.tensorrt))
    if len(costs.profiles) > 1:
        yield f"optimisation profile {costs.profile}"
    if costs.sum_of_runs is not None:
        yield f"shares of {milliseconds(costs.sum_of_runs)} in an unknown number of runs"
    elif costs.whole is None:
        yield "no layer is timed"
    else:
        known = f"{of_layers(costs)} timed, " if costs.now.timed < costs.now.layers else ""
        yield f"{known}{how(costs)}: {sentences.inference(costs) or 'the sum of the layers'}"
    if held := held_in_one(costs):
        yield f"{milliseconds(held.ms)} of it may be the first run of one layer"
    if (shares := sentences.precisions(costs)) and any(
        row.name != UNKNOWN for row in by_precision(costs)
    ):
        yield shares[:1].lower() + shares[1:]


def gains(costs: Costs, found: Sequence[Finding] | None = None) -> tuple[Gain, ...]:
    """Returns what to do, as `lint` has it; then what is as it should be."""
    found = linting.of(costs) if found is None else found
    told = [_gain(finding, costs) for finding in found if finding.shown]
    fine = (Gain("✓", "", text[:1].upper() + text[1:], "") for text in in_order.of(Subject(costs)))
    return tuple(islice(chain(told, fine), _GAINS))


def _gain(finding: Finding, costs: Costs) -> Gain:
    action, advice = of_rule(finding.code).action, first_steps(finding.advice).replace("`", "")
    advice = advice[:1].upper() + advice[1:]
    ms = finding.ms or finding.touches_ms
    if not ms:
        return Gain(where(finding), "gain not known", action, advice, False)
    partly = is_partly_timed(finding, costs)
    bound = "≥ " if partly and not finding.ms else "≈ " if costs.estimated else ""
    number = bound + ("−" if finding.ms else "") + milliseconds(ms)
    part = share(ms, inference(costs))
    about = [] if part is None else [" ".join(filter(None, (percent(part), share_words(costs))))]
    if not finding.ms:
        about.append(f"in {where(finding)}, gain not known")
    elif finding.touches_ms is not None and finding.touches_ms > finding.ms:
        of = f"of {'at least ' * partly}{milliseconds(finding.touches_ms)} in {where(finding)}"
        if part is not None:
            of += f", {percent(part)} {share_words(costs) or 'of all'}"
        return Gain(number, of, action, advice)
    else:
        about.append(f"in {where(finding)}")
    return Gain(number, " ".join(about), action, advice, bool(finding.ms))


# ---- boxes -------------------------------------------------------------------------------------


def box(node: Node, steps: Steps) -> BoxWords:
    """Returns what the box of a node says."""
    held = steps.of(node)
    number = count(len(held), "operation" if held[0].inner else "layer")
    shape = _shape(held[-1])
    if len(held) == 1:
        where = "" if held[0].place == held[0].head else held[0].place
        return BoxWords((held[0].head,), (where,), (shape,))
    size = tuple(dict.fromkeys((" · ".join(filter(None, (number, shape))), number)))
    places = [step.place for step in held if not step.quiet and step.place]
    heads = _heads(held)
    if title := _blocks(node) if node.blocks > 1 else _called(node.name) or _module(places):
        return BoxWords((title,), _listed(heads, len(heads)), size)
    nodes = [node for place in places for node in _NODES.split(place)]
    span = " … ".join(dict.fromkeys((nodes[0], nodes[-1]))) if nodes else ""
    return BoxWords(_listed(heads, _NAMED), (span, ""), size)


def _called(name: str) -> str:
    """Returns the name of a group, without what it says twice: `layer2/layer2.0`."""
    if block := _BLOCK_OF.fullmatch(name):
        return f"Block {block[1]} of {block[2]}" if block[1] else "Block"
    return _TWICE.sub("", name.strip("/._- "))


def _blocks(node: Node) -> str:
    """Returns the name of several groups that are alike: `features.1 – 3`, `Blocks 1 – 4 of 8`."""
    first, last = (node.children[place].name for place in (0, -1))
    blocks = _BLOCK_OF.fullmatch(first), _BLOCK_OF.fullmatch(last)
    if blocks[0] and blocks[1] and blocks[0][1] and blocks[1][1]:
        return f"Blocks {blocks[0][1]} – {blocks[1][1]} of {blocks[1][2]}"
    outer = _outer((first, last))
    numbers = [_NUMBER.match(name, len(outer)) for name in (first, last)]
    if outer and numbers[0] and numbers[1]:
        return f"{_called(outer + numbers[0][0])} – {numbers[1][0]}"
    return f"{node.blocks} × {_called(outer)}" if outer else f"{node.blocks} blocks"


def _module(places: Sequence[str]) -> str:
    """Returns the module that all these places are in: `layer1`, `features.0 – 4`; empty: none."""
    if len(set(places)) < 2 or any(" " in place or not _PATH.search(place) for place in places):
        return places[0] if len(set(places)) == 1 and _PATH.search(places[0]) else ""
    outer = _outer(places)
    if outer and all(_NUMBER.fullmatch(place, len(outer)) for place in places):
        return f"{_called(places[0])} – {places[-1][len(outer) :]}"
    return _called(outer)


def _outer(places: Sequence[str]) -> str:
    """Returns what paths have in common, with the separator at its end."""
    # A common prefix of characters: `features.1` is inside of no `features.12`.
    shared = _TO_SEPARATOR.match(os.path.commonprefix(places))  # noqa: RUF071
    return shared[0] if shared else ""


def _heads(held: Sequence[Step]) -> list[tuple[str, int]]:
    """Returns what the steps compute, the costliest first, and how many do so."""
    weights = Counter[str]()
    numbers = Counter(step.head for step in held)
    for step in held:
        weights[step.head] += (step.share or 0.0) + 1e-9  # type: ignore[assignment]
    return [(head, numbers[head]) for head, _ in weights.most_common()]


def _listed(heads: Sequence[tuple[str, int]], most: int) -> tuple[str, ...]:
    """Returns `2 × MatMul, Softmax and 14 others`, then the same with fewer names."""
    told = []
    for kept in range(min(most, len(heads)), 0, -1):
        others = sum(number for _, number in heads[kept:])
        names = ", ".join(several(head, number) for head, number in heads[:kept])
        told.append(f"{names} and {count(others, 'other')}" if others else names)
    return (*told, f"{heads[0][0]}, …" if len(heads) > 1 else told[-1])


def _shape(step: Step) -> str:
    """Returns the type and the dims of what a layer writes; symbolic dims say nothing here."""
    if step.inner or not step.layer.outputs:
        return ""
    written = step.layer.outputs[0]
    known = written.shape is not None and min(written.shape, default=0) > 0
    return visible(sentences.shape(written) if known else written.dtype or "")
