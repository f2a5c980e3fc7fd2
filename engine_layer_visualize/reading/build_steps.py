"""Tells where a build was: the step, the layer that was timed, how many of the layers were done."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from engine_layer_visualize.core import limits
from engine_layer_visualize.core.numbers import lazy
from engine_layer_visualize.core.text import count, shorten, visible
from engine_layer_visualize.io.source import decode, line_end, line_start
from engine_layer_visualize.reading.hosts import OWN_WORDS
from engine_layer_visualize.reading.markers import GENERATED, INPUT, PASS, TIMING
from engine_layer_visualize.trt.names import OPTIMIZER_REFORMAT

# e.g. (8-) [V] [TRT] Parsing node: conv1 [Conv]
PARSING: Final = b"Parsing node: "
# e.g. (8.6-) [V] [TRT] =============== Computing costs for conv1
COSTS: Final = b"Computing costs for "
_SELECTED: Final = b"tactics selection completed in "
# What a build does, in the order of its steps; the last of these lines tells where it was.
_STEPS: Final = {
    b"Input filename: ": "while parsing the ONNX model",
    b"Importing initializer: ": "while parsing the ONNX model",
    INPUT: "while the network was defined",
    PARSING: "while parsing the ONNX model",
    b" parsing network model. Parse time: ": "after the ONNX model was parsed",
    b"Calibrated batch ": "while calibrating",
    COSTS: "while timing",
    TIMING: "while timing",
    _SELECTED: "after the tactics were selected",
    GENERATED: "after the engine was generated",
}
# The builder prints it while it times a layer, and again for the tactics that it selected.
_KERNEL_SET: Final = b" Set Tactic Name: "
# e.g. (-8.5) [V] [TRT] a + b Set Tactic Name: sm80_xmma_fprop Tactic: 0x1
# e.g. (7-8.2) [V] [TRT] a + b (scudnn) Set Tactic Name: sm80_xmma_fprop
_SET_FOR: Final = lazy(
    rb"(?:.*?(?:" + OWN_WORDS + rb")+ *)?(?P<layer>.+?)(?: \(\w+\))?" + _KERNEL_SET
)
# They end the timing of a layer with one combination of formats.
_NEXT: Final = (b">>> Chose Runner Type: ", b"*** Autotuning ")
# Without the line that names its layer, as where an excerpt leaves it out.
# e.g. (all) [V] [TRT] Tactic: 0x1 Time: 0.25
_TIMED: Final = lazy(rb"Tactic: \S{1,20} [Tt]ime:? [\d.]{1,20}\s*$", re.MULTILINE)
_REFORMATTED: Final = b"reformat layers"  # of these no costs are computed
_LONGEST_NAME_SHOWN: Final = 160  # characters


class BuildProgress:
    """Where the last build of a log is. `size`: bytes that were read."""

    def __init__(self) -> None:
        self.size = 0
        self.timed = -1  # where a layer was timed last
        self.layers = 0  # after the last pass
        self._step = -1, b"", b""  # the last: where, its mark, the line's words from there
        self._next = -1  # where the timing of a layer ended last
        self._costs: dict[bytes, None] = {}  # names of those whose costs were computed since
        self._nameless = False  # TensorRT 8.2 writes the line without a name

    def read(self, data: bytes) -> None:
        """Takes in the next lines."""
        for mark in _STEPS:
            start = data.rfind(mark)
            if start >= 0 and self.size + start > self._step[0]:
                words = data[start : min(line_end(data, start), start + limits.STEP_LINE)]
                self._step = self.size + start, mark, words
        if not self._is_timing:
            timed_at = _TIMED.search(data, max(self._step[0] - self.size, 0))
            if timed_at is not None:
                self._step = self.size + timed_at.start(), COSTS, b""
        self._read_layer(data)
        timed = last(data, (TIMING, COSTS))
        self.timed = self.size + timed if timed >= 0 else self.timed
        self._count(data)
        self.size += len(data)

    @property
    def _is_timing(self) -> bool:
        return self._step[1] in (TIMING, COSTS)

    def _read_layer(self, data: bytes) -> None:
        """The layer whose kernel is named last, where layers are timed; where its timing ended."""
        if (ended := last(data, _NEXT)) >= 0:
            self._next = self.size + ended
        place = data.rfind(_KERNEL_SET)
        if not self._is_timing or place < max(0, self._step[0] - self.size):
            return
        begin = max(line_start(data, place), place - limits.STEP_LINE)
        match = _SET_FOR.match(data, begin, line_end(data, place))
        if match is not None:
            self._step = self.size + place, TIMING, TIMING + match["layer"] + b" ()"

    def _count(self, data: bytes) -> None:
        """The layers whose costs were computed since the last pass of the optimiser."""
        begin = 0
        for match in PASS.finditer(data) if b" layers" in data else ():  # it is slow
            if match[1] == _REFORMATTED:
                continue
            begin, self.layers = match.end(), int(match[3])
            self._costs.clear()
            self._nameless = False
            if self.size + begin > self._step[0]:
                self._step = self.size + begin, b"", b""
        while (place := data.find(COSTS, begin)) >= 0 and len(self._costs) < limits.NAMES:
            begin = line_end(data, place)
            name = data[place + len(COSTS) : begin].strip()
            self._nameless = not name
            self._costs[name or b"%d" % (self.size + place)] = None

    @property
    def doing(self) -> str:
        """What the build did last; empty where the log does not tell.

        Such as `while timing a + b, after 41 of 63 layers`.
        """
        _, mark, line = self._step
        if not mark:
            return "while optimising the network" if self.layers else ""
        words, name = _STEPS[mark], ""
        if mark == TIMING:
            name = decode(line[len(TIMING) :].rpartition(b" (")[0])
        elif mark == COSTS:
            name = decode(line[len(COSTS) :].strip())
        elif mark == PARSING:
            name = decode(line[len(PARSING) :].rpartition(b" [")[0])
            words += " at node" if name else ""
        if mark == TIMING and self._next > self._step[0] and not self._costs:
            words = "after timing"  # the layer that came next is not named
        if name:
            words += f" {shorten(visible(name), _LONGEST_NAME_SHOWN)}"
        elif self._is_timing:
            words += " layers"
        reformats = name.startswith(OPTIMIZER_REFORMAT)  # they are timed after all others
        counted = self._nameless or name.encode() in self._costs
        if name and self._costs and (reformats or counted):
            done = len(self._costs) - (not reformats)
            if done <= self.layers:
                words += f", after {done:,} of {count(self.layers, 'layer')}"
        return words


def last(data: bytes, marks: Iterable[bytes]) -> int:
    """Where the last of the marks stands; -1: nowhere."""
    return max(data.rfind(mark) for mark in marks)
