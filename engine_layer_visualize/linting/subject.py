"""Answers what several rules ask of an engine: `Subject` is an engine as rules see it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from math import isfinite

from engine_layer_visualize.analysis import origin, trtexec
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.kinds import is_reformat
from engine_layer_visualize.analysis.origin import Frontend
from engine_layer_visualize.analysis.peaks import lacks_tensor_cores
from engine_layer_visualize.analysis.reformat_reasons import Reason
from engine_layer_visualize.analysis.work import LAUNCH, EngineWork, LayerWork, needed_ms
from engine_layer_visualize.core.build_info import EngineFacts, Message, Option
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.core.text import count, milliseconds, percent, plural
from engine_layer_visualize.core.words import Name, Words, joined
from engine_layer_visualize.linting.engines import WholeEngine, at_most, ratio
from engine_layer_visualize.linting.finding import SHORTEST_MS, Evidence, Finding, Rule
from engine_layer_visualize.linting.layers import LayersOfEngine
from engine_layer_visualize.trt.kernels import architecture
from engine_layer_visualize.trt.names import without_profile

_MOST_NAMES = 3  # layers whose names stand in a sentence
# cap on the fraction of a device's peak: no more is expected of kernels for tensor cores
_REACHED = 0.6
# e.g. No implementation of layer a obeys the requested constraints in strict mode.
_NO_IMPLEMENTATION = re.compile(
    r"No implementation of layer (.*) (obeys the requested constraints.*)", re.DOTALL
)
_NO_FACTS = EngineFacts()


class Subject(LayersOfEngine):
    """An engine in one optimisation profile, as rules see it.

    Attributes:
        facts: build info, empty where it was not read.
    """

    def __init__(self, costs: Costs, whole: WholeEngine | None = None) -> None:
        super().__init__(costs, whole)
        self.facts: EngineFacts = costs.engine.facts or _NO_FACTS

    # ---- the whole engine --------------------------------------------------------------------

    @cached_property
    def total(self) -> float | None:
        """The sum of the layers' times in ms; None where nothing is known."""
        return self.costs.total

    @property
    def frontend(self) -> Frontend:
        """What the network was made from, and the words for it and its nodes."""
        return origin.frontend_of(self.costs)

    @cached_property
    def multiplying(self) -> tuple[Layer, ...]:
        """Convolutions, deconvolutions and matrix products."""
        return tuple(layer for layer in self.layers if self.multiplies(layer))

    @cached_property
    def convolving(self) -> tuple[Layer, ...]:
        """Convolutions and deconvolutions."""
        return tuple(la for la in self.multiplying if self.operation(la) != "product")

    @cached_property
    def reformats(self) -> tuple[Layer, ...]:
        """Layers that only change a type or a format."""
        return tuple(layer for layer in self.layers if is_reformat(layer))

    @cached_property
    def reasons(self) -> Mapping[int, Reason]:
        """What each reformat of the profile changes, and for whom, by the layer's index."""
        every = self._whole.reasons
        return {la.index: every[la.index] for la in self.reformats if la.index in every}

    def work(self, layer: Layer) -> LayerWork:
        """Returns what a layer computes and moves, and the time that no kernel can beat."""
        return self._whole.work.timed(layer)

    @property
    def all_work(self) -> EngineWork:
        """What each layer computes and moves."""
        return self._whole.work

    def saved_together(self, layers: Iterable[Layer], dtypes: Iterable[str] = ()) -> float | None:
        """Returns the sum of `saved`; None where nothing is known to be saved."""
        wanted = tuple(dtypes)
        return sum(self.saved(layer, wanted) or 0.0 for layer in layers) or None

    def saved(self, layer: Layer, dtypes: Iterable[str] = ()) -> float | None:
        """Returns the ms that another kernel could save, in one of these types or the present one.

        It assumes one launch, and the efficiency of this engine's best layer. None where that is
        unknown, and for a short layer.
        """
        ms, now, peak = self.ms(layer), self.dtype(layer) or "", self.all_work.peak
        needed = needed_ms(self.work(layer), now, dtypes, peak)
        if ms is None or ms < SHORTEST_MS or needed is None:
            return None
        took = max(ms / rate for ms, rate in zip(needed, self._reached))
        return max(0.0, ms - took - LAUNCH)

    @cached_property
    def _reached(self) -> tuple[float, float]:
        """The most of the device's multiplications, and of its bandwidth, that a layer reaches."""
        best = {"compute": 0.0, "memory": 0.0}
        for layer in self.layers:
            done = self.work(layer)
            if done.bound_by in best and (self.ms(layer) or 0.0) >= SHORTEST_MS:
                best[done.bound_by] = max(best[done.bound_by], done.efficiency or 0.0)
        return min(_REACHED, best["compute"] or 1.0), min(1.0, best["memory"] or _REACHED)

    @cached_property
    def version(self) -> tuple[int, ...] | None:
        """TensorRT's version, such as (8, 5, 1); None where the log does not say."""
        return trtexec.version_of(self.engine)

    @cached_property
    def compute_capability(self) -> tuple[int, int] | None:
        """The device's compute capability, such as (8, 6); None where the log does not say."""
        words = self.facts.device.compute_capability if self.facts.device is not None else None
        match = re.match(r"(\d+)\.(\d+)", words or "")
        return (int(match[1]), int(match[2])) if match else None

    @cached_property
    def capability(self) -> tuple[int, int] | None:
        """The least compute capability that the device has; None where nothing tells.

        It is the log's, else that of the newest kernel that runs.
        """
        if self.compute_capability is not None:
            return self.compute_capability
        kernels = (layer.kernel for layer in self.layers)
        return max(filter(None, map(architecture, filter(None, kernels))), default=None)

    @property
    def is_strongly_typed(self) -> bool:
        """Whether the log says that the types of the network were obeyed."""
        return bool(self.facts.strongly_typed)

    @property
    def has_types_of_model(self) -> bool:
        """Whether the network's inputs and outputs have the types of the model: from 11 on."""
        return (self.version or ()) >= (11,)

    def can_add(self, flag: str) -> bool:
        """Whether a flag of trtexec would change the run: it is not on, and the version has it."""
        return trtexec.can_add(self.engine, flag)

    @property
    def lacks_tensor_cores(self) -> bool:
        """Whether the device has none, by its name; its compute capability may tell that, too."""
        device = self.facts.device
        return device is not None and lacks_tensor_cores(device.name or "")

    @property
    def of_all(self) -> str:
        """What a share of the time is a fraction of, in words.

        Where the listing lacks layers and no profile has them, that is the listed layers' time;
        where the layers sum to more than an inference, and are scaled to it, that.
        """
        if ratio(self.profiled) < 1:
            return "of an inference"
        whole = self.engine.source.complete or self.costs.rows_beyond
        return "of all" if whole else "of the listed layers' time"

    def share_of(self, layer: Layer) -> str:
        """Returns what a layer's share is a fraction of, in words."""
        words = self.costs.share_of(layer)
        return self.of_all if words == "of all" else words

    def option(self, key: str, section: str = "") -> Option | None:
        """Returns the option of trtexec with this name; None where the log has none."""
        for option in self.facts.options:
            if option.key == key and section in ("", option.section):
                return option
        return None

    @property
    def has_more_warnings(self) -> bool:
        """Whether the log has more warnings than `facts` hold."""
        held = sum(message.severity == "warning" for message in self.facts.messages)
        return (self.facts.warnings or 0) > held

    @property
    def precision_option(self) -> list[Evidence]:
        """The precisions that trtexec was allowed; empty where the log has no options."""
        option = self.option("Precision")
        return [] if option is None else [Evidence(f"Precision: {option.value}", option.line)]

    def said(
        self, words: re.Pattern[str], building: bool = False
    ) -> Iterator[tuple[Message, re.Match[str]]]:
        """Yields the log's warnings and errors in which the pattern is found.

        Args:
            words: the pattern.
            building: only messages before the listing count; messages after the listing may belong
                to the next build.
        """
        listed = self.engine.source.first_line
        for message in self.facts.messages:
            if building and message.line > listed:
                continue
            if match := words.search(message.text):
                yield message, match

    def lines(self, words: re.Pattern[str], building: bool = False) -> list[Evidence]:
        """Returns what `said` gives as evidence."""
        return [Evidence(message.text, message.line) for message, _ in self.said(words, building)]

    @cached_property
    def precision_notes(self) -> Mapping[int, Evidence]:
        """What the log says of layers that run in another precision than was asked for."""
        notes: dict[int, Evidence] = {}
        for layer in self.layers:
            if note := self.known(layer).precision_note:
                line = dict(self.known(layer).lines).get("precision_note")
                notes[layer.index] = Evidence(note, line)
        for message, match in self.said(_NO_IMPLEMENTATION):
            if (named := self._by_name.get(without_profile(match[1]))) is not None:
                notes.setdefault(
                    named.index, Evidence(f"no implementation {match[2]}", message.line)
                )
        return notes

    # ---- findings ----------------------------------------------------------------------------

    def finding(
        self,
        rule: Rule,
        layers: Iterable[Layer],
        why: Words,
        advice: str,
        evidence: Iterable[Evidence] = (),
        *,
        ms: float | None = None,
        part: float | None = None,
        about: Iterable[Layer] = (),
    ) -> Finding:
        """Returns what a rule saw, with the time that can be saved.

        That time is never more than the layers take, nor than an inference takes.

        Args:
            rule: the rule.
            layers: the layers that it is about; none: the whole engine.
            why: a sentence with the names apart.
            advice: what to try.
            evidence: what it rests on; none: the records of the layers.
            ms: the time that can be saved.
            part: that time as a part of the layers' time, where `ms` is None.
            about: layers that it mentions without counting their time.

        Raises:
            ValueError: `ms` is no finite number.
        """
        if ms is not None and not isfinite(ms):
            raise ValueError(f"ms is {ms}")
        unique = tuple({layer.index: layer for layer in layers}.values())
        whole = self.costs.sum(unique)
        stake = None if unique else ms
        if ms is None and part is None:
            stake = None
        elif whole is not None:
            stake = whole * (part or 0.0) if ms is None else max(0.0, min(ms, whole))
        stake = None if stake is None else at_most(stake, self.costs)
        given = tuple(evidence) or tuple(self.record(layer) for layer in unique[:_MOST_NAMES])
        kind = None if stake is None else self.costs.kind
        found = Finding(rule, tuple(la.index for la in unique), stake, why, advice, given, kind)
        return found._replace(about=tuple(sorted(layer.index for layer in about)))

    def shared(
        self, rule: Rule, layers: Sequence[Layer], least_share: float, what: str, advice: str
    ) -> Iterator[Finding]:
        """Yields a finding where layers together take more than a share of the engine's time.

        Args:
            rule: the rule.
            layers: the layers.
            least_share: from 0 to 1; there is none up to it, or where too little time is known.
            what: the word for one of the layers.
            advice: what to try.
        """
        timed = [layer for layer in layers if self.ms(layer)]
        ms, whole = self.costs.sum(timed), self.costs.whole
        if ms is None or not whole or ms <= least_share * whole or not self.costs.ranked:
            return
        took = f"{plural(len(timed), 'takes', 'take')} {milliseconds(ms)}, {percent(ms / whole)}"
        took += f" {self.of_all}"
        timed.sort(key=lambda layer: -(self.ms(layer) or 0.0))
        why = (f"{count(len(timed), what)} {took}: ", *self.names(timed))
        yield self.finding(rule, timed, why, advice)

    @staticmethod
    def record(layer: Layer, text: str = "") -> Evidence:
        """Returns a layer's record as evidence, with what it shows."""
        return Evidence(text or f"{layer.type} {layer.name}".strip(), layer.place.line)

    @staticmethod
    def names(layers: Sequence[Layer]) -> tuple[str | Name, ...]:
        """Returns a list of names: `conv1`, `conv2`, `conv3` and 17 more layers."""
        words = joined(", ", [("`", Name(layer.name), "`") for layer in layers[:_MOST_NAMES]])
        more = len(layers) - _MOST_NAMES
        return (*words, f" and {count(more, 'more layer')}") if more > 0 else words
