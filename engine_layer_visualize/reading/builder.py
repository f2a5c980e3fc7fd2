"""Reads what the builder says of layers and of itself, also of the DLA."""

from __future__ import annotations

import re
from operator import attrgetter
from typing import Final

from engine_layer_visualize.core.build_info import Pass, Sparsity, Total
from engine_layer_visualize.core.layer_facts import Memory, Step
from engine_layer_visualize.core.numbers import lazy
from engine_layer_visualize.io.source import decode
from engine_layer_visualize.reading.autotuning import Autotuning
from engine_layer_visualize.reading.markers import Stretch
from engine_layer_visualize.reading.severe import Severe

# ---- reads which layers the builder puts on the DLA, and why others run on the GPU --------------

_MOST: Final = 100_000  # names of one kind
_LONGEST_REASON: Final = 500  # characters
# A name behind the mark; of the GPU with the type of the network's layer.
# e.g. (8-) [I] [TRT] [DlaLayer] {ForeignNode[conv1...pool1]}
# e.g. (8-) [I] [TRT] [GpuLayer] CONVOLUTION: conv2
_ON_DLA: Final = b"[DlaLayer] "
_ON_GPU: Final = b"[GpuLayer] "
# e.g. (8-) [I] [TRT] [GpuLayer] CONCATENATION: cat
_TYPE: Final = lazy(r"[A-Z_0-9]{1,40}: ")
# Marks of lines that say why a layer is not on the DLA.
_MARKS: Final = (
    b"Unsupported on DLA. ",
    b"Validation failed for DLA layer: ",
    b" is not supported on DLA, ",
    b" subgraphs per DLA core",
    b"Splitting DLA subgraph at: ",
    b": DLA only supports ",
)
# e.g. (8-) [W] [TRT] Layer 'cat' (CONCATENATION): Unsupported on DLA. Switching this layer's device
# e.g. (8-) [W] [TRT] Validation failed for DLA layer: cat. Switching to GPU fallback.
# e.g. (8-) [W] [TRT] Default DLA is enabled but layer cat is not supported on DLA, falling back to
# e.g. (8-) [W] [TRT] DLA supports only 8 subgraphs per DLA core. Switching to GPU for layer cat
# e.g. (8-) [W] [TRT] Splitting DLA subgraph at: cat because DLA validation failed.
# e.g. (8-) [W] [TRT] cat: DLA only supports concatenation on the C dimension.
_REASON: Final = lazy(
    r"Layer '(.*)' \([A-Z_0-9]{1,40}\): Unsupported on DLA\.|for DLA layer: (.*)\. Switching to GPU"
    r"|Default DLA is enabled but layer (.*) is not supported|Switching to GPU for layer (.*)"
    r"|DLA subgraph at: (.*) because |(?:.*\] )?(.*): DLA only supports "
)
# e.g. (8-) [W] [TRT] DLA supports only 8 subgraphs per DLA core. Switching to GPU for layer cat
_LIMIT: Final = lazy(r"DLA supports only (\d{1,6}) subgraphs per DLA core")


class Dla:
    """What the log says of the DLA.

    Attributes:
        on_dla: names of what runs there, each a subgraph or one layer, with the log's line.
        on_gpu: names of layers of the network that run on the GPU.
        reasons: why a layer of the network is not on the DLA, and the log's line.
        limit: how many subgraphs a core takes; None where the log does not say.
    """

    def __init__(self) -> None:
        self.on_dla: dict[str, int] = {}
        self.on_gpu: dict[str, int] = {}
        self.reasons: dict[str, tuple[str, int]] = {}
        self.limit: int | None = None

    def __bool__(self) -> bool:
        return bool(self.on_dla or self.on_gpu or self.reasons)

    def joined(self, after: Dla) -> Dla:
        """Both as one. Where only one can count, `after` does."""
        both = Dla()
        both.on_dla = {**self.on_dla, **after.on_dla}
        both.on_gpu = {**self.on_gpu, **after.on_gpu}
        both.reasons = {**self.reasons, **after.reasons}
        both.limit = after.limit or self.limit
        return both

    def read(self, stretch: Stretch) -> None:
        """Takes in the next lines."""
        if all(stretch.find(mark) < 0 for mark in (b"DLA", _ON_DLA, _ON_GPU)):
            return
        for mark, names in ((_ON_DLA, self.on_dla), (_ON_GPU, self.on_gpu)):
            for words, _, line in stretch.marked(mark):
                if len(names) < _MOST:
                    names.setdefault(_TYPE.sub("", decode(words).strip(), count=1), line)
        for mark in _MARKS:
            for words, before, line in stretch.marked(mark):
                text = decode(before + mark + words).strip()
                match = _REASON.search(text)
                if match is None or len(self.reasons) >= _MOST:
                    continue
                reason = text[match.start() :].rpartition("[TRT] ")[2][:_LONGEST_REASON]
                self.reasons.setdefault(match[match.lastindex or 1], (reason, line))
                if limit := _LIMIT.search(text):
                    self.limit = int(limit[1])


# ---- reads what the builder says of layers and of itself: memory, fusions, precision, pass ------

# An `Attempt` has what one attempt to build said, outside of its timings.


_MOST_NAMES: Final = 100_000  # names of one kind; a network has some thousands
_MOST_TOTALS: Final = 64
_LONGEST_PASS: Final = 110  # bytes: `After ` and a name
_LONGEST_NOTE: Final = 500  # characters

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
# e.g. (8-) Skipped printing memory information for 12 layers with 0 memory size
_ZERO: Final = lazy(rb"(\d{1,9}) layers with 0")
# e.g. (8-) Total Host Persistent Memory: 1664
# e.g. (8-) Max Scratch Memory: 0
_TOTAL: Final = lazy(
    rb"(?:Total|Max) (Activation|Weights|Host Persistent|Device Persistent|Scratch) Memory: (\d+)"
)
# e.g. (8-) Peak memory usage of TRT CPU/GPU memory allocators: CPU 1 MiB, GPU 20 MiB
_PEAK: Final = lazy(rb"TRT CPU/GPU memory allocators: CPU (\d{1,9}) MiB, GPU (\d{1,9}) MiB")
# e.g. (all) After vertical fusions: 12 layers
# e.g. (all) Original: 25 layers
_PASS: Final = lazy(rb"(?:After ([\w -]{1,80}): |(Original): )(\d{1,9}) layers")
# e.g. (10) (Sparsity) Found 2 layer(s) eligible to use sparse tactics: a, b
# e.g. (10) (Sparsity) Chose 0 layer(s) using sparse tactics:
# e.g. (10) (foreignNode) (Sparsity) Found 1 layer(s) eligible to use sparse tactics: c
_SPARSE: Final = lazy(rb"(Found|Chose) (\d{1,9}) layer")
# e.g. (8) (Sparsity) Layers eligible for sparse math: a, b
# e.g. (8) (Sparsity) TRT inference plan picked sparse implementation for layers: a
_SPARSE_NAMES: Final = lazy(rb"(Layers eligible|TRT inference plan picked)[^:]{1,60}:(.*)")
# What stands before `Fusing a with b` (from 7 on): `[V] [TRT] ConvReluFusion: `
_RULE: Final = lazy(rb"(\w{1,80}): \Z")
# The name of a step, what its line begins with, what also stands in it.
_OTHER_STEPS: Final = (
    ("Merging", b"Merging layers: ", b""),
    ("Replacing", b"Replacing slice ", b" with copy"),
    ("Convert", b"Convert layer type of ", b" from "),
    ("Swap", b"Swap the layer type of ", b" from "),
)


class Attempt:
    """What the log says of one attempt to build a network: layers, memory, passes, timings.

    TensorRT 10 may build a network in several ways before it lists the engine that it kept.
    `strategy`, `inference_ms`, `kept`: as `strategies` reads them, None where the log does not say;
    `seconds`: what `Engine generation completed` tells, None where it was not completed; `timed`:
    the lines of the timings; `severe`: warnings and errors.
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
        self.memory_lines = 0
        self.zero: tuple[int, int] | None = None  # layers left out, they need none; the line
        self.totals: dict[str, Total] = {}
        self.peak: tuple[int, int] | None = None  # MiB: CPU, GPU
        self.passes: list[Pass] = []
        self.steps: list[Step] = []
        self.lost_steps = 0  # beyond what is kept
        self.notes: dict[str, tuple[str, int]] = {}  # on precision
        self.sparsity: Sparsity | None = None
        # Eligible (True) and chosen layers: how many, on which line; of ForeignNodes, by its words.
        self._sparse_layers: dict[bool, tuple[int, int]] = {}
        self._sparse_pieces: dict[bool, dict[bytes, int]] = {True: {}, False: {}}
        self.dla = Dla()
        self.kernels: list[tuple[bytes, int]] = []  # `… NAME Set Tactic Name: …`

    def __bool__(self) -> bool:
        return bool(self.memory or self.totals or self.passes or self.steps or self.tuning)

    def joined(self, after: Attempt) -> Attempt:
        """Both as one. Where only one can count, `after` does."""
        both = Attempt(after.strategy)
        both.tuning = after.tuning or self.tuning
        both.timed = self.timed + after.timed
        both.severe = self.severe.joined(after.severe)
        both.memory = {**self.memory, **after.memory}
        both.memory_lines = self.memory_lines + after.memory_lines
        both.zero = after.zero or self.zero
        both.totals = {**self.totals, **after.totals}
        both.peak = after.peak or self.peak
        both.passes = self.passes + after.passes
        both.steps = self.steps + after.steps
        both.lost_steps = self.lost_steps + after.lost_steps
        both.notes = {**self.notes, **after.notes}
        both.sparsity = after.sparsity or self.sparsity
        both.dla = self.dla.joined(after.dla)
        both.kernels = self.kernels + after.kernels
        return both

    def read(self, stretch: Stretch) -> None:
        """Takes in the next lines."""
        self.dla.read(stretch)
        self._read_memory(stretch)
        self.read_peak(stretch)
        self._read_steps(stretch)
        for words, before, line in stretch.marked(b" layers"):
            match = _PASS.search(before[-_LONGEST_PASS:] + b" layers")
            if match and not words.strip() and len(self.passes) < _MOST_NAMES:
                name = (match[1] or match[2]).decode()
                self.passes.append(Pass(name, int(match[3]), line))
        for words, _, line in stretch.marked(b"For layer "):
            name, is_note, rest = decode(words).partition(" a non-conforming implementation ")
            if is_note and len(self.notes) < _MOST_NAMES:
                note = f"a non-conforming implementation {rest}"
                self.notes[name] = note[:_LONGEST_NOTE], line
        for _, before, line in stretch.marked(b" Set Tactic Name: "):
            if len(self.kernels) < _MOST_NAMES:
                layer = before.rsplit(b" (", 1)[0] if before[-1:] == b")" else before
                self.kernels.append((layer, line))
        for words, before, line in stretch.marked(b"(Sparsity) "):
            self._sparse(words, before, line)

    def read_peak(self, stretch: Stretch) -> None:
        """Reads the peak of memory."""
        for words, _, _ in stretch.marked(b"Peak memory usage of "):
            if match := _PEAK.match(words):
                self.peak = int(match[1]), int(match[2])

    def _read_memory(self, stretch: Stretch) -> None:
        for words, _, line in stretch.marked(b"Layer: "):
            match = _MEMORY.fullmatch(decode(words))
            if match is None:
                continue
            name, weights = match[1], None
            if "HostPersistent" in match[0] and (old := _WEIGHTS.fullmatch(name)):
                name, weights = old[1], int(old[2])
            scratch = None if match[4] is None else int(match[4])
            self.memory_lines += 1
            if len(self.memory) < _MOST_NAMES:
                self.memory[name] = Memory(int(match[2]), int(match[3]), scratch, weights), line
        for words, before, line in stretch.marked(b" Memory: "):
            total = _TOTAL.search(before[-40:] + b" Memory: " + words[:24])
            if total is not None and len(self.totals) < _MOST_TOTALS:
                name = total[1].decode()
                self.totals[name] = Total(name, int(total[2]), line)
        for words, _, line in stretch.marked(b"Skipped printing memory information for "):
            if zero := _ZERO.match(words):
                self.zero = int(zero[1]), line

    def _sparse(self, words: bytes, before: bytes, line: int) -> None:
        """How many layers could run sparse tactics, and how many do. Older versions name them."""
        if match := _SPARSE.match(words):
            first, number = match[1] == b"Found", int(match[2])
        elif match := _SPARSE_NAMES.match(words):
            first = match[1].startswith(b"Layers")
            number = len([name for name in match[2].split(b", ") if name.strip()])
        else:
            return
        if before.endswith(b"(foreignNode) "):
            if len(self._sparse_pieces[first]) < _MOST_NAMES:
                self._sparse_pieces[first][words] = number
        else:
            self._sparse_layers[first] = number, line
        eligible, chosen = self._sparse_layers.get(True), self._sparse_layers.get(False)
        inside, picked = (sum(self._sparse_pieces[each].values()) for each in (True, False))
        known = chosen is not None and (not inside or bool(self._sparse_pieces[False]))
        self.sparsity = Sparsity(
            eligible[0] + inside if eligible else inside or None,
            chosen[0] + picked if chosen is not None and known else None,
            eligible[1] if eligible else line if inside else None,
        )

    # ---- steps of the optimiser --------------------------------------------------------------

    def _read_steps(self, stretch: Stretch) -> None:
        steps: list[Step] = []
        for words, before, line in stretch.marked(b"Fusing "):
            rule = _RULE.search(before[-82:])
            begins = rule is not None or before[-2:] == b"] "  # up to TensorRT 6 no rule is named
            if begins and b"Layer: " not in before and b" with " in words:
                name = "" if rule is None else rule[1].decode()
                text = f"{name}: Fusing {decode(words)}".removeprefix(": ")
                steps.append(Step(name or "Fusing", text, line))
        for words, before, line in stretch.marked(b"Removing "):
            if before[-1:] in b"] \t-" and b"Layer: " not in before:
                steps.append(Step("Removing", f"Removing {decode(words)}", line))
        for rule_name, mark, within in _OTHER_STEPS:
            for words, _, line in stretch.marked(mark):
                if within in words:
                    steps.append(Step(rule_name, f"{decode(mark)}{decode(words)}", line))
        left = _MOST_NAMES - len(self.steps)
        self.steps += sorted(steps, key=attrgetter("line"))[:left]
        self.lost_steps += max(0, len(steps) - left)
