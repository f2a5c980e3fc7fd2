"""Says what stands on a poster: title, boxes, and what each of three causes would gain."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import PurePath
from typing import Final, NamedTuple

from engine_layer_visualize import linting
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.coverage import how, of_layers
from engine_layer_visualize.analysis.layer_labels import several
from engine_layer_visualize.analysis.layer_times import share
from engine_layer_visualize.core.text import count, milliseconds, percent, visible
from engine_layer_visualize.drawings.poster.steps import Node, Step, Steps, kind_of
from engine_layer_visualize.fields import sentences
from engine_layer_visualize.fields.stakes import is_partly_timed
from engine_layer_visualize.linting import in_order
from engine_layer_visualize.linting.causes import of_rule
from engine_layer_visualize.linting.finding import Finding, first_steps, where
from engine_layer_visualize.linting.subject import Subject
from engine_layer_visualize.linting.totals import gpu_compute, inference, share_words
from engine_layer_visualize.trt import versions

_GAINS: Final = 3
_MODELS: Final = frozenset(".onnx .engine .plan .trt .uff .prototxt .pb .log .txt".split())  # noqa: SIM905
_MAKERS: Final = ("NVIDIA ", "GeForce ", "Tesla ")
_BLOCK_OF: Final = re.compile(r"\d+ layers(?:[ /]\S+)?")  # repeats that have no name


class Gain(NamedTuple):
    """A sentence of a poster."""

    number: str  # what is gained, or what is touched
    about: str  # what the number is
    action: str  # what to do, in a few words; or what is as it should be
    advice: str
    known: bool = True  # whether the number is what would be gained


class BoxWords(NamedTuple):
    """What a box says."""

    title: str
    what: str  # which operators, or where
    size: str  # how many layers, and the shape of what it writes


def title(costs: Costs) -> tuple[str, ...]:
    """Returns the model, the time of an inference and the device, as far as they are known."""
    name = sentences.name(costs.engine)
    if PurePath(name).suffix in _MODELS:
        name = PurePath(name).stem
    return tuple(filter(None, (visible(name), time(costs), device(costs))))


def time(costs: Costs) -> str:
    """Returns the time of an inference; of estimates, and of a sum of runs, it says so."""
    took = gpu_compute(costs)
    if took:
        return milliseconds(took)
    whole = inference(costs)
    if whole is None:
        return ""
    return f"≈ {milliseconds(whole)}" if costs.estimated else milliseconds(whole)


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
    whole = costs.whole
    if costs.sum_of_runs is not None:
        yield f"shares of {milliseconds(costs.sum_of_runs)} in an unknown number of runs"
    elif whole is None:
        yield "no layer is timed"
    else:
        known = f"{of_layers(costs)} timed, " if costs.now.timed < costs.now.layers else ""
        yield f"{known}{how(costs)}: {milliseconds(whole)} in layers"
    if shares := sentences.precisions(costs):
        yield shares[:1].lower() + shares[1:]


def gains(costs: Costs, found: Sequence[Finding] | None = None) -> tuple[Gain, ...]:
    """Returns what to do, as `lint` has it; where nothing is found, what is as it should be."""
    found = linting.of(costs) if found is None else found
    told = [_gain(finding, costs) for finding in found if finding.shown][:_GAINS]
    if told:
        return tuple(told)
    fine = list(in_order.of(Subject(costs)))[:_GAINS]
    return tuple(Gain("✓", "", text[:1].upper() + text[1:], "") for text in fine)


def _gain(finding: Finding, costs: Costs) -> Gain:
    action, advice = of_rule(finding.code).action, first_steps(finding.advice)
    advice = advice[:1].upper() + advice[1:]
    ms = finding.ms or finding.touches_ms
    if not ms:
        return Gain("", f"{where(finding)}, gain not known", action, advice, False)
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
    if len(held) == 1:
        place = held[0].place
        same = _letters(place) == _letters(held[0].head)
        return BoxWords(held[0].head, "" if same else place, _shape(held[-1]))
    heads = _heads(held, node.blocks)
    title = _called(node)
    if title:
        title = several(title, node.blocks)
    elif node.blocks > 1:
        title = f"{node.blocks} blocks"
    else:
        title, *heads = heads
    what = "operation" if held[0].inner else "layer"
    size = " · ".join(filter(None, (count(len(held), what), _shape(held[-1]))))
    return BoxWords(title, ", ".join(heads), size)


def _called(node: Node) -> str:
    """Returns the name of a group, without a number where it stands for several."""
    if _BLOCK_OF.fullmatch(node.name):
        return ""
    name = node.name if node.blocks == 1 else kind_of(node.name).partition("*")[0]
    return name.strip("/._- ")


def _heads(held: Sequence[Step], blocks: int) -> list[str]:
    """Returns what the steps compute, the costliest first, with how many of a block do so."""
    weights = Counter[str]()
    numbers = Counter[str]()
    for step in held:
        weights[step.head] += (step.share or 0.0) + 1e-9  # type: ignore[assignment]
        numbers[step.head] += 1
    return [several(head, max(1, numbers[head] // blocks)) for head, _ in weights.most_common()]


def _letters(text: str) -> str:
    return re.sub(r"[\W\d_]", "", text)


def _shape(step: Step) -> str:
    """Returns the type and the dims of what a layer writes; symbolic dims say nothing here."""
    if step.inner or not step.layer.outputs:
        return ""
    written = step.layer.outputs[0]
    known = written.shape is not None and min(written.shape, default=0) > 0
    return visible(sentences.shape(written) if known else written.dtype or "")
