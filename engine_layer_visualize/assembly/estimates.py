"""Gives each layer the builder's timing of its tactic, and what else was tried for it.

A time belongs to a layer of that name, tactic and formats, else to an equal layer, which says so.
"""

import json
import re
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Final

from engine_layer_visualize.assembly.formats import Option, settle
from engine_layer_visualize.core import layer_facts
from engine_layer_visualize.core.limits import by_key
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.io.source import decode
from engine_layer_visualize.reading import tactics
from engine_layer_visualize.reading.build_context import Reformat
from engine_layer_visualize.reading.tactics import Timed, Trial
from engine_layer_visualize.trt import names as layer_names

_REFORMAT: Final = re.compile(layer_names.OPTIMIZER_REFORMAT + r"\((.*) -> (.*)\)", re.DOTALL)
# Attributes in which two equal layers may differ.
_OWN: Final = ("Metadata", "StreamId", "EventId")
# These run nothing: the time of the copy that was avoided is not theirs.
_IDLE: Final = ("noop", "constant")


def tuned(
    layers: Sequence[Layer],
    names: Mapping[str, Sequence[int]],
    trials: Mapping[bytes, Trial],
    reformats: Mapping[str, Reformat],
) -> tuple[dict[int, Trial], dict[int, Option]]:
    """The autotuning of each layer, and the timing that is the layer's.

    `names`: the layers of a name; `trials`: of the attempt that the engine came from; `reformats`:
    those that were added, by the tensor that is new.
    """
    readers, writers = _reformatted(layers, reformats)
    of_layer: dict[int, Trial] = {}
    options: dict[int, list[Option]] = {}
    for printed, trial in trials.items():
        name = decode(printed)
        indices = names.get(name, ())
        if not indices and (match := _REFORMAT.fullmatch(name)):
            places = dict.fromkeys(readers.get(match[1], []) + writers.get(match[2], []))
            indices = [index for index in places if _options(layers[index], trial)]
        for index in indices:
            of_layer[index] = trial
            options[index] = _options(layers[index], trial)
    busy = [layer for layer in layers if layer.type.casefold() not in _IDLE]
    waiting = [la for la in busy if la.tactic is not None and not options.get(la.index)]
    options |= _of_equal(layers, waiting, options)
    settled: dict[int, Option] = {}
    for index, left in settle(layers, options, _of_ends(layers, trials)).items():
        certain = len({option.chosen.ms for option in left}) == 1
        if certain and layers[index].type.casefold() not in _IDLE:
            settled[index] = left[0]
    by_change = by_key((changed, (name, trial)) for name, trial, changed, _ in _reformats(trials))
    for layer in filter(_change, waiting):  # a reformat takes the time of one that changes the same
        for name, trial in by_change.get(_change(layer) or "", ()):
            if several := _options(layer, trial):
                fastest = min(several, key=lambda option: option.chosen.ms)
                settled[layer.index] = fastest._replace(measured_on=name)
                break
    return of_layer, settled


def _of_equal(
    layers: Sequence[Layer], waiting: Sequence[Layer], options: Mapping[int, Sequence[Option]]
) -> dict[int, list[Option]]:
    """The timings of equal layers, for layers that were not timed.

    The builder times equal layers once. They may run in other formats: any of those timings may be
    theirs.
    """
    timed: dict[Hashable, list[Option]] = {}
    for index, several in options.items() if waiting else ():
        if several:
            layer = layers[index]
            lent = [option._replace(measured_on=layer.name) for option in several]
            timed.setdefault(_likeness(layer), []).extend(lent)
    return {
        layer.index: equal
        for layer in (waiting if timed else ())
        if _change(layer) is None and (equal := timed.get(_likeness(layer), []))
    }


def _of_ends(layers: Iterable[Layer], trials: Mapping[bytes, Trial]) -> dict[str, set[str]]:
    """The formats that the network's inputs and outputs may have, as printed.

    The builder times reformats from each format that an input has, and to each that an output has.
    """
    read = {tensor.name for layer in layers for tensor in layer.inputs}
    written = {tensor.name for layer in layers for tensor in layer.outputs}
    formats: dict[str, set[str]] = {}
    for name, _, change, _ in _reformats(trials):
        if match := _REFORMAT.fullmatch(name):
            source, _, target = change.partition(" where ")[0].partition(" -> ")
            if match[1] in read and match[1] not in written:
                formats.setdefault(match[1], set()).add(source)
            if match[2] in written and match[2] not in read:
                formats.setdefault(match[2], set()).add(target)
    return formats


def _reformats(trials: Mapping[bytes, Trial]) -> Iterator[tuple[str, Trial, str, float]]:
    """The reformats that the autotuner timed: name, trial, what it changes, ms."""
    for printed, trial in trials.items():
        if (name := decode(printed)).startswith(layer_names.OPTIMIZER_REFORMAT):
            for chosen in trial.chosen.values():
                yield name, trial, decode(chosen.formats), chosen.ms


def reformat_times(trials: Mapping[bytes, Trial]) -> dict[str, float]:
    """The fastest ms of each change of a format that was timed."""
    fastest: dict[str, float] = {}
    for _, _, change, ms in _reformats(trials):
        fastest[change] = min(ms, fastest.get(change, ms))
    return fastest


def _change(layer: Layer) -> str | None:
    """What a reformat changes, `Half(8,1) -> Float(8,1)`; None of another layer."""
    attributes = dict(layer.attributes)
    if "ReformatFrom" not in attributes:
        return None
    return f"{attributes['ReformatFrom']} -> {attributes.get('ReformatTo')}"


def _likeness(layer: Layer) -> Hashable:
    """A key that is the same for equal layers."""
    both = (layer.inputs, layer.outputs)
    tensors = [tuple((t.dtype, t.dims, t.format, t.strides) for t in side) for side in both]
    attributes = {key: value for key, value in layer.attributes if key not in _OWN}
    return layer.type, layer.tactic, *tensors, json.dumps(attributes, sort_keys=True)


def _reformatted(
    layers: Sequence[Layer], added: Mapping[str, Reformat]
) -> tuple[dict[str, list[int]], dict[str, list[int]]]:
    """The reformats of the engine, by the tensors that they read, and by those that they write.

    The listing may call the network's tensor otherwise than the lines of the autotuning: it stands
    under both names, the other of which is that in the line that adds the reformat.
    """
    readers: dict[str, list[int]] = {}
    writers: dict[str, list[int]] = {}
    for layer in filter(_change, layers):
        read, written = ([t.name for t in side] for side in (layer.inputs, layer.outputs))
        sources = [added[name].tensor for name in written if name in added]
        targets = [added[name].tensor for name in read if name in added]
        for by_tensor, tensors in ((readers, read + sources), (writers, written + targets)):
            for tensor in dict.fromkeys(tensors):
                by_tensor.setdefault(tensor, []).append(layer.index)
    return readers, writers


def _options(layer: Layer, trial: Trial) -> list[Option]:
    """The timings of the layer's tactic; of a reformat, those between its strides."""
    own = layer.tactic
    wanted = tactics.tactic_number(own.encode("utf-8", "replace")) if own is not None else None
    change = _change(layer)
    options = []
    for chosen in trial.chosen.values():
        formats, timed = decode(chosen.formats), tactics.tactic_number(chosen.tactic)
        if change is None:
            fits = wanted is not None and timed == wanted
        else:
            fits = formats == change and (wanted is None or timed in (wanted, None))
        if fits:
            options.append(Option(formats, chosen))
    return options


def candidates(
    layer: Layer, trial: Trial | None, option: Option | None, kernels: tactics.Kernels
) -> layer_facts.Candidates:
    """What the autotuner tried for a layer. `option`: the timing that is the layer's."""
    if trial is None:
        return layer_facts.Candidates()

    def candidate(timed: Timed) -> layer_facts.Candidate:
        tactic, runner, formats = map(decode, timed[1:4])
        is_layers = tactic == layer.tactic and layer.kernel is not None
        kernel = layer.kernel if is_layers else kernels.of(layer.name, tactic)
        return layer_facts.Candidate(kernel, tactic, timed.ms, runner, formats or None)

    counts = trial.runners.values()
    beside = min((count.fastest for count in counts if count.skipped), default=tactics.HOPELESS)
    return layer_facts.Candidates(
        tried=sum(count.tried for count in counts),
        skipped=sum(count.skipped for count in counts),
        skipped_by=tuple((decode(count.name), count.skipped) for count in counts if count.skipped),
        scratch=max((count.scratch for count in counts), default=0) or None,
        beside=beside if beside < tactics.HOPELESS else None,
        cached=trial.cached,
        best=tuple(map(candidate, trial.best)),
        chosen=candidate(option.chosen) if option and option.measured_on is None else None,
        combinations=tuple(map(candidate, _combinations(trial))),
    )


def inside(
    layer: Layer, trial: Trial | None, option: Option | None, trials: Mapping[bytes, Trial]
) -> tuple[layer_facts.InsideOperation, ...]:
    """The operations inside a ForeignNode, in the formats that were chosen.

    The builder times equal ones once: in a later optimisation profile they are those of the first.
    """
    if trial is None or option is None or option.measured_on is not None:
        return ()
    first = trials.get(layer_names.without_profile(layer.name).encode("utf-8", "replace"), trial)
    by_formats = {decode(formats): each for formats, each in (trial.inside or first.inside).items()}
    return tuple(
        layer_facts.InsideOperation(
            decode(one.name),
            layer_names.onnx_nodes(decode(one.nodes)),
            one.ms if one.kernel else None,
            decode(one.kernel) or None,
            one.tactics,
            one.line,
        )
        for one in by_formats.get(option.formats, ())
    )


def _combinations(trial: Trial) -> list[Timed]:
    """The fastest choice for each format combination, as `Trial.best` has them."""
    fastest: dict[bytes, Timed] = {}
    for chosen in trial.chosen.values():
        if chosen.formats not in fastest or chosen.ms < fastest[chosen.formats].ms:
            fastest[chosen.formats] = chosen
    return sorted(fastest.values(), key=itemgetter(0))
