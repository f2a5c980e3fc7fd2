"""Says what is worth most for an engine, what is as it should be, and which layers cost much."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from engine_layer_visualize.analysis import kinds, labels, precisions, times, trtexec, work
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.core.text import base_name, count, milliseconds, percent, plural
from engine_layer_visualize.core.words import abridged
from engine_layer_visualize.linting import findings_of, header
from engine_layer_visualize.linting.causes import is_root, weight
from engine_layer_visualize.linting.precision import has_fast_half
from engine_layer_visualize.linting.roles import LAUNCH_MS, QUANTISED, bound_of
from engine_layer_visualize.linting.rules import Finding
from engine_layer_visualize.linting.subject import Subject
from engine_layer_visualize.trt.names import is_foreign, on_tensor_cores

_LONGEST_NAME: Final = 40  # characters


def of(subject: Subject) -> str | None:
    """Returns the sentence about an engine with all of its findings."""
    return largest(subject, findings_of(subject))


def largest(subject: Subject, findings: Sequence[Finding]) -> str | None:
    """Returns the sentence, of at most 20 words; None for an engine without a layer.

    What spoils the build or the times stands first; then what is worth most; then what is left.

    Args:
        subject: the engine, with the times that outputs show.
        findings: all of its findings, in their order.
    """
    if not subject.layers:
        return None
    costs = subject.in_inference.costs
    shown = [finding for finding in findings if finding.shown][:1]
    limits = (_of_finding(one, None) for one in shown if is_root(one, costs))
    if spoilt := [*header.misread(subject), *limits, *header.distrusted(subject)]:
        return spoilt[0]
    whole = times.inference(costs) or 1.0
    steps = [(weight(one, costs) / whole, _of_finding(one, subject.shown)) for one in shown]
    steps += header.copied(subject)
    # What nothing prices may be worth such parts of an inference; FP16 makes it about half as long.
    steps += ((0.3, text) for text in header.unnamed(subject) if not shown)
    if costs.kind != "measured" or not costs.now.timed:
        steps.append((0.05 if costs.estimated else 0.1, to_measure(subject)))
    steps.append((0.0, next(_left(subject.in_inference))))
    return max(steps, key=lambda step: step[0])[1]


def is_of(text: str | None, finding: Finding, costs: Costs) -> bool:
    """Whether a sentence is a finding's first step."""
    return text in (_of_finding(finding, None), _of_finding(finding, costs))


def _of_finding(finding: Finding, costs: Costs | None) -> str:
    """Returns a finding's first step, with what it saves or takes where that has room."""
    advice = finding.advice.split("; ")[0].rstrip(".")
    stake = ""
    if finding.ms and not finding.unpriced:
        stake = f" (could save {milliseconds(finding.ms)})"
    elif costs and (part := times.share_touched(finding.layers, costs)):
        number = len(finding.layers)
        what = f"layer {finding.layers[0]} takes" if number == 1 else f"{number:,} layers take"
        stake = f"; {what} {percent(part)} {costs.share_words or 'of the time'}"
    text = f"{advice[0].upper()}{advice[1:]}"
    has_room = len(f"{text}{stake}".split()) <= 20
    return f"{text}{stake if has_room else ''}."


def to_measure(subject: Subject) -> str:
    """Returns how to time the layers of an engine that no profile times, by its log's own flags."""
    engine, facts, costs = subject.engine, subject.facts, subject.costs
    ran = [time.profile for time in costs.each if time.timed]
    if costs.kind == "measured" and not costs.now.timed and ran:
        of = f"The times are of optimisation profile {ran[0]}"
        return f"{of}: give `--optimization_profile {ran[0]}`."
    if exported := trtexec.option(facts, "Export profile to JSON file"):
        file = word(base_name(exported))
        return f"Add `--profile_file {file}`: trtexec wrote the times of the layers there."
    if subject.frontend.source == "torch":
        return (
            "Add `…_engine_execution_profile.trace` by `--profile_file`: Torch-TensorRT writes the "
            "layers' times there."
        )
    words = f"Measure the layers: {trtexec.PROFILING}, then add `--profile_file prof.json`."
    words = trtexec.known_to(engine, words)
    for flags in filter(None, (trtexec.plugin_flags(engine), trtexec.shapes_flag(engine))):
        words = words.replace("=… ", f"=… {flags} ", 1)  # behind `--loadEngine`
    given = trtexec.given_flags(engine)
    file = given.get("--loadEngine") or given.get("--saveEngine") or ""
    return words.replace("--loadEngine=…", f"--loadEngine={word(file)}", 1)


def word(file: str) -> str:
    """Returns the name of a file as it can stand in a command; `…` for others."""
    return file if re.fullmatch(r"[\w./:+-]{1,80}", file) else "…"


def _left(subject: Subject) -> Iterator[str]:
    """Yields what is left where nothing is wrong; the last one always holds."""
    costs = subject.costs
    if subject.engine.source.state == "times":
        yield "Give the VERBOSE log of the build, too: these are times alone."
    yield from header.names_alone(subject)
    if subject.engine.source.state == "cut":
        yield "Keep the whole log: this listing is cut."
    waits = any(map(kinds.waits_for_dla, subject.layers))  # a copy, whose time is then the DLA's
    every = [la for la in subject.layers if kinds.runs_kernel(la) and not kinds.is_reformat(la)]
    every = [layer for layer in every if not (waits and kinds.on_dla(layer))]
    yield from _bound(subject)
    groups = work.ranked_equal_layers(every, subject.work, costs)
    group = max(groups, key=lambda one: one.ms or 0.0, default=None)
    share = costs.part(group.layers) if group is not None and group.ms else None
    if group is None or share is None:
        yield _lower(subject, "No rule sees a loss")
        return
    first = group.layers[0]
    start, *others = first.name.split(maxsplit=1) or [""]
    name = abridged(f"{start}…" if others else start, _LONGEST_NAME)
    takes = plural(len(group.layers), "takes", "take")
    what = f"Layer {first.index} `{name}`{_others(group)} {takes} {percent(share)}"
    if (group.ms or 0.0) < LAUNCH_MS * len(group.layers):
        graphs = "" if subject.has_cuda_graph else " or CUDA graphs"
        yield f"{what}, mostly launches: larger batches{graphs}."
        return
    is_other = subject.operation(first) is None and not kinds.is_myelin(first)
    yield f"{what}: smaller tensors, or fewer of them." if is_other else _lower(subject, what)


def _bound(subject: Subject) -> Iterator[str]:
    """Yields what the device still allows, where its figures are known."""
    costs = subject.costs
    timed = (layer for layer in subject.layers if subject.ms(layer))
    known = [layer for layer in timed if subject.work_of(layer).bound_ms]
    took, whole = costs.sum(known), costs.whole
    if costs.kind != "measured" or not took or not whole or took < 0.5 * whole:
        return
    reached = (bound_of(subject, known) or 0.0) / took
    by_compute = [layer for layer in known if subject.work_of(layer).bound_by == "compute"]
    if 0.5 <= reached <= 1:  # else the device does not decide
        at = f"-bound at {percent(reached)} of the"
        is_compute = (costs.sum(by_compute) or 0.0) > took / 2
        yield _lower(subject, f"Compute{at} GPU" if is_compute else f"Memory{at} bandwidth")


def _lower(subject: Subject, what: str) -> str:
    """Returns a sentence with what is left to make an engine smaller."""
    used = {subject.dtype(layer) for layer in subject.multiplying} - {None}
    lower = ["fewer bits"] if used & QUANTISED or not used else ["INT8"] * subject.has_int8
    is_fast = has_fast_half(subject) or (subject.capability or (0, 0)) >= (7, 0)
    wide = [layer for layer in subject.multiplying if subject.dtype(layer) == "Float"]
    may_gain = any(precisions.why_higher(la, subject.tuned(la)) != "fastest" for la in wide)
    if not used & QUANTISED and may_gain and is_fast:
        lower = ["FP16", *lower]
    return f"{what}: {' or '.join(['a smaller model', *lower])}."


# ---- what was looked at: only what could have been otherwise in this engine ----------------------

_COSTLY_SHARE: Final = 0.1  # of the time of the engine
_MULTIPLYING: Final = "convolutions and products"
_HALF: Final = ("Half", "BFloat16", "Int8", "FP8", "FP4")


def in_order(subject: Subject) -> Iterator[str]:
    """Yields a sentence for each thing that is as it should be."""
    layers = subject.layers
    if not subject.edges or not subject.engine.source.complete or len(layers) < 10:
        return  # of fewer layers nothing is worth a sentence
    products = [layer for layer in subject.multiplying if subject.dtype(layer) in _HALF]
    # The listing does not name the kernels inside a ForeignNode.
    known = not any(is_foreign(layer.name) for layer in layers)
    if known and products and all(on_tensor_cores(layer.kernel or "") for layer in products):
        below = "" if len(products) == len(subject.multiplying) else " below FP32"
        yield f"all {len(products):,} {_MULTIPLYING}{below} run on tensor cores"
    yield from faster_in_float(subject)


def faster_in_float(subject: Subject) -> Iterator[str]:
    """Yields that a lower type was timed and was slower, of layers with a tenth of the time."""
    wide = [layer for layer in subject.multiplying if subject.dtype(layer) == "Float"]
    why = [precisions.why_higher(layer, subject.tuned(layer)) for layer in wide]
    kept = [layer for layer, reason in zip(wide, why) if reason == "fastest"]
    if subject.costs.ranked and (subject.costs.part(kept) or 0.0) >= _COSTLY_SHARE:
        faster = why.count("faster")
        what = count(len(wide), "convolution or product", _MULTIPLYING)
        gained = f"faster only for {faster:,}" if faster else "not faster"
        yield (
            f"lower precision was timed for {len(kept) + faster:,} of {what} in "
            f"{precisions.computed_in(wide)}, and was {gained}"
        )


def costly(subject: Subject, findings: Iterable[Finding]) -> Iterator[str]:
    """Yields layers, or groups of equal ones, with a tenth of the time and no finding."""
    costs, measured = subject.costs, subject.shown
    told = {index for finding in findings for index in finding.layers}
    # Times that sum to something else than an inference do not tell what costs much.
    is_far = times.ratio(measured) > 1.3
    if not costs.whole or not costs.ranked or is_far or times.first_run(costs) is not None:
        return
    every = [layer for layer in subject.layers if layer.index not in told and costs.of(layer)]
    moving = [la for la in every if kinds.is_reformat(la) and not kinds.waits_for_dla(la)]
    left = [la for la in every if not kinds.is_reformat(la) or kinds.waits_for_dla(la)]
    groups = work.ranked_equal_layers(left, subject.work, costs)
    for group in sorted(groups, key=lambda group: -(group.ms or 0.0)):
        share, first = costs.part(group.layers) or 0.0, group.layers[0]
        if share < _COSTLY_SHARE:
            break
        if (group.ms or 0.0) < LAUNCH_MS * len(group.layers):
            continue
        named = f"{percent(share)} in layer {_called(first)}{_others(group)}"
        if kinds.waits_for_dla(first):
            yield f"{named}: it waits for the DLA"
        else:
            yield named if group.efficiency is None else f"{named}: {_reached(group)}"
    yield from _reformats(subject, moving)


def _reformats(subject: Subject, left: Sequence[Layer]) -> Iterator[str]:
    """Yields what reformats take together, and the change that takes most."""
    if (part := subject.costs.part(left) or 0.0) < 0.02:
        return
    changes: dict[str, list[Layer]] = defaultdict(list)
    for layer in left:
        reason = subject.reasons.get(layer.index)
        is_told = reason is not None and "untold" not in reason.changes
        changes[f" {reason.before} → {reason.after}" if reason and is_told else ""].append(layer)
    took = {change: subject.costs.sum(some) or 0.0 for change, some in changes.items()}
    most = max(took, key=lambda change: took[change])
    first = max(changes[most], key=lambda layer: subject.ms(layer) or 0.0)
    if len(left) == 1:
        yield f"{percent(part)} in reformat {first.index}{most and ':' + most}"
    else:
        mostly = f", most of it{most}" if most and 2 * took[most] > sum(took.values()) else ""
        reformats = f"{len(left):,} reformats{mostly}"
        yield f"{percent(part)} in {reformats} (the longest: {first.index})"


def _others(group: work.EqualLayers) -> str:
    more = len(group.layers) - 1
    return f" and {count(more, 'equal layer')}" if more else ""


def _called(layer: Layer) -> str:
    """The layer's number, and its name; where that is long, what it does."""
    if len(layer.name) <= _LONGEST_NAME:
        return f"{layer.index} `{layer.name}`"
    return f"{layer.index} ({abridged(labels.headline(layer), _LONGEST_NAME)})"


def _reached(group: work.EqualLayers) -> str:
    if (group.efficiency or 0.0) > 1.1:
        return "faster than this GPU can be: it ran on another one"
    what = "bandwidth" if group.done.bound_by == "memory" else "multiplications"
    return f"at {percent(group.efficiency or 0.0)} of the GPU's {what}"
