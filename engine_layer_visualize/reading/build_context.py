"""Reads what the log of a build says before its listing, as far as reading the listing needs it.

These are the names of inputs and outputs, reformats, kernels and TensorRT's version. Most timings
of a large file are skipped.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterable, Iterator
from operator import attrgetter
from typing import Final, NamedTuple

from engine_layer_visualize.core import limits
from engine_layer_visualize.core.limits import lazy
from engine_layer_visualize.io.source import Source, decode, line_end, line_start
from engine_layer_visualize.reading import markers, strategies
from engine_layer_visualize.reading.hosts import before_message, is_inside, is_own
from engine_layer_visualize.reading.kernels import Kernels
from engine_layer_visualize.reading.markers import Line, Stretch, Told, line
from engine_layer_visualize.trt import versions

# e.g. (all) Adding network input: x with dtype: float32, dimensions: (1, 4)
# e.g. (all) Marking y as output: y
_OUTPUT: Final = b" as output: "
# e.g. (all) Adding reformat layer: y (x) from Half(4,1:8,4,4) to Half(16,4,2,1)
_REFORMATTING: Final = b"Adding reformat layer: "
_LIBRARY: Final = b"libnvinfer"

# What counts the layers of an engine, or a part of them: a listing has no fewer. A build begins
# with the layers of its network; an attempt ends when its engine was generated.
# e.g. (all) Original: 70 layers
# e.g. (all) After reformat layers: 94 layers
# e.g. (8-) After concat removal: 57 layers
_PASSES: Final = {
    b"Original": "begins",
    b"concat removal": "passed",
    b"reformat layers": "reformatted",
}
_COUNTS: Final = (b"Original: ", b"After concat removal: ", b"After reformat layers: ")
# e.g. (8.2-) Skipped printing memory information for 6 layers with 0 memory size
_UNHELD: Final = lazy(rb"(\d{1,7}) layers with 0")
_VERSION_WITHIN: Final = 4 << 20  # bytes of a build's timings in which its version is looked for
WHOLE: Final = 8 << 20  # bytes of a build's timings that are read; the rest is passed over
_STEP_BACK: Final = 1 << 20  # the step in which the end of the timings is looked for


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


class Names:
    """The inputs and outputs of one network definition, in the log's order.

    `line`: the first one's. `entries`: Input or Output, name, shape of the line's prefix.
    """

    def __init__(self, line: int) -> None:
        self.line = line
        self.entries: list[tuple[str, str, bytes | None]] = []

    @property
    def inputs(self) -> list[str]:
        """Names of the inputs, in the log's order."""
        return [name for mode, name, _ in self.entries if mode == "Input"]

    @property
    def outputs(self) -> list[str]:
        """Names of the outputs, in the log's order."""
        return [name for mode, name, _ in self.entries if mode == "Output"]


class _Networks(Told):
    """The definitions of networks, in the log's order."""

    def __init__(self) -> None:
        self.all: list[Names] = []

    @line(markers.INPUT)
    def _input(self, line: Line) -> None:
        name, _, rest = line.words.rpartition(b" with dtype: ")
        if b", dimensions: " in rest:
            self._named("Input", name, line.before, line.number)

    @line(_OUTPUT)
    def _output(self, line: Line) -> None:
        before, marking, _ = line.before.partition(b"Marking ")
        if marking:
            self._named("Output", line.text.rpartition(_OUTPUT)[2], before, line.number)

    def _named(self, mode: str, name: bytes, before: bytes, line: int) -> None:
        names = _open(self.all, mode, line)
        names.entries.append((mode, decode(name), before_message(before)))


class BuildContext(Told):
    """What the log of one build says before its listing.

    `before`: the context of the build before it, which has the same TensorRT and GPU.
    """

    def __init__(self, version: str | None = None, before: BuildContext | None = None) -> None:
        self._networks = _Networks()
        self._reformats: dict[tuple[str, int], Reformat] = {}  # by name and attempt
        self._strategies: list[strategies.Strategy] = []
        self._counted: list[tuple[int, str, int]] = []  # line, what counts, layers
        self._held = 0  # layers whose memory the attempt tells
        self.kernels = Kernels()
        self.version: str | None = version if before is None else before.version
        # The GPU's compute capability, by the library of the builder's kernels, loaded once.
        self.capability: str | None = None if before is None else before.capability
        self.skipped: list[PassedOver] = []
        self._defining = True  # no kernel was timed since the last input
        self._timed = 0  # bytes since the timings began

    def take(self, stretch: Stretch, offset: int | None = None) -> None:
        """Takes in lines; `offset`: where they begin in the file.

        Inputs are named before the first timing, reformats after the last, a kernel wherever it was
        timed. So only the first `WHOLE` bytes of timings are read. The rest is noted in `skipped`,
        where the file can be read again.
        """
        if offset is None:
            self._take(stretch)
            return
        end = offset + stretch.end - stretch.begin
        if self._timed < WHOLE:
            self._take(stretch)
        elif self.skipped and self.skipped[-1].end == offset:
            last = self.skipped[-1]
            self.skipped[-1] = PassedOver(last.begin, end, last.line)
        elif stretch:
            self.skipped.append(PassedOver(offset, end, stretch.line))

    def look_back(self, source: Source, line: int) -> None:
        """Reads the last skipped lines, as far back as the last timing. `line`: of what follows.

        Raises ReadError (ELV401) where the file is there no more.
        """
        if not self.skipped:
            return
        last = self.skipped.pop()
        begin, timed = last.end, False
        while begin > last.begin and not timed:
            begin, until = max(last.begin, begin - _STEP_BACK), begin
            data = b"".join(source.stretch(begin, until))
            cut = data.find(b"\n") + 1
            if begin > last.begin and cut < len(data):  # else a line longer than a step
                begin += cut
            timed = data.find(markers.TIMING) >= 0
        pieces = list(source.stretch(begin, last.end))
        line -= sum(piece.count(b"\n") for piece in pieces)
        if begin > last.begin:
            self.skipped.append(PassedOver(last.begin, begin, last.line))
        for stretch in _stretches(pieces, line):
            self._take(stretch)

    @property
    def names(self) -> list[Names]:
        """The inputs and outputs of each network that was defined."""
        return self._networks.all

    @property
    def reformats(self) -> dict[str, Reformat]:
        """By name those that were added to the engine; attempts that were not kept added others."""
        shut = strategies.rejected(self._strategies)
        return {
            reformat.name: reformat
            for reformat in self._reformats.values()
            if strategies.outside(reformat.line, shut)
        }

    @property
    def least_layers(self) -> int:
        """The least number of layers that the log counts before the listing.

        It is 0 where the log counts none, or does not tell which attempt was kept.
        """
        # Up to 8.0 TensorRT lists fewer than passes count: no no-ops. It tells the memory of all.
        return self.held_layers or self.passed_layers

    @property
    def passed_layers(self) -> int:
        """How many layers passes of the optimiser leave, at least; 0 as `least_layers`."""
        return max(self._counts("passed") or self._counts("reformatted"), default=0)

    @property
    def held_layers(self) -> int:
        """The number of layers whose memory the log tells: those of the engine.

        Layers that need no memory are counted. 0 as `least_layers`. Of attempts without a name the
        smallest number counts.
        """
        return min(self._counts("held"), default=0)

    def _counts(self, what: str) -> list[int]:
        """Counts of the last build, but of attempts that were not kept."""
        if strategies.undecided(self._strategies):
            return []
        shut = strategies.rejected(self._strategies)
        counts: list[int] = []
        for number, kind, layers in self._counted:
            if kind == "begins":
                counts = []
            elif kind == what and strategies.outside(number, shut):
                counts.append(layers)
        if what == "held" and self._held:
            counts.append(self._held)
        return counts

    @property
    def lacks_attempt(self) -> bool:
        """Whether the attempt that was kept may lie in what was passed over."""
        last = self._strategies[-1:]
        return bool(self.skipped and last) and not last[0].kept

    def definitions(self, host: bytes | None) -> list[Names]:
        """The network definitions that the log names.

        `host`: the shape of what stands before a message. A name can hold the words of a message,
        too: where any stands right behind the host's words, only those count; else all but those
        inside of another message.
        """
        entries = [entry for names in self.names for entry in names.entries]
        if not host or all(is_own(before, host) for _, _, before in entries):
            return self.names
        messages = [entry for entry in entries if is_own(entry[2], host)]
        kept = messages or [entry for entry in entries if not is_inside(entry[2], host)]
        definitions: list[Names] = []
        for mode, name, stands in kept:
            _open(definitions, mode, self.names[0].line).entries.append((mode, name, stands))
        return definitions

    def look_again(self, source: Source) -> None:
        """Reads inputs, outputs and reformats of all that was passed over. Raises as `look_back`.

        They stand there where a build failed after hours, and another build follows in the log.
        """
        more = BuildContext()
        for skipped in self.skipped:
            for stretch in _stretches(source.stretch(skipped.begin, skipped.end), skipped.line):
                more._networks.read(stretch)
                more.read(stretch)
        self._networks.all = sorted((*self.names, *more.names), key=attrgetter("line"))
        every = (*more._reformats.values(), *self._reformats.values())
        self._strategies = sorted((*self._strategies, *more._strategies), key=attrgetter("line"))
        self._reformats = {
            self._key(reformat): reformat for reformat in sorted(every, key=attrgetter("line"))
        }

    def _take(self, stretch: Stretch) -> None:
        data, begin = stretch.data, stretch.begin
        while begin < stretch.end:  # up to the next network
            timing = data.find(markers.TIMING, begin, stretch.end)
            behind = stretch.end if timing < 0 else line_end(data, timing)
            following = data.find(markers.INPUT, behind, stretch.end)
            end = stretch.end if following < 0 else line_start(data, following)
            self._take_network(stretch.part(begin, end), timing, behind)
            begin = end

    def _take_network(self, stretch: Stretch, timing: int, behind: int) -> None:
        """`timing`: where the first one stands, -1: nowhere; `behind`: the end of its line."""
        # A network is defined before its kernels are timed.
        self._defining |= stretch.data.rfind(markers.INPUT, stretch.begin, behind) >= 0
        if self._defining:
            self._networks.read(stretch.part(stretch.begin, behind))
        self._defining &= timing < 0
        self.read(stretch)
        self.kernels.read(stretch)
        if self._timed < _VERSION_WITHIN:
            self._read_version(stretch)
        self._timed += 0 if self._defining else stretch.end - stretch.begin

    @line(strategies.MARK)
    def _strategy(self, line: Line) -> None:
        strategy = strategies.of(line.text, line.number)
        if strategy is not None and len(self._strategies) < limits.STRATEGIES:
            self._strategies.append(strategy)

    @line(_REFORMATTING)
    def _reformatted(self, line: Line) -> None:
        if reformat := _reformat(line.number, decode(line.words.rstrip())):
            self._reformats[self._key(reformat)] = reformat

    @line(*_COUNTS)
    def _passed(self, line: Line) -> None:
        if passed := markers.PASS.match(line.mark + line.words):
            self._count(line.number, _PASSES[passed[1] or passed[2]], int(passed[3]))

    @line(markers.GENERATED)
    def _generated(self, line: Line) -> None:
        self._count(line.number, "ends", 0)

    # In the lines of the layers that need memory; up to 8.0 there is one for each layer.
    @line(b" Host Persistent: ", b" HostPersistent: ")
    def _holds(self, line: Line) -> None:
        self._held += 1

    @line(b"Skipped printing memory information for ")
    def _unheld(self, line: Line) -> None:
        if match := _UNHELD.match(line.words):
            self._held += int(match[1])

    def _count(self, line: int, kind: str, layers: int) -> None:
        """Keeps how many layers there are; what was held belongs to the attempt before."""
        if len(self._counted) >= limits.COUNTS:
            return
        if kind in ("begins", "ends") and self._held:
            self._counted.append((line, "held", self._held))
            self._held = 0
        self._counted.append((line, kind, layers))

    def _key(self, reformat: Reformat) -> tuple[str, int]:
        return reformat.name, bisect(self._strategies, reformat.line, key=attrgetter("line"))

    def _read_version(self, stretch: Stretch) -> None:
        """The last version that is named; else that of a library."""
        data, begin, end = stretch.data, stretch.begin, stretch.end
        self.version = versions.last_named(data, begin, end) or self.version
        if stretch.find(_LIBRARY) >= 0:
            self.version = self.version or versions.of_library(data, begin, end)
            self.capability = versions.capability(data, begin, end) or self.capability


def _stretches(pieces: Iterable[bytes], line: int) -> Iterator[Stretch]:
    """Pieces of a file as lines; `line`: of the first."""
    for piece in pieces:
        stretch = Stretch(piece, 0, len(piece), line)
        yield stretch
        line = stretch.number(stretch.end)


def _open(definitions: list[Names], mode: str, line: int) -> Names:
    """The definition that an input or output belongs to: an input after outputs is another's."""
    if not definitions or (mode == "Input" and definitions[-1].entries[-1][0] == "Output"):
        definitions.append(Names(line))
    return definitions[-1]


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
