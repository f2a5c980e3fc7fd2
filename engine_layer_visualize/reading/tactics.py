"""Reads tactics: how long one took, which were skipped for want of memory, and their kernels.

What is kept does not grow with the number of lines.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from operator import itemgetter
from typing import Final, NamedTuple

from engine_layer_visualize.core import limits
from engine_layer_visualize.core.limits import LEAST, MOST, lazy
from engine_layer_visualize.io.source import line_end, line_start
from engine_layer_visualize.reading.markers import TIMING, Stretch
from engine_layer_visualize.trt.names import architecture

HOPELESS: Final = 1e30  # `inf`, or the largest float: no tactic worked


class Timed(NamedTuple):
    """A timing of a tactic, in the log's words; `line`: the log's, 0 where it may be cut out."""

    ms: float
    tactic: bytes
    runner: bytes
    formats: bytes
    line: int = 0


class Printed(NamedTuple):
    """Words of the log on a ForeignNode: its metadata."""

    words: bytes
    line: int


class Operation:
    """One operation inside a ForeignNode, with its table of tactics."""

    def __init__(self, name: bytes, nodes: bytes, line: int) -> None:
        self.name = name  # as printed, without the words for its ONNX nodes
        self.nodes = nodes  # these words, `[ONNX Layer: a][ONNX Layer: b]`
        self.line = line  # of the table's first
        self.kernel = b""  # of the fastest tactic, which is the first row; empty: it is not known
        self.ms = 0.0  # of that tactic
        self.tactics = 0  # rows of its table


class Trial:
    """The autotuning of one name. `chosen`: by tactic, runner and formats, as printed."""

    def __init__(self, name: bytes, line: int) -> None:
        self.line = line
        self.odd = b"Tactic" in name or b"Time:" in name  # its name looks like a timing
        self.runners: dict[bytes, Runner] = {}
        self.best: list[Timed] = []  # the fastest first
        self.third = HOPELESS
        self.chosen: dict[tuple[bytes, ...], Timed] = {}
        self.cached = 0
        self.inside: dict[bytes, list[Operation]] = {}  # of a ForeignNode, by formats

    def runner(self, name: bytes) -> Runner:
        """What is done with the runner of that name."""
        if name not in self.runners:
            self.runners[name] = Runner(self, name)
        return self.runners[name]

    def improve(self, timed: Timed) -> None:
        """Keeps the three fastest of different tactics; of equal times the first."""
        best = {one[1:3]: one for one in self.best}
        key = timed[1:3]  # tactic and runner: implementations number their tactics alike
        if key not in best or timed.ms < best[key].ms:
            best.pop(key, None)
            best[key] = timed
        self.best = sorted(best.values(), key=itemgetter(0))[:3]
        self.third = self.best[2].ms if len(self.best) == 3 else HOPELESS

    def takes(self, timed: Timed) -> bool:
        """Whether a choice is to be kept: of one tactic the fastest."""
        known = self.chosen.get(timed[1:4])
        return len(self.chosen) < limits.CHOSEN if known is None else timed.ms < known.ms

    def choose(self, timed: Timed) -> None:
        """Keeps a choice, if it takes it."""
        if self.takes(timed):
            self.chosen[timed[1:4]] = timed


class Runner:
    """What was done with one runner for one name, as they stand in `Timing Runner` lines."""

    def __init__(self, trial: Trial, name: bytes) -> None:
        self.trial = trial
        self.name = name
        self.reformat = name == b"Reformat"
        self.foreign = name == b"Myelin"  # what it prints beside the timings is read
        self.tried = 0
        self.skipped = 0
        self.scratch = 0  # the most bytes that a skipped tactic asked for
        self.fastest = HOPELESS  # ms; of one that is not a reformat's

    def ended(self, text: bytes, line: int) -> None:
        """Takes in a profiling of which the log has no beginning: its formats are not known.

        The line that chooses may be left out, too; what the listing has was chosen.
        """
        _, tactic, ms = fastest(text, text.find(FASTEST))
        if ms < HOPELESS:
            self.fastest = min(self.fastest, ms)
            timed = Timed(ms, tactic, self.name, b"", line)
            self.trial.improve(timed)
            self.trial.choose(timed)


FASTEST: Final = b"Fastest Tactic: "
ENDED: Final = b" profiling completed in "  # before it in the line, from 8.6 on
TIME: Final = b" Time: "
# e.g. (-7) Tactic: 15 time 0.0123
# e.g. (8-) Tactic: 0x0f Time: 0.0123
TACTIC: Final = lazy(rb"Tactic: (\S+) [Tt]ime:? ([-+.\w]+)[ \t\r]*$", re.MULTILINE)
# e.g. (8.6-) profiling completed in 0.1 seconds. Fastest Tactic: 0x0f Time: 0.0123
FASTEST_LINE: Final = lazy(rb"Fastest Tactic: \S+ Time: [-+.\w]+[ \t\r]*$", re.MULTILINE)
# Before a `Tactic: ` that stands in another line, or in a name there.
_NO_TRIAL: Final = (b"Fastest ", b"valid tactics for ", b"costs for ")


def fastest(piece: bytes, begin: int) -> tuple[int, bytes, float]:
    """Reads `Fastest Tactic: T Time: MS` at `begin`: where its line ends, T and MS."""
    stop = piece.find(b"\n", begin) + 1 or len(piece)
    tactic, _, words = piece[begin + len(FASTEST) : stop].partition(TIME)
    return stop, tactic, number(words)


def timings(piece: bytes, begin: int, stop: int) -> list[tuple[bytes, bytes]]:
    """(tactic, time), exactly: `time 0.1` of TensorRT 7, names that look like a timing."""
    timed = []
    for match in TACTIC.finditer(piece, begin, stop):
        before = piece[line_start(piece, match.start()) : match.start()]
        if not any(words in before for words in _NO_TRIAL):
            timed.append((match[1], match[2]))
    return timed


def number(words: bytes) -> float:
    """HOPELESS where it is no time: `inf`, `nan`, 1e-300, other words."""
    try:
        ms = float(words)
    except ValueError:
        return HOPELESS
    return ms if LEAST <= ms <= MOST or ms == 0 else HOPELESS


# ---- tactics that were skipped -------------------------------------------------------------------

# In lines that say that a tactic was skipped.
REQUESTED: Final = b" requested"
# e.g. (-8.5) Tactic: 0x0f skipped. Scratch requested: 4096, available: 1024
# e.g. (8.4-) Skipping tactic 3 due to insufficient memory on requested size of 4096.
_SKIPPED: Final = lazy(
    rb"Tactic: \S+ skipped\. Scratch requested: (\d+)(?:, available: \d+)?[. \t\r]*$"
    rb"|Skipping tactic \S+ due to (?:insuff?icient memory|oom error) on requested size of (\d+)"
    rb"(?: detected for tactic|[. \t\r]*$)",
    re.MULTILINE,
)
# The device's memory is short, whatever the workspace is. The size is in MiB.
# e.g. (8.0-8.6) Tactic Device request: 1248MB Available: 1229MB. Device memory is insufficient
_DEVICE: Final = lazy(rb"Tactic Device request: (\d{1,9})MB Available")
# What a piece of Myelin's needs beside what its tactic then is said to have requested.
# e.g. (10) (foreignNode) [pass.cpp:2131: run_passes] Exceeded mem budget of 4096. Need 8192
_NEED: Final = lazy(rb"Exceeded mem budget of \d+\. Need (\d{1,19})[ \t\r]*$", re.MULTILINE)


def skipped(piece: bytes, begin: int, end: int, foreign: bool) -> tuple[int, int]:
    """How many tactics were left out for want of memory, and the most bytes that one asked for."""
    needs, asked = [], []
    if foreign and piece.find(b"Exceeded mem budget of ", begin, end) >= 0:
        needs = [int(match[1]) for match in _NEED.finditer(piece, begin, end)]
    if piece.find(REQUESTED, begin, end) >= 0:  # far faster than the pattern
        mib = {match[1] for match in _DEVICE.finditer(piece, begin, end)}
        sizes = (match[1] or match[2] for match in _SKIPPED.finditer(piece, begin, end))
        asked = [int(size[: limits.DIGITS]) for size in sizes if size not in mib]
    return len(asked), max(asked + needs, default=0)


# ---- operations inside of a ForeignNode (TensorRT 10.8 and later) --------------------------------

# Begins a table, whose rows are sorted, the fastest tactic first.
MARK: Final = b"(foreignNode) Autotuning op "
# e.g. (10)  (foreignNode)   11, 0.0228192, 1.21131, 0.93599, sm80_xmma_gemm_f32, 0x3cf17f0300ad1,
_ROW: Final = lazy(
    rb"\(foreignNode\) {1,9}\d{1,9}, ([\d.e+-]{1,24}|inf), ([\d.e+-]{1,24}|inf), [^,\n]{0,24}, "
    rb"([^,\n]{1,4096}), 0x"
)
_ROUNDED: Final = 0.01  # of a row's time by the fastest one's


def read_operations(
    operations: list[Operation], piece: bytes, line_of: Callable[[int], int]
) -> None:
    """Takes in lines of one timing of a ForeignNode, whose tables may have begun before them.

    `line_of`: the number of the line of a place of the piece.
    """
    rest, *tables = piece.split(MARK)
    if operations:
        _rows(operations[-1], rest, 0)
    place = len(rest)
    for table in tables:
        if len(operations) == limits.OPERATIONS:
            return
        end = line_end(table, 0)
        words = table[:end].rstrip()
        cut = words.find(b": [ONNX Layer: ")
        name, nodes = (words[:cut], words[cut + 2 :]) if cut >= 0 else (words.rstrip(b": "), b"")
        operations.append(Operation(name, nodes, line_of(place)))
        _rows(operations[-1], table, end)
        place += len(MARK) + len(table)


def _rows(operation: Operation, lines: bytes, start: int) -> None:
    """Takes in rows. Each says its time by the fastest: one that does not is of another table."""
    for row in _ROW.finditer(lines, start):
        ms, ratio = number(row[1]), number(row[2])
        if not operation.tactics:
            operation.kernel, operation.ms = row[3], ms
        operation.tactics += 1
        by_fastest = ms / operation.ms if operation.ms > 0 else 0.0
        if not by_fastest or abs(by_fastest - ratio) > _ROUNDED * ratio:
            operation.kernel = b""


def tactic_number(tactic: bytes) -> int | None:
    """A tactic's text mod 2^64: 0xfffffffffffffffd, -3 and 18446744073709551613 are one."""
    try:
        return int(tactic, 16 if tactic[:2] == b"0x" else 10) % (1 << 64)
    except ValueError:
        return None


# ---- kernels that tactics stand for --------------------------------------------------------------

_LEAST_KERNELS: Final = 4  # by which the generation of the GPU is told
_NAMED: Final = b"Tactic Name: "
_LONGEST: Final = 1 << 13  # bytes of a layer's name; TensorRT cuts it at 4,095
# `.` is twice as fast as `\S`; from 8.6 on a time follows, which is left out.
# e.g. (-8.5) a Set Tactic Name: sm80_xmma_fprop Tactic: 15
_LINE: Final = lazy(rb"Tactic Name: (.+)")
# e.g. (8.6-) Tactic Name: sm80_xmma_fprop Tactic: 0x0f Time: 0.0123
_TIMED_LINE: Final = lazy(rb"Tactic Name: (.{1,4096}) Time: ")
# A layer that is timed from here on, or a kernel and its tactic.
# e.g. (-8.5) --------------- Timing Runner: a + b (CaskConvolution)
# e.g. (8.6-) --------------- Timing Runner: a + b (CaskConvolution[0x80000009])
# e.g. (-8.5) a (CaskConvolution) Set Tactic Name: sm80_xmma_fprop Tactic: 0x0f
_RUNNER_OR_KERNEL: Final = lazy(
    rb"T(?:iming Runner: (.*) \([^ ]*\)|actic Name: (\S+) Tactic: (\S+))"
)
# The tactic stands in the next line, but for another program's.
# As: a (scudnn) Set Tactic Name: volta_scudnn_128x64
_APART: Final = lazy(
    rb"Tactic Name: (\S+)[ \r]*\n(?:(?!\[|.*T(?:actic |iming Runner)).*\n)??"
    rb".{0,400}Tactic: (\S+) time "
)
# e.g. (7-8.2) a + b (scudnn)
_OLD_RUNNER: Final = lazy(rb" \(\w+\)$")  # `NAME (scudnn) Set Tactic Name: …`


class Kernels:
    """The kernel names of one build. Of a tactic with several the layer's own lines decide."""

    def __init__(self) -> None:
        self._seen: set[bytes] = set()
        self._first: dict[int, bytes] = {}
        # Tactics with several kernels: what each layer's own line says.
        self._by_layer: dict[int | None, dict[bytes, bytes]] = {}
        self._runner = b""  # the layer that is being timed
        self._rest = b""  # the last line, where the next one may have its tactic

    def read(self, stretch: Stretch) -> None:
        """Takes in the next lines."""
        data, end = stretch.data, stretch.end
        first, are_apart = stretch.find(_NAMED), bool(self._rest)
        if first >= 0:
            timed = data.find(b" Time: ", first, data.find(b"\n", first) + 1 or end) >= 0
            lines = _TIMED_LINE.findall(data, first, end) if timed else []
            if not timed or len(lines) < data.count(_NAMED, first, end):  # some without a time
                lines = _LINE.findall(data, first, end)
            names, before = dict.fromkeys(lines), len(self._seen)
            are_apart |= not timed and any(b" Tactic: " not in words for words in names)
            self._seen.update(names)  # after the first layers there is hardly a new one
            for words in names if len(self._seen) > before else ():
                kernel, _, text = words.partition(b" Tactic: ")
                tactic = tactic_number(text.split(b" ", 1)[0].rstrip())
                if tactic is not None and self._first.setdefault(tactic, kernel) != kernel:
                    self._by_layer.setdefault(tactic, {})
            if self._by_layer:
                self._read_layers(stretch)
        if are_apart:
            text = self._rest + data[stretch.begin : end]
            for kernel, words in _APART.findall(text):
                if (tactic := tactic_number(words)) is not None:
                    self._first.setdefault(tactic, kernel)
            last_name = text.rfind(_NAMED)
            is_last = last_name >= 0 and text.find(b"\n", last_name) in (-1, len(text) - 1)
            self._rest = text[last_name:] if is_last else b""
        last = data.rfind(TIMING, stretch.begin, end)
        if last >= 0 and (match := _RUNNER_OR_KERNEL.match(data, last, end)):
            self._runner = match[1]

    def _read_layers(self, stretch: Stretch) -> None:
        """Reads each layer's kernel, for tactics that several kernels share."""
        data = stretch.data
        for match in _RUNNER_OR_KERNEL.finditer(data, stretch.begin, stretch.end):
            if match[1] is not None:
                self._runner = match[1]
                continue
            if (layers := self._by_layer.get(tactic_number(match[3]))) is None:
                continue
            runner = self._runner
            nearest = max(stretch.begin, match.start() - _LONGEST)
            start = data.rfind(b"\n", nearest, match.start()) + 1 or nearest
            before = data[start : match.start()]
            layer = _OLD_RUNNER.sub(b"", before.removesuffix(b" Set "))
            if before.endswith(b" Set ") and not (runner and layer.endswith(runner)):
                runner = layer  # with a host's prefix: `of` compares ends
            if runner:
                layers[runner] = match[2]

    def newest(self) -> tuple[int, int] | None:
        """The newest compute capability that they were made for; None where one does not tell.

        None, too, of few kernels: newer ones may not have been timed.
        """
        names = {words.split(b" ", 1)[0].decode("utf-8", "replace") for words in self._seen}
        made = [architecture(name) for name in names]
        known = [each for each in made if each is not None]
        return max(known) if len(known) == len(made) >= _LEAST_KERNELS else None

    def lacks(self, tactics: Iterable[str]) -> bool:
        """Whether one of them may have a kernel that was not met yet.

        Library kernels have a hash for a number, or 0x2xxxx. All other tactics (0, 1002, -3,
        6488321) have no kernel's name in any log that we know. A log that has named no kernel so
        far will name none.
        """
        numbers = (tactic_number(tactic.encode()) for tactic in tactics)
        lacked = (n for n in numbers if n is not None and _is_library(n) and n not in self._first)
        return bool(self._seen) and any(lacked)

    def of(self, layer: str, tactic: str) -> str | None:
        """The kernel that `layer` runs as `tactic` (as printed); None: unknown."""
        key = tactic_number(tactic.encode())
        if key is None:
            return None
        name = layer.encode("utf-8", "replace")
        layers = self._by_layer.get(key, {})
        kernel = layers.get(name) or _by_end(layers, name) or self._first.get(key)
        return None if kernel is None else kernel.decode("utf-8", "backslashreplace")


def _is_library(tactic: int) -> bool:
    return 1 << 40 <= tactic < (1 << 64) - (1 << 16) or 1 << 16 < tactic < 1 << 18


def _by_end(layers: dict[bytes, bytes], name: bytes) -> bytes | None:
    """For lines without a `Timing Runner` before them: a host's prefix is on the layer's name."""
    for text, kernel in layers.items():
        rest = text.removesuffix(name).rstrip()
        if text.endswith(b" " + name) and not rest.endswith((b"+", b"||", b",")):
            return kernel
    return None
