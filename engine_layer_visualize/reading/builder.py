"""Reads what the builder says of layers and of itself, also of the DLA; warnings and errors."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from operator import attrgetter
from typing import Final

from engine_layer_visualize.core import limits
from engine_layer_visualize.core.build_info import Message, Pass, Total
from engine_layer_visualize.core.layer_facts import Memory, Step
from engine_layer_visualize.core.limits import lazy
from engine_layer_visualize.core.problems import Severity
from engine_layer_visualize.io.source import decode, line_end, line_start
from engine_layer_visualize.reading.autotuning import Autotuning
from engine_layer_visualize.reading.hosts import HARMLESS, MARKS, PREFIX, TRT
from engine_layer_visualize.reading.markers import PASS, UNHELD, Line, Stretch, Told, line

# ---- warnings and errors -------------------------------------------------------------------------

_SEVERITIES: Final[tuple[tuple[bytes, Severity], ...]] = ((b"W", "warning"), (b"E", "error"))
_WORDS_OF_KIND: Final = 3  # its first words
# A VERBOSE line behind a warning, which names what it is about.
_LIST: Final = b"List of affected weights: "


class Severe(Told):
    """Warnings and errors: `counts` of all, and those that are kept, in the log's order."""

    def __init__(self) -> None:
        self.kept: list[Message] = []
        self.counts: Counter[Severity] = Counter()
        self._kinds: Counter[tuple[str, ...]] = Counter()

    def add(self, message: Message) -> None:
        """Counts a message.

        A calibration prints hundreds of one kind, and trtexec's own warnings come after them: so a
        few of each later kind are kept.
        """
        self.counts[message.severity] += 1
        if self.counts[message.severity] <= limits.MESSAGES or self._is_new(message):
            self.kept.append(message)

    def _is_new(self, message: Message) -> bool:
        kind = (message.severity, *message.text.split(maxsplit=_WORDS_OF_KIND)[:_WORDS_OF_KIND])
        if kind not in self._kinds and len(self._kinds) == limits.KINDS:
            return False
        self._kinds[kind] += 1
        return self._kinds[kind] <= limits.OF_KIND


def messages(stretch: Stretch) -> list[Message]:
    """The warnings and errors, in the log's order."""
    found = (one for kind in _SEVERITIES for one in _of_severity(*kind, stretch))
    return sorted(found, key=attrgetter("line"))


def _of_severity(letter: bytes, severity: Severity, stretch: Stretch) -> Iterator[Message]:
    data, place = stretch.data, stretch.begin
    marks = [(mark, mark.index(letter)) for mark in MARKS[letter]]
    begins = tuple(mark[at : at + 2] for mark, at in marks)
    # A rare letter is found at the memory's speed, a pattern at a tenth of it.
    while (place := data.find(letter, place, stretch.end)) >= 0:
        if not data.startswith(begins, place):
            place += 1
            continue
        starts = [(place - at, mark) for mark, at in marks if place - at >= stretch.begin]
        found = [(start, mark) for start, mark in starts if data.startswith(mark, start)]
        if not found:
            place += 1
            continue
        start, mark = found[0]
        place = end = line_end(data, place)
        before = data[line_start(data, start) : start]
        inside = before[-1:].isalnum() or before[-1:] in (b'"', b"'", b"_")  # a program's
        if not inside and not any(word in before for word in HARMLESS):
            words = data[start + len(mark) : end].removeprefix(TRT + b" ")
            text = decode(words[: limits.MESSAGE]).strip()
            if b"affected by this issue" in words:  # the next line names the weights
                _, head, names = data[end : line_end(data, end)].partition(_LIST)
                text += f" {decode((head + names)[: limits.WEIGHTS]).strip()}" if head else ""
            yield Message(severity, text, stretch.number(start))


# ---- layers, memory, passes, the DLA -------------------------------------------------------------

_NUMBER: Final = r" ?(\d{1,20})(?: bytes)?"
# Greedy, from its only mark in the line to the line's end: names hold anything.
# e.g. (8.0) Layer: a HostPersistent: 1664 DevicePersistent: 512
# e.g. (8.2-9) Layer: a Host Persistent: 1664 Device Persistent: 512 Scratch Memory: 0
# e.g. (10) Layer: a Host Persistent: 64 bytes Device Persistent: 8 bytes Scratch Memory: 0 bytes
_MEMORY: Final = lazy(
    rf"(.*) Host ?Persistent:{_NUMBER} Device ?Persistent:{_NUMBER}"
    rf"(?: Scratch Memory:{_NUMBER})?\s*",
    re.DOTALL,
)
# e.g. (7) Layer: a Weights: 800 HostPersistent: 1664 DevicePersistent: 512
_WEIGHTS: Final = lazy(r"(.*) Weights: (\d{1,20})", re.DOTALL)  # TensorRT 7
# e.g. (8-) Total Host Persistent Memory: 1664
# e.g. (7) Total Weight Memory: 800
# e.g. (8-) Max Scratch Memory: 0
_TOTAL: Final = lazy(
    rb"(?:Total|Max) (Activation|Weight|Host Persistent|Device Persistent|Scratch)s? Memory: (\d+)"
)
_WITH_WORKSPACE: Final = "Activation and workspace limit"
# e.g. (8-) Peak memory usage of TRT CPU/GPU memory allocators: CPU 1 MiB, GPU 20 MiB
_PEAK: Final = lazy(rb"TRT CPU/GPU memory allocators: CPU (\d{1,9}) MiB, GPU (\d{1,9}) MiB")
# e.g. (8-) [I] [TRT] [GpuLayer] CONCATENATION: cat
_TYPE: Final = lazy(r"[A-Z_0-9]{1,40}: ")
# e.g. (8-) [W] [TRT] Layer 'cat' (CONCATENATION): Unsupported on DLA. Switching this layer's device
# e.g. (8-) [W] [TRT] Validation failed for DLA layer: cat. Switching to GPU fallback.
# e.g. (8-) [W] [TRT] Default DLA is enabled but layer cat is not supported on DLA, falling back to
# e.g. (8-) [W] [TRT] DLA supports only 8 subgraphs per DLA core. Switching to GPU for layer cat
# e.g. (8-) [W] [TRT] Splitting DLA subgraph at: cat because DLA validation failed.
# e.g. (8-) [W] [TRT] cat: DLA only supports concatenation on the C dimension.
# e.g. (8-) [W] [TRT] Internal DLA error for layer cat. Switching to GPU fallback.
_REASON: Final = lazy(
    r"Layer '(.*)' \([A-Z_0-9]{1,40}\): Unsupported on DLA\.|for DLA layer: (.*)\. Switching to GPU"
    r"|Default DLA is enabled but layer (.*) is not supported|Switching to GPU for layer (.*)"
    r"|DLA error for layer (.*)\. Switching to GPU|DLA subgraph at: (.*) because "
    r"|(?:.*\] )?(.*): DLA only supports "
)
# e.g. (8-) [W] [TRT] DLA supports only 8 subgraphs per DLA core. Switching to GPU for layer cat
_LIMIT: Final = lazy(r"DLA supports only (\d{1,6}) subgraphs per DLA core")
# What stands before `Fusing a with b` (from 7 on): `[V] [TRT] ConvReluFusion: `
_RULE: Final = lazy(rb"(\w{1,80}): \Z")
# What the line of another step begins with, and what also stands in it.
_STEPS: Final = {
    b"Merging layers: ": b"",
    b"Replacing slice ": b" with copy",
    b"Convert layer type of ": b" from ",
    b"Swap the layer type of ": b" from ",
}


class Attempt(Told):
    """What the log says of one attempt to build a network: layers, memory, passes, timings.

    TensorRT 10 may build a network in several ways before it lists the engine that it kept.
    `strategy`, `inference_ms`, `kept`: as a `Strategy` has them, None where the log does not say;
    `seconds`: what `Engine generation completed` tells, None where it was not completed; `timed`:
    the lines of the timings; `severe`: warnings and errors; `on_dla`: names of what runs there,
    each a subgraph or one layer, with the log's line; `on_gpu`: of layers of the network that run
    on the GPU; `dla_reasons`: why one is not on the DLA, and the line; `dla_limit`: how many
    subgraphs a core takes, None where the log does not say.
    """

    def __init__(self, strategy: int | None = None, before: Attempt | None = None) -> None:
        self.strategy = strategy
        self.inference_ms: float | None = None
        self.kept: bool | None = None
        self.seconds: float | None = None
        self.tuning: Autotuning = Autotuning(before.tuning if before else None)
        self.timed: list[tuple[int, int]] = []
        self.severe = Severe()
        self.memory: dict[str, tuple[Memory, int]] = {}
        self.zero: tuple[int, int] | None = None  # layers left out, they need none; the line
        self.totals: dict[str, Total] = {}
        self.peak: tuple[int, int] | None = None  # MiB: CPU, GPU
        self.passes: list[Pass] = []
        self.steps: list[Step] = []
        self.precision_note: dict[str, tuple[str, int]] = {}  # by the layer's name
        self.on_dla: dict[str, int] = {}
        self.on_gpu: dict[str, int] = {}
        self.dla_reasons: dict[str, tuple[str, int]] = {}
        self.dla_limit: int | None = None

    def __bool__(self) -> bool:
        return bool(self.memory or self.totals or self.passes or self.steps or self.tuning)

    @line(b"Layer: ")
    def _held(self, line: Line) -> None:
        match = _MEMORY.fullmatch(decode(line.words))
        if match and len(self.memory) < limits.NAMES:
            name, weights = match[1], None
            if "HostPersistent" in match[0] and (old := _WEIGHTS.fullmatch(name)):
                name, weights = old[1], int(old[2])
            scratch = None if match[4] is None else int(match[4])
            self.memory[name] = Memory(int(match[2]), int(match[3]), scratch, weights), line.number

    @line(b" Memory: ")
    def _total(self, line: Line) -> None:
        total = _TOTAL.search(line.before[-40:] + line.mark + line.words[:24])
        if total is not None and len(self.totals) < limits.TOTALS:
            name = "Weights" if total[1] == b"Weight" else total[1].decode()
            # Up to 8.5 a first sum, before the others, holds the workspace's limit, too.
            if name == "Host Persistent" and (first := self.totals.pop("Activation", None)):
                self.totals[_WITH_WORKSPACE] = first._replace(name=_WITH_WORKSPACE)
            elif name == "Activation":
                self.totals.pop(_WITH_WORKSPACE, None)
            self.totals[name] = Total(name, int(total[2]), line.number)

    @line(b"Peak memory usage of ", late=True)  # TensorRT 10 prints it behind the listing
    def _peak(self, line: Line) -> None:
        if match := _PEAK.match(line.words):
            self.peak = int(match[1]), int(match[2])

    @line(b" layers")
    def _counted(self, line: Line) -> None:
        if zero := UNHELD.search(line.text):
            self.zero = int(zero[1]), line.number
            return
        text = line.text.rstrip()
        match = PASS.search(text)
        if match and match.end() == len(text) and len(self.passes) < limits.NAMES:
            name = (match[1] or match[2]).decode()
            self.passes.append(Pass(name, int(match[3]), line.number))

    @line(b"For layer ")
    def _note(self, line: Line) -> None:
        name, is_note, rest = decode(line.words).partition(" a non-conforming implementation ")
        if is_note and len(self.precision_note) < limits.NAMES:
            note = f"a non-conforming implementation {rest}"
            self.precision_note[name] = note[: limits.MESSAGE], line.number

    @line(b"Fusing ")
    def _fused(self, line: Line) -> None:
        rule = _RULE.search(line.before[-82:])
        begins = rule is not None or line.before[-2:] == b"] "  # up to TensorRT 6 none is named
        if begins and b"Layer: " not in line.before and b" with " in line.words:
            name = rule[1].decode() if rule else ""
            self._step(name or "Fusing", f"{name}: " if name else "", line)

    @line(b"Removing ")
    def _removed(self, line: Line) -> None:
        if line.before[-1:] in (b"]", b" ", b"\t", b"-") and b"Layer: " not in line.before:
            self._step("Removing", "", line)

    @line(*_STEPS)
    def _changed(self, line: Line) -> None:
        if _STEPS[line.mark] in line.words:
            self._step(decode(line.mark).partition(" ")[0], "", line)

    def _step(self, rule: str, before: str, line: Line) -> None:
        """Keeps a step of the optimiser."""
        if len(self.steps) < limits.NAMES:
            self.steps.append(Step(rule, f"{before}{decode(line.mark + line.words)}", line.number))

    # As: [DlaLayer] {ForeignNode[conv1...pool1]}
    # As: [GpuLayer] CONVOLUTION: conv2
    @line(b"[DlaLayer] ", b"[GpuLayer] ")
    def _placed(self, line: Line) -> None:
        names = self.on_dla if line.mark == b"[DlaLayer] " else self.on_gpu
        if len(names) < limits.NAMES:
            names.setdefault(_TYPE.sub("", decode(line.words).strip(), count=1), line.number)

    @line(
        *(b"Unsupported on DLA. ", b"Validation failed for DLA layer: "),
        *(b" is not supported on DLA, ", b" subgraphs per DLA core"),
        *(b"Splitting DLA subgraph at: ", b": DLA only supports "),
        b"Internal DLA error for layer ",
    )
    def _refused(self, line: Line) -> None:
        text = decode(line.text).strip()
        match = _REASON.search(text)
        if match and len(self.dla_reasons) < limits.NAMES:
            name, start = match[match.lastindex or 1], match.start(match.lastindex or 1)
            reason = PREFIX.sub("", text[:start].rpartition("[TRT] ")[2], count=1) + text[start:]
            self.dla_reasons.setdefault(name, (reason[: limits.MESSAGE], line.number))
            if limit := _LIMIT.search(text):
                self.dla_limit = int(limit[1])
