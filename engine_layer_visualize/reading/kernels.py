"""Reads the kernels that tactics stand for.

The same tactic may be several kernels; then the layer's own lines decide.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterable
from typing import Final

from engine_layer_visualize.core import limits
from engine_layer_visualize.core.limits import lazy
from engine_layer_visualize.reading.markers import Stretch
from engine_layer_visualize.reading.tactics import tactic_number
from engine_layer_visualize.trt.kernels import architecture

_LEAST_KERNELS: Final = 4  # that are named: they tell of which generation the GPU is
_MARK: Final = b"Tactic Name: "
# e.g. (-8.5) a (CaskConvolution) Set Tactic Name: sm80_xmma_fprop Tactic: 0x0f
_PAIR: Final = lazy(rb"Tactic Name: (\S+ Tactic: \S+)")
# For collecting: `.` is twice as fast as `\S`; from 8.6 on a time follows, which is left out.
# e.g. (-8.5) a Set Tactic Name: sm80_xmma_fprop Tactic: 15
_LINE: Final = lazy(rb"Tactic Name: (.+)")
# e.g. (8.6-) Tactic Name: sm80_xmma_fprop Tactic: 0x0f Time: 0.0123
_TIMED_LINE: Final = lazy(rb"Tactic Name: (.{1,4096}) Time: ")
_RUNNER: Final = b"Timing Runner: "
# e.g. (-8.5) --------------- Timing Runner: a + b (CaskConvolution)
# e.g. (8.6-) --------------- Timing Runner: a + b (CaskConvolution[0x80000009])
_RUNNER_LINE: Final = lazy(rb"Timing Runner: (.*) \([^ ]*\)")
# e.g. (7-8.2) a + b (scudnn)
_OLD_RUNNER: Final = lazy(rb" \(\w+\)$")  # `NAME (scudnn) Set Tactic Name: …`


class Kernels:
    """The kernel names of one build."""

    def __init__(self) -> None:
        self._seen: set[bytes] = set()
        self._first: dict[int, bytes] = {}
        # Tactics with several kernels: what each layer's own line says.
        self._by_layer: dict[int, dict[bytes, bytes]] = {}
        self._runner = b""  # the layer that was being timed where the last stretch ended

    def read(self, stretch: Stretch) -> None:
        """Takes in the next lines."""
        data, end = stretch.data, stretch.end
        first = stretch.find(_MARK)
        if first >= 0:
            timed = data.find(b" Time: ", first, data.find(b"\n", first) + 1 or end) >= 0
            lines = _TIMED_LINE.findall(data, first, end) if timed else []
            if not timed or len(lines) < data.count(_MARK, first, end):  # some without a time
                lines = _LINE.findall(data, first, end)
            before = len(self._seen)
            self._seen.update(lines)  # after the first layers there is hardly a new one
            for words in dict.fromkeys(lines) if len(self._seen) > before else ():
                kernel, _, text = words.partition(b" Tactic: ")
                tactic = tactic_number(text.split(b" ", 1)[0].rstrip())
                if tactic is not None and self._first.setdefault(tactic, kernel) != kernel:
                    self._by_layer.setdefault(tactic, {})
            if self._by_layer:
                self._read_lines(stretch)
        last = data.rfind(_RUNNER, stretch.begin, end)
        if last >= 0 and (match := _RUNNER_LINE.match(data, last, end)):
            self._runner = match[1]

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
        if not self._seen:
            return False
        numbers = (tactic_number(tactic.encode()) for tactic in tactics)
        return any(n is not None and _is_library(n) and n not in self._first for n in numbers)

    def of(self, layer: str, tactic: str) -> str | None:
        """The kernel that `layer` runs as `tactic` (as printed); None: unknown."""
        key = tactic_number(tactic.encode())
        if key is None:
            return None
        name = layer.encode("utf-8", "replace")
        layers = self._by_layer.get(key, {})
        kernel = layers.get(name) or _by_end(layers, name) or self._first.get(key)
        return None if kernel is None else kernel.decode("utf-8", "backslashreplace")

    def _read_lines(self, stretch: Stretch) -> None:
        """Reads each layer's kernel, for tactics that several kernels share."""
        data, runners = stretch.data, self._runners(stretch)
        for match in _PAIR.finditer(data, stretch.begin, stretch.end):
            kernel, _, text = match[1].partition(b" Tactic: ")
            layers = self._by_layer.get(tactic_number(text) or 0)
            if layers is None:
                continue
            runner = runners[bisect(runners, (match.start(),)) - 1][1]
            nearest = max(stretch.begin, match.start() - limits.NAME_BYTES)
            start = data.rfind(b"\n", nearest, match.start()) + 1 or nearest
            before = data[start : match.start()]
            if before.endswith(b" Set "):
                before = _OLD_RUNNER.sub(b"", before[: -len(b" Set ")])
                if not runner or not before.endswith(runner):
                    runner = before  # the host's prefix is still on it: `of` compares ends
            if runner:
                layers[runner] = kernel

    def _runners(self, stretch: Stretch) -> list[tuple[int, bytes]]:
        """(position, layer) of every line that begins the timing of a layer; one before all."""
        runners = [(-1, self._runner)]
        for place in stretch.places(_RUNNER):
            if match := _RUNNER_LINE.match(stretch.data, place, stretch.end):
                runners.append((place, match[1]))
        return runners


def _is_library(tactic: int) -> bool:
    return 1 << 40 <= tactic < (1 << 64) - (1 << 16) or 1 << 16 < tactic < 1 << 18


def _by_end(layers: dict[bytes, bytes], name: bytes) -> bytes | None:
    """For lines without a `Timing Runner` before them: a host's prefix is on the layer's name."""
    for text, kernel in layers.items():
        rest = text.removesuffix(name).rstrip()
        if text.endswith(b" " + name) and not rest.endswith((b"+", b"||", b",")):
            return kernel
    return None
