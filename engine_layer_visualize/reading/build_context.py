"""Reads what the log of a build says before its listing, as far as reading the listing needs it.

These are the names of inputs and outputs, reformats, kernels, attempts to build and TensorRT's
version. Most timings of a large file are skipped.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from operator import attrgetter
from typing import Final, NamedTuple

from engine_layer_visualize.core.limits import COUNTS, STRATEGIES, lazy
from engine_layer_visualize.io.source import Source, decode, line_end, line_start
from engine_layer_visualize.reading import markers
from engine_layer_visualize.reading.hosts import before_message, is_inside, is_own
from engine_layer_visualize.reading.markers import Line, Stretch, Told, line
from engine_layer_visualize.reading.tactics import Kernels
from engine_layer_visualize.trt import versions

# e.g. (all) Adding network input: x with dtype: float32, dimensions: (1, 4)
# e.g. (all) Marking y as output: y
_OUTPUT: Final = b" as output: "

# What counts the layers of an engine, or a part of them: a listing has no fewer. A build begins
# with the layers of its network; an attempt ends when its engine was generated.
_PASSES: Final = (b"Original", b"concat removal", b"reformat layers")
_VERSION_WITHIN: Final = 4 << 20  # bytes of a build's timings in which its version is looked for
WHOLE: Final = 8 << 20  # bytes of a build's timings that are read; the rest is passed over
_STEP_BACK: Final = 1 << 20  # the step in which the end of the timings is looked for


# TensorRT 10 may build a network with several backend strategies, one after the other; it keeps the
# engine whose inference time it estimates to be the least.
STRATEGY: Final = b" backend strategy "
# e.g. (8.6-) Building graph using backend strategy 4
# e.g. (10) Use backend strategy 4 with estimated inference time (0.3344) as the initial choice.
# e.g. (10) Chose this engine with backend strategy 3 since its estimated inference time (0.31)
# e.g. (10) Skip backend strategy 2since its estimated inference time (0.33) is not faster than
_STRATEGY: Final = lazy(
    rb"(Building graph using|Use|Chose this engine with|Skip) backend strategy (\d{1,9})"
    rb"(?: ?(?:with|since its) estimated inference time"
    rb" \((\d{1,12}(?:\.\d{1,12})?(?:e[+-]?\d\d?)?)\))?"
)


class Strategy(NamedTuple):
    """A line about a strategy: its attempt `begins`, or it was `kept` or not."""

    line: int
    number: int
    begins: bool
    kept: bool
    inference_ms: float | None  # as the builder estimates it; None where the line does not say


def strategy_of(text: bytes, line: int) -> Strategy | None:
    """What a line says of a strategy; None where it says nothing."""
    match = _STRATEGY.search(text)
    if match is None:
        return None
    ms = None if match[3] is None else float(match[3])
    begins = match[1] == b"Building graph using"
    return Strategy(line, int(match[2]), begins, match[1] != b"Skip", ms)


class Reformat(NamedTuple):
    """`Adding reformat layer: name (tensor) from … to …`; the formats are strides, as printed."""

    line: int
    name: str
    tensor: str
    source: str
    target: str


class PassedOver(NamedTuple):
    """Whole lines of a file that were not read: `[begin, end)`; `line` numbers the first."""

    begin: int
    end: int
    line: int


class Names(NamedTuple):
    """The inputs and outputs of one network definition, in the log's order."""

    inputs: list[str]
    outputs: list[str]


class _End(NamedTuple):
    """An input or an output. `before`: the shape of what stands before the message."""

    line: int
    is_input: bool
    name: str
    before: bytes | None


class _Networks(Told):
    """The inputs and outputs of all networks, in the log's order."""

    def __init__(self) -> None:
        self.ends: list[_End] = []

    @line(markers.INPUT)
    def _input(self, line: Line) -> None:
        name, _, rest = line.words.rpartition(b" with dtype: ")
        if b", dimensions: " in rest:
            self._named(line, True, name, line.before)

    @line(_OUTPUT)
    def _output(self, line: Line) -> None:
        before, marking, _ = line.before.partition(b"Marking ")
        if marking:
            self._named(line, False, line.text.rpartition(_OUTPUT)[2], before)

    def _named(self, line: Line, is_input: bool, name: bytes, before: bytes) -> None:
        self.ends.append(_End(line.number, is_input, decode(name), before_message(before)))


# e.g. (8-) &&&& RUNNING TensorRT.trtexec [TensorRT v8501] # trtexec --loadEngine=a.plan
_LOADED: Final = lazy(rb"--loadEngine(?:=(\S*))?")
# e.g. (8-) &&&& RUNNING TensorRT.trtexec [TensorRT v8501] # trtexec --onnx=a --saveEngine=a.plan
_SAVED: Final = lazy(rb"--saveEngine=(\S+)")


class BuildContext(Told):
    """What the log of one build says before its listing.

    `before`: the context of the build before it, which has the same TensorRT and GPU.
    """

    def __init__(self, version: str | None = None, before: BuildContext | None = None) -> None:
        self._networks = _Networks()
        self._reformats: dict[tuple[str, int], Reformat] = {}  # an attempt's last of each name
        self._strategies: list[Strategy] = []
        self._left: dict[bytes, int] = {}  # by pass: the layers of the last build, at least
        self._held: list[int] = [0]  # layers whose memory each of its attempts tells
        self.kernels = Kernels()
        self.version: str | None = version if before is None else before.version
        # The GPU's compute capability, by the library of the builder's kernels, loaded once.
        self.capability: str | None = None if before is None else before.capability
        self.skipped: list[PassedOver] = []
        self.built = False  # an engine was generated, or a run of trtexec began that builds one
        self._saved: bytes = b"" if before is None else before._saved  # the last engine's file
        self._listed = self._saved  # that of the engine of the listing before
        self._defining = True  # no kernel was timed since the last input
        self._timed = 0  # bytes since the timings began

    def take(self, stretch: Stretch, offset: int | None = None) -> None:
        """Takes in lines; `offset`: where they begin in the file.

        Inputs are named before the first timing, reformats after the last, a kernel wherever it was
        timed. So only the first `WHOLE` bytes of timings are read. The rest is noted in `skipped`,
        where the file can be read again.
        """
        if offset is None or self._timed < WHOLE:
            self._take(stretch)
        elif stretch:
            end = offset + stretch.end - stretch.begin
            if self.skipped and self.skipped[-1].end == offset:
                self.skipped[-1] = self.skipped[-1]._replace(end=end)
            else:
                self.skipped.append(PassedOver(offset, end, stretch.line))

    def look_back(self, source: Source, line: int) -> None:
        """Reads the last skipped lines, as far back as the last timing. `line`: of what follows.

        Raises ReadError (ELV401) where the file is there no more.
        """
        if not self.skipped:
            return
        last = self.skipped.pop()
        begin, data = last.end, b""
        while begin > last.begin and markers.TIMING not in data:
            begin, until = max(last.begin, begin - _STEP_BACK), begin
            data = b"".join(source.stretch(begin, until))
            cut = data.find(b"\n") + 1
            if begin > last.begin and cut < len(data):  # else a line longer than a step
                begin += cut
        data = b"".join(source.stretch(begin, last.end))
        if begin > last.begin:
            self.skipped.append(PassedOver(last.begin, begin, last.line))
        self._take(Stretch(data, 0, len(data), line - data.count(b"\n")))

    @property
    def reformats(self) -> dict[str, Reformat]:
        """By name those that were added to the engine; attempts that were not kept added others."""
        rejected = _rejected(self._strategies)
        return {
            one.name: one
            for one in self._reformats.values()
            if not any(first <= one.line < behind for first, behind in rejected)
        }

    @property
    def least_layers(self) -> int:
        """The least number of layers that the log counts; 0: it does not, or not of the attempt."""
        # Up to 8.0 TensorRT lists fewer than passes count: no no-ops. It tells the memory of all.
        return self.held_layers or self.passed_layers

    @property
    def passed_layers(self) -> int:
        """How many layers passes of the optimiser leave, at least; 0 as `least_layers`."""
        left = self._left.get(b"concat removal") or self._left.get(b"reformat layers") or 0
        return 0 if self._is_of_several else left

    @property
    def held_layers(self) -> int:
        """The number of layers whose memory the log tells, also of those that need none.

        0 as `least_layers`. Of attempts without a name the smallest number counts.
        """
        return 0 if self._is_of_several else min(filter(None, self._held), default=0)

    @property
    def _is_of_several(self) -> bool:
        """Whether several strategies were tried, so that a count may be of an engine not kept."""
        return sum(strategy.begins for strategy in self._strategies) > 1

    @property
    def lacks_attempt(self) -> bool:
        """Whether the attempt that was kept may lie in what was passed over."""
        last = self._strategies[-1:]
        return bool(self.skipped and last) and not last[0].kept

    def definitions(self, host: bytes | None = None) -> list[Names]:
        """The network definitions that the log names.

        `host`: the shape of what stands before a message. A name can hold the words of a message,
        too: where any stands right behind the host's words, only those count; else all but those
        inside of another message.
        """
        ends = self._networks.ends
        if host and not all(is_own(end.before, host) for end in ends):
            messages = [end for end in ends if is_own(end.before, host)]
            ends = messages or [end for end in ends if not is_inside(end.before, host)]
        definitions: list[Names] = []
        for end in ends:
            if not definitions or (end.is_input and definitions[-1].outputs):
                definitions.append(Names([], []))  # an input after outputs is another's
            (definitions[-1].inputs if end.is_input else definitions[-1].outputs).append(end.name)
        return definitions

    def look_again(self, source: Source) -> None:
        """Reads all that was passed over. Raises as `look_back`.

        Inputs, outputs and reformats stand there where a build failed after hours, and another
        build follows in the log.
        """
        more = BuildContext()
        for skipped in self.skipped:
            line = skipped.line
            for piece in source.stretch(skipped.begin, skipped.end):
                stretch = Stretch(piece, 0, len(piece), line)
                for reader in (more._networks, more, self.kernels):
                    reader.read(stretch)
                line = stretch.number(stretch.end)
        self.skipped = []
        in_order = partial(sorted, key=attrgetter("line"))
        self._networks.ends = in_order(self._networks.ends + more._networks.ends)
        self._strategies = in_order(self._strategies + more._strategies)
        every = in_order([*self._reformats.values(), *more._reformats.values()])
        self._reformats = {(one.name, one.line): one for one in every}

    def _take(self, stretch: Stretch) -> None:
        data, begin = stretch.data, stretch.begin
        while begin < stretch.end:  # up to the next network
            timing = data.find(markers.TIMING, begin, stretch.end)
            behind = stretch.end if timing < 0 else line_end(data, timing)
            following = data.find(markers.INPUT, behind, stretch.end)
            end = stretch.end if following < 0 else line_start(data, following)
            # A network is defined before its kernels are timed.
            self._defining |= data.rfind(markers.INPUT, begin, behind) >= 0
            if self._defining:
                self._networks.read(stretch.part(begin, behind))
            self._defining &= timing < 0
            network = stretch.part(begin, end)
            self.read(network)
            self.kernels.read(network)
            if self._timed < _VERSION_WITHIN:
                self._read_version(network)
            self._timed += 0 if self._defining else end - begin
            begin = end

    @line(STRATEGY)
    def _strategy(self, line: Line) -> None:
        strategy = strategy_of(line.text, line.number)
        if strategy is not None and len(self._strategies) < STRATEGIES:
            self._strategies.append(strategy)

    # As: Adding reformat layer: y (x) from Half(4,1:8,4,4) to Half(16,4,2,1)
    @line(b"Adding reformat layer: ")
    def _reformatted(self, line: Line) -> None:
        if reformat := _reformat(line.number, decode(line.words.rstrip())):
            self._reformats[reformat.name, len(self._strategies)] = reformat

    @line(b" layers")
    def _counted(self, line: Line) -> None:
        if unheld := markers.UNHELD.search(line.text):
            self._held[-1] += int(unheld[1])
        elif passed := markers.PASS.search(line.text):
            name, layers = passed[1] or passed[2], int(passed[3])
            if name == b"Original":
                self._left, self._held = {}, [0]
            if name in _PASSES:
                self._left[name] = max(self._left.get(name, 0), layers)

    @line(markers.GENERATED)
    def _generated(self, line: Line) -> None:
        self.built = True
        if self._held[-1] and len(self._held) < COUNTS:
            self._held.append(0)

    @line(b"&")  # a rare letter is found at the memory's speed
    def _runs(self, line: Line) -> None:
        _, runs, words = line.text.partition(b"&&&& RUNNING ")
        loaded, saved = _LOADED.search(words), _SAVED.search(words)
        if runs and loaded is None:
            self.built, self._saved = True, saved[1] if saved else b""
        elif b"&&&& FAILED " in line.text or (loaded and loaded[1] and loaded[1] == self._listed):
            self.built = False

    # In the lines of the layers that need memory; up to 8.0 there is one for each layer.
    @line(b" Host Persistent: ", b" HostPersistent: ")
    def _holds(self, line: Line) -> None:
        self._held[-1] += 1

    def _read_version(self, stretch: Stretch) -> None:
        """The last version that is named; else that of a library."""
        data, begin, end = stretch.data, stretch.begin, stretch.end
        self.version = versions.last_named(data, begin, end) or self.version
        if stretch.find(b"libnvinfer") >= 0:
            self.version = self.version or versions.of_library(data, begin, end)
            self.capability = versions.capability(data, begin, end) or self.capability


def _rejected(told: Sequence[Strategy]) -> list[tuple[int, float]]:
    """The first line of each attempt whose engine was not kept, and the first one behind it.

    Nothing where the log does not say which one was kept.
    """
    begun = [strategy for strategy in told if strategy.begins]
    latest: dict[int, Strategy] = {}
    kept: Strategy | None = None
    for strategy in told:
        if strategy.begins:
            latest[strategy.number] = strategy
        elif strategy.kept:
            kept = latest.get(strategy.number, kept)
    ends = [*(strategy.line for strategy in begun[1:]), math.inf]
    return [(one.line, end) for one, end in zip(begun, ends) if kept not in (None, one)]


def _reformat(line: int, text: str) -> Reformat | None:
    """Reads `NAME (TENSOR) from FORMAT to FORMAT`; None where it is something else."""
    rest, _, target = text.rpartition(" to ")
    rest, has_tensor, source = rest.rpartition(") from ")
    if not has_tensor:
        return None
    # Names hold brackets too: the tensor is the shortest balanced end.
    depth = 1
    for place in range(len(rest) - 1, 0, -1):
        depth += (rest[place] == ")") - (rest[place] == "(")
        if depth == 0 and rest[place - 1] == " ":
            return Reformat(line, rest[: place - 1], rest[place + 1 :], source, target)
    return None
