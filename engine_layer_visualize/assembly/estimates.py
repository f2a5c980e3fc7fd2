"""Gives each layer the builder's timing of its own tactic, and what else was tried for it.

Layers and the autotuning of each attempt go in; out comes a `Tuned` for every layer. A time belongs
to a layer of that name, tactic and formats, or to none; lines without a layer are counted.
"""

from __future__ import annotations

import json
import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from engine_layer_visualize.assembly.layouts import Option, settle
from engine_layer_visualize.assembly.provenance import FUSED, NO_LAYER, NOT_TAKEN, Rest
from engine_layer_visualize.core.build_info import Candidate, Candidates, RunnerCost
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.inputs.buildlog.kernel_names import Kernels, number
from engine_layer_visualize.inputs.buildlog.messages.autotuning import Autotuning
from engine_layer_visualize.inputs.buildlog.messages.autotuning_counts import Count, Trial
from engine_layer_visualize.io.source import decode
from engine_layer_visualize.trt.layer_names import OPTIMIZER_REFORMAT, is_foreign, parts

_REFORMAT: Final = re.compile(OPTIMIZER_REFORMAT + r"\((.*) -> (.*)\)", re.DOTALL)
# Attributes that two equal layers may have of their own.
_OWN: Final = ("Metadata", "StreamId", "EventId")
# These run nothing: the time of the copy that was avoided is not theirs.
_IDLE: Final = ("noop", "constant")

NO_NODE: Final = "a Myelin node that is not listed as one layer"
_NO_REFORMAT: Final = "a reformat that was not chosen"
_NAMELESS: Final = "a reformat whose tensor the log does not name"


@dataclass(slots=True)
class Tuned:
    """What the autotuner says of one layer."""

    trial: Trial | None = None
    option: Option | None = None  # the chosen one
    measured_on: str | None = None  # whose time it is, where it is an equal layer's

    @property
    def own(self) -> bool:
        """Whether the layer itself was timed."""
        return self.option is not None and self.measured_on is None

    def takes(self, option: Option, measured_on: str | None = None) -> None:
        """That is the layer's time."""
        self.option, self.measured_on = option, measured_on


def tuned(
    layers: Sequence[Layer],
    names: Mapping[str, Sequence[int]],
    within: Mapping[str, list[int]],
    tunings: Sequence[Autotuning],
    taken: Autotuning,
    rest: Rest,
) -> list[Tuned]:
    """What is known of each layer. `names`: the layers of a name; `taken`: the one of `tunings`
    that the engine came from; `within`: in which layers a name of the network is."""
    found = [Tuned() for _ in layers]
    reformats = _reformatted(layers)
    options: dict[int, list[Option]] = {}
    for printed, trial in taken.trials.items():
        name = decode(printed)
        indices = names.get(name, ())
        if not indices and (match := _REFORMAT.fullmatch(name)):
            places = dict.fromkeys(reformats.get(match[1], []) + reformats.get(match[2], []))
            indices = [index for index in places if _options(layers[index], trial)]
        for index in indices:
            found[index].trial = trial
            options[index] = _options(layers[index], trial)
        if indices:
            rest.joined["timing"] += trial.lines()
        else:
            rest.add("timing", _why(name, within), trial.line, name, trial.lines())
    lent: dict[int, list[Option]] = {}
    for _ in range(2):  # what one layer lends another tells the layouts of its neighbours, too
        for index, option in settle(layers, {**options, **lent}).items():
            if options.get(index) and layers[index].type.casefold() not in _IDLE:
                found[index].takes(option)
        lent = _borrow(layers, taken.trials, found)
    for tuning in tunings:
        for printed, trial in tuning.trials.items() if tuning is not taken else ():
            rest.add("timing", NOT_TAKEN, trial.line, decode(printed), trial.lines())
    return found


def _borrow(
    layers: Sequence[Layer], trials: Mapping[bytes, Trial], found: list[Tuned]
) -> dict[int, list[Option]]:
    """The builder times equal layers once. The others have the result of the one that was timed.

    Gives what was lent, by layer.
    """
    timed: dict[Hashable, list[int]] = {}
    lent: dict[int, list[Option]] = {}
    for layer in layers:
        if found[layer.index].own:
            timed.setdefault(_likeness(layer), []).append(layer.index)
    reformats: dict[str, list[str]] = {}
    by_name = {decode(name): trial for name, trial in trials.items()}
    for name, trial in by_name.items():
        if name.startswith(OPTIMIZER_REFORMAT):
            for _, _, formats in trial.chosen:
                reformats.setdefault(decode(formats), []).append(name)
    for layer in layers:
        known = found[layer.index]
        if known.own or layer.tactic is None or layer.type.casefold() in _IDLE:
            continue
        attributes = dict(layer.attributes)
        if "ReformatFrom" in attributes:
            wanted = f"{attributes['ReformatFrom']} -> {attributes['ReformatTo']}"
            for other in reformats.get(wanted, []):
                if options := _options(layer, by_name[other]):
                    known.takes(min(options, key=lambda option: option.chosen.ms), other)
                    break
            continue
        likes = timed.get(_likeness(layer), [])
        equal = [option for index in likes if (option := found[index].option) is not None]
        if len({option.chosen.ms for option in equal}) == 1:  # those that differ are not equal
            known.takes(equal[0], layers[likes[0]].name)
            lent[layer.index] = equal[:1]
        else:
            known.option = known.measured_on = None
    return lent


def _likeness(layer: Layer) -> Hashable:
    tensors = [
        tuple((t.dtype, t.dims, t.format, t.strides) for t in side)
        for side in (layer.inputs, layer.outputs)
    ]
    own = {key: value for key, value in layer.attributes if key not in _OWN}
    return layer.type, layer.tactic, *tensors, json.dumps(own, sort_keys=True)


def _why(name: str, within: Mapping[str, list[int]]) -> str:
    if name.startswith(OPTIMIZER_REFORMAT):
        return _NO_REFORMAT if "(" in name else _NAMELESS
    if is_foreign(name):
        return NO_NODE
    return FUSED if any(part in within for part in parts(name)) else NO_LAYER


def _reformatted(layers: Sequence[Layer]) -> dict[str, list[int]]:
    """The reformats of the engine, by the tensors that they read and write."""
    found: dict[str, list[int]] = {}
    for layer in layers:
        if any(key == "ReformatFrom" for key, _ in layer.attributes):
            for tensor in dict.fromkeys(t.name for t in (*layer.inputs, *layer.outputs)):
                found.setdefault(tensor, []).append(layer.index)
    return found


def _options(layer: Layer, trial: Trial) -> list[Option]:
    """The timings of the layer's tactic; of a reformat, those between its strides."""
    wanted = None if layer.tactic is None else number(layer.tactic.encode("utf-8", "replace"))
    attributes = dict(layer.attributes)
    strides = f"{attributes.get('ReformatFrom')} -> {attributes.get('ReformatTo')}"
    found = []
    for (tactic, runner, printed), chosen in trial.chosen.items():
        formats = decode(printed)
        if "ReformatFrom" in attributes:
            if formats != strides or (wanted is not None and number(tactic) not in (wanted, None)):
                continue
        elif wanted is None or number(tactic) != wanted:
            continue
        found.append(Option(decode(tactic), decode(runner), formats, chosen))
    return found


# ---- what was tried --------------------------------------------------------------------------


def candidates(layer: Layer, known: Tuned, kernels: Kernels) -> Candidates:
    """What the autotuner tried for a layer."""
    trial = known.trial
    if trial is None:
        return Candidates()

    def candidate(ms: float, tactic: str, runner: str, formats: str) -> Candidate:
        own = tactic == layer.tactic and layer.kernel is not None
        kernel = layer.kernel if own else kernels.of(layer.name, tactic)
        return Candidate(kernel, tactic, ms, runner, formats or None)

    chosen = None
    if (option := known.option) is not None and known.own:
        chosen = candidate(option.chosen.ms, option.tactic, option.runner, option.formats)
    counts = trial.runners.values()
    return Candidates(
        tried=sum(count.tried for count in counts),
        skipped=sum(count.skipped for count in counts),
        cached=trial.cached,
        best=tuple(
            candidate(ms, decode(tactic), decode(runner), decode(formats))
            for ms, tactic, runner, formats in trial.best
        ),
        runners=costs(trial.runners.items()),
        chosen=chosen,
    )


def costs(counts: Iterable[tuple[bytes, Count]]) -> tuple[RunnerCost, ...]:
    """By runner, in the order in which they were tried."""
    sums: dict[bytes, Count] = {}
    for runner, count in counts:
        total = sums.setdefault(runner, Count())
        total.profilings += count.profilings
        total.tried += count.tried
        total.skipped += count.skipped
        total.unfit += count.unfit
        total.seconds += count.seconds
        total.timed = total.timed or count.timed
    return tuple(
        RunnerCost(
            decode(runner),
            total.profilings,
            total.tried,
            total.skipped,
            total.unfit,
            round(total.seconds, 9) if total.timed else None,
        )
        for runner, total in sums.items()
    )
