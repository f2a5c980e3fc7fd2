"""What the log of a build says besides its listing.

takes: stretches of the log, as bytes of whole lines
gives: `Facts`: names of inputs and outputs, reformats, kernels, TensorRT's version
never: knows where a listing starts, or keeps a line
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from engine_layer_visualize.kernels import Kernels
from engine_layer_visualize.source import decode, line_end, line_start

# Searched, never anchored: any text of a host may stand before them.
_INPUT: Final = b"Adding network input: "
_MARKING: Final = b"Marking "
_OUTPUT: Final = b" as output: "
_ADDING: Final = re.compile(rb"Adding (?:network input: |reformat layer: )")
TIMING: Final = b"Timing Runner: "
_VERSION: Final = b"TensorRT v"
_LIBRARY: Final = b"libnvinfer"

_BANNER: Final = re.compile(rb"\[TensorRT v(\d{4,6})\]")
_VERSION_LINE: Final = re.compile(rb"TensorRT version: (\d[\d.]{0,20})")
_LIBRARY_NAME: Final = re.compile(rb"libnvinfer\w{0,64}\.so\.(\d{1,3}\.\d{1,3}\.\d{1,3})")
# The version stands at the start of a build; looking for it further on would cost a search of all.
_VERSION_WITHIN: Final = 4 << 20
WHOLE: Final = 16 << 20  # bytes of a build's timings that are looked through for kernels at once


@dataclass(frozen=True, slots=True)
class Reformat:
    """`Adding reformat layer: name (tensor) from … to …`; the formats are strides, as printed."""

    line: int
    name: str
    tensor: str
    source: str
    target: str


@dataclass(slots=True)
class Names:
    """The inputs and outputs that one network definition names, in order."""

    inputs: list[str] = field(default_factory=list)
    outputs: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Facts:
    """What the log of one build says of it before the listing."""

    names: list[Names] = field(default_factory=list)
    reformats: dict[str, Reformat] = field(default_factory=dict)
    kernels: Kernels = field(default_factory=Kernels)
    version: str | None = None
    # Parts of the file that were not looked through for kernels: (begin, end).
    skipped: list[tuple[int, int]] = field(default_factory=list)
    _defining: bool = True  # no kernel was timed since the last input
    _version_left: int = _VERSION_WITHIN
    _timed: int = 0  # bytes since the timings began

    def read(self, data: bytes, at: int, end: int, line: int, offset: int | None = None) -> None:
        """Takes in `data[at:end]`, whole lines; `line` numbers the first, `offset` is its place.

        A kernel's name stands in the log wherever the kernel was timed, some hundred times in a
        large one. Past the first `WHOLE` bytes of timings, a file that can be read again is looked
        through for kernels only if a layer then lacks one.
        """
        last_input = self._read_added(data, at, end, line)
        # A network is defined before its kernels are timed; then outputs need no looking for.
        if self._defining or last_input >= 0:
            self._read_outputs(data, at, end)
            self._defining = data.find(TIMING, max(at, last_input), end) < 0
        if offset is None or self._timed < WHOLE:
            self.kernels.read(data, at, end)
        elif self.skipped and self.skipped[-1][1] == offset:
            self.skipped[-1] = self.skipped[-1][0], offset + end - at
        else:
            self.skipped.append((offset, offset + end - at))
        self._timed += 0 if self._defining else end - at
        if self._version_left > 0:
            self._version_left -= end - at
            self._read_version(data, at, end)

    def _read_added(self, data: bytes, at: int, end: int, line: int) -> int:
        """Reads inputs and reformats. Returns where the last input stands, -1 if nowhere."""
        last_input, counted = -1, at
        while match := _ADDING.search(data, at, end):
            position, at = match.start(), line_end(data, match.start())
            words = data[match.end() : at].rstrip(b"\r\n")
            if match[0] == _INPUT:
                name, _, rest = words.rpartition(b" with dtype: ")
                if b", dimensions: " in rest:
                    self._add_input(decode(name))
                    last_input = position
                continue
            line += data.count(b"\n", counted, position)
            counted = position
            if reformat := _reformat(line, decode(words.rstrip())):
                self.reformats[reformat.name] = reformat
        return last_input

    def _add_input(self, name: str) -> None:
        # An input after outputs belongs to another network definition.
        if not self.names or self.names[-1].outputs:
            self.names.append(Names())
        self.names[-1].inputs.append(name)

    def _read_outputs(self, data: bytes, at: int, end: int) -> None:
        while (position := data.find(_OUTPUT, at, end)) >= 0:
            start, at = line_start(data, position), line_end(data, position)
            if data.find(_MARKING, start, position) < 0:
                continue
            if not self.names:
                self.names.append(Names())
            name = data[start:at].rpartition(_OUTPUT)[2].rstrip(b"\r\n")
            self.names[-1].outputs.append(decode(name))

    def _read_version(self, data: bytes, at: int, end: int) -> None:
        if data.find(_VERSION, at, end) >= 0:
            if match := _BANNER.search(data, at, end) or _VERSION_LINE.search(data, at, end):
                self.version = _dotted(match[1].decode())
        elif self.version is None and data.find(_LIBRARY, at, end) >= 0:
            match = _LIBRARY_NAME.search(data, at, end)
            self.version = match[1].decode() if match else None


def _reformat(line: int, text: str) -> Reformat | None:
    """Reads `NAME (TENSOR) from FORMAT to FORMAT`; None where it is something else."""
    rest, _, target = text.rpartition(" to ")
    rest, found, source = rest.rpartition(") from ")
    if not found:
        return None
    # Names hold brackets too: the tensor is the shortest balanced end.
    depth = 1
    for at in range(len(rest) - 1, 0, -1):
        depth += (rest[at] == ")") - (rest[at] == "(")
        if depth == 0 and rest[at - 1] == " ":
            return Reformat(line, rest[: at - 1], rest[at + 1 :], source, target)
    return None


def _dotted(digits: str) -> str:
    """`8203` or `v8203` -> 8.2.3; `101600` -> 10.16.0; dotted text as it is."""
    if "." in digits:
        return digits
    number = int(digits)
    if number >= 10000:
        return f"{number // 10000}.{number // 100 % 100}.{number % 100}"
    return f"{number // 1000}.{number // 100 % 10}.{number % 100}"
