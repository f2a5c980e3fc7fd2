"""Reads what the builder says of a network that decides how an ambiguous record is read.

It names the format combinations that it tried for each layer: dtype and rank of each tensor. It
also says how many inputs and outputs the network has.
"""

from __future__ import annotations

from typing import Final, TypeAlias

from engine_layer_visualize.core.patterns import lazy
from engine_layer_visualize.inputs.buildlog.prefixes import before
from engine_layer_visualize.inputs.buildlog.stretches import Stretch
from engine_layer_visualize.io.source import decode, line_end, line_start
from engine_layer_visualize.trt.memory_formats import dtype_and_strides, split

TensorKind: TypeAlias = tuple[str, int]  # dtype and rank of a tensor
# What is read, what is written.
Combination: TypeAlias = tuple[tuple[TensorKind, ...], tuple[TensorKind, ...]]

_COSTS: Final = b"=============== Computing costs for "
# Up to TensorRT 8.2 no name follows there: the layer is named where it is timed.
_RUNNER: Final = b"--------------- Timing Runner: "
_STARS: Final = b"*************** Autotuning format combination: "
# e.g. (all) *************** Autotuning format combination: Half(8,1) -> Half(8,1) ***************
_COMBINATION: Final = lazy(rb"\*{15} Autotuning format combination: ([^\n]*?) \*{15}")
# e.g. (8-) Detected 1 inputs and 3 output network tensors.
COUNTED: Final = lazy(rb"Detected (\d{1,6}) inputs and (\d{1,6}) output network tensors")
COUNTED_MARK: Final = b" output network tensors"
_MOST_NAMES: Final = 200_000
_MOST_COMBINATIONS: Final = 96  # of one layer
_MOST_HOSTS: Final = 64
_LONGEST_NAME: Final = 1 << 13  # bytes, with what may stand around it

_Names: TypeAlias = dict[bytes, set[bytes]]


class Tuning:
    """The tuned layers of one build.

    A name can hold these very messages. The host's words before them on their line tell which is
    which, so the names are kept by host. `ends`: the numbers of inputs and outputs that are told.
    """

    def __init__(self) -> None:
        self.ends: set[tuple[int, int]] = set()
        self._hosts: dict[bytes, _Names] = {}
        self._now: dict[bytes, set[bytes]] = {}  # by host, of the last name
        self._nameless: tuple[bytes, bytes] | None = None  # host, a layer's combination
        self._names = 0
        self._rest = b""  # from where a name began whose end was not in the stretch

    def read(self, stretch: Stretch) -> None:
        """Takes in the next lines."""
        self._name(stretch.data, stretch.begin, stretch.end)
        if self._rest:
            data = self._rest + stretch.data[stretch.begin : stretch.end]
            stretch, self._rest = Stretch(data, 0, len(data), 0), b""
        data, end = stretch.data, stretch.end
        if stretch.find(COUNTED_MARK) >= 0:
            matches = COUNTED.finditer(data, stretch.begin, end)
            self.ends |= {(int(match[1]), int(match[2])) for match in matches}
        begun = self._read(stretch)
        for host in [host for host, begin in begun.items() if end - begin >= _LONGEST_NAME]:
            self._end(data, begun.pop(host), -1, host)
        if begun:
            self._rest = data[line_start(data, min(begun.values())) : end]

    def _read(self, stretch: Stretch) -> dict[bytes, int]:
        """Returns by host where its last name begins, if no combination ended that."""
        data, end = stretch.data, stretch.end
        named: dict[bytes, int] = {}  # by host, where a name starts whose end is not known
        costs, stars = stretch.find(_COSTS), stretch.find(_STARS)
        while costs >= 0 or stars >= 0:
            start, is_name = (costs, True) if stars < 0 or 0 <= costs < stars else (stars, False)
            if is_name:
                costs = data.find(_COSTS, start + len(_COSTS), end)
            else:
                stars = data.find(_STARS, start + len(_STARS), end)
            host = before(data, start)
            if host is None or (host not in self._hosts and len(self._hosts) >= _MOST_HOSTS):
                continue
            if is_name:
                self._end(data, named.pop(host, -1), -1, host)
                named[host] = start + len(_COSTS)
            else:
                self._end(data, named.pop(host, -1), line_start(data, start), host)
                now = self._now.get(host)
                match = _COMBINATION.match(data, start, line_end(data, start))
                if match is not None and now is not None and len(now) < _MOST_COMBINATIONS:
                    now.add(match[1])
                    if now is self._hosts[host].get(b""):
                        self._nameless = host, match[1]
                        self._name(data, match.end(), end)
        return named

    def _name(self, data: bytes, begin: int, end: int) -> None:
        """Gives the last combination to the layer that is timed with it."""
        if self._nameless is None or self._names >= _MOST_NAMES:
            return
        runner = data.find(_RUNNER, begin, min(end, begin + _LONGEST_NAME))
        if runner >= 0:
            host, words = self._nameless
            name = data[runner + len(_RUNNER) : line_end(data, runner)].rpartition(b" (")[0]
            self._names += name not in self._hosts[host]
            self._hosts[host].setdefault(name, set()).add(words)
            self._nameless = None

    def _end(self, data: bytes, begin: int, end: int, host: bytes) -> None:
        """Takes in a name. It may hold newlines: its first combination stands right below it."""
        if begin < 0 or self._names >= _MOST_NAMES:
            return
        if not begin <= end <= begin + _LONGEST_NAME:
            end = line_end(data, begin)
        names = self._hosts.setdefault(host, {})
        name = data[begin:end].rstrip(b"\r\n")
        self._names += name not in names
        self._now[host] = names.setdefault(name, set())

    def of(self, name: str, host: bytes | None = None) -> frozenset[Combination] | None:
        """The combinations of the layer; None where the log does not name it.

        `host`: the shape of what stands before a message; None: whatever stands there.
        """
        for begun, begin in self._read(Stretch(self._rest, 0, len(self._rest), 0)).items():
            self._end(self._rest, begin, -1, begun)
        self._rest = b""
        key = name.encode("utf-8", "backslashreplace")
        hosts = [self._hosts[host]] if host in self._hosts else [*self._hosts.values()]
        printed = next((names[key] for names in hosts if key in names), None)
        if printed is None:  # other lines may stand between the name and its first combination
            for names in hosts:
                for text, combinations in names.items():
                    if text.startswith((key + b"\n", key + b"\r\n")):
                        printed = combinations
        if printed is None:
            return None
        return frozenset(filter(None, map(_parsed, map(decode, printed))))


def _parsed(text: str) -> Combination | None:
    """`Float(8,1), Half(4,1) -> Float(8,1)`; None where it is something else."""
    left, arrow, right = text.partition("->")
    sides = _kinds(left), _kinds(right)
    if not arrow or sides[0] is None or sides[1] is None:
        return None
    return sides[0], sides[1]


def _kinds(text: str) -> tuple[TensorKind, ...] | None:
    kinds = []
    for part in split(text):
        descriptor = dtype_and_strides(part.strip())
        if descriptor is None:
            return None
        kinds.append((descriptor[0], len(descriptor[1])))
    return tuple(kinds)
