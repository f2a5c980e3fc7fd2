"""Counts what the builder's autotuner tried for each layer.

Of every name that is timed it keeps the counts, the three fastest tactics, and what was chosen.
Lines are cut into pieces where one says what is timed; the end of a piece is read line by line.
"""

from __future__ import annotations

from operator import itemgetter
from typing import Final

from engine_layer_visualize.core.limits import IDLE, IDLE_BYTES, lazy
from engine_layer_visualize.io.source import line_end, line_start
from engine_layer_visualize.reading import tactics
from engine_layer_visualize.reading.hosts import without_host
from engine_layer_visualize.reading.markers import TIMING, Stretch
from engine_layer_visualize.reading.tactics import Operation, Printed, Runner, Timed, Trial
from engine_layer_visualize.trt.names import OPTIMIZER_REFORMAT

_COMPUTING: Final = b"=============== Computing "
_STARS_END: Final = b" ***************"
_STARS: Final = _STARS_END + b"\n"
_CHOSE_MARK: Final = b"Chose Runner Type: "
# e.g. (all) >>>>>>>>>>>>>>> Chose Runner Type: CaskConvolution Tactic: 0x0f
_CHOSE: Final = lazy(rb"Chose Runner Type: (\S+) Tactic: (\S+)")
# e.g. (-8.5) CaskConvolution has no valid tactics for this config, skipping
_NONE_VALID: Final = b" has no valid tactics"
_CACHED: Final = b"] got cached result: "
# e.g. (10) a [Half(8,1) -> Half(8,1)] got cached result: CaskConvolution, tactic 0x0f, 0.0055 ms
_RESULT: Final = lazy(rb"(\S+), tactic (\S+), ([-+.\w]+) ms")
_COSTS, _AUTOTUNING = b"Computing costs for ", b"Autotuning "
# Where the timing of kernels ends, or something else begins.
# e.g. (8-) Engine generation completed in 12.5 seconds.
# e.g. (all) Formats and tactics selection completed in 3.5 seconds.
_ENDS_TIMINGS: Final = lazy(
    rb" non-conforming implementation |selection completed in |Original: \d+ layers"
    rb"|After dead-layer removal: |=== Model Options ===|&&&& |Adding network input: "
    rb"|Loaded \d+ (?:bytes of )?timing cache|Input filename: "
    rb"|Engine generation completed in |Total Activation Memory: \d| backend strategy \d"
    rb"|Host ?Persistent: \d{1,20}(?: bytes)? Device ?Persistent: \d"
)
REFORMAT: Final = OPTIMIZER_REFORMAT.encode()
_HOST_END: Final = 6  # bytes by which a host's words are known again: `[TRT] `

_MOST_RUNNERS: Final = 256  # that are timed with the same formats
_NOTHING: Final = Stretch(b"", 0, 0, 0)


class _Now:
    """What is timed at the place where the log is read."""

    def __init__(self) -> None:
        self.runner: Runner | None = None  # whose timings follow; None: of no named layer
        self.layer = b""  # whose formats are compared
        self.formats = b""
        # By runner, with these formats, and where it stands in what is read.
        self.fastest: dict[bytes, tuple[Trial, Timed, int]] = {}
        self.inside: list[Operation] | None = None  # of the ForeignNode that is timed

    def compare(self, line: bytes) -> None:
        """Takes in `Computing costs for LAYER`, or a line without a layer."""
        _, has_layer, words = line.partition(_COSTS)
        self.layer = words[: line_end(words, 0)].strip() if has_layer else b""
        self.formats, self.fastest = b"", {}


class Autotuning:
    """The timings of one attempt to build. `before`: the attempt before it, of the same network."""

    def __init__(self, before: Autotuning | None = None) -> None:
        self.trials: dict[bytes, Trial] = {}
        # Of ForeignNodes: of an attempt before it, until this one says something of them.
        self.metadata: dict[bytes, Printed] = dict(before.metadata) if before else {}
        self._described: set[bytes] = set()  # ForeignNodes of this attempt
        self._now = _Now()
        self._runners: dict[bytes, Runner] = {}  # by the words that begin their timing
        self._host: bytes = before._host if before else b""  # its words before a message
        self._idle: set[bytes] = before._idle if before else set()  # words that say nothing
        self._stretch = _NOTHING  # what is read
        self._skips = 0  # the next place in it that may tell that a tactic was skipped

    def __bool__(self) -> bool:
        return bool(self.trials)

    def read(self, stretch: Stretch) -> int:
        """Takes in lines. Returns where the timings end, `stretch.end` if they go on."""
        self._stretch, now, place = stretch, self._now, stretch.begin
        self._skips = self._next_skip(place)
        for order, piece in enumerate(stretch.data[place : stretch.end].split(TIMING)):
            start = 0
            if order:
                place += len(TIMING)
                head = piece[: piece.find(b"\n")]
                now.runner = self._runners.get(head) or self._met(head, place)
                start = len(head) + 1
            done = self._piece(piece, place, start)
            if done is not None:
                self.pause()
                return place + done
            place += len(piece)
        for runner, (trial, timed, at) in now.fastest.items():  # what follows has other places
            now.fastest[runner] = trial, self._placed(timed, at), at
        self._stretch = _NOTHING
        return stretch.end

    def pause(self) -> None:
        """Forgets the name that was timed last: what follows belongs to another, or to none."""
        if not self._now.layer:
            self._alone()
        self._now, self._stretch = _Now(), _NOTHING

    def end(self) -> None:
        """Forgets what it keeps to read faster: no more lines of it come."""
        self._runners, self._idle = {}, set()

    def _met(self, head: bytes, place: int) -> Runner:
        """What a line begins to time: `NAME (RUNNER)` or `NAME (RUNNER[0x80000009])`."""
        name, _, words = head.rstrip(b"\r").rpartition(b" (")
        runner = words.rpartition(b")")[0].partition(b"[")[0]
        self._runners[head] = met = self._trial(name or head, place).runner(runner)
        start = line_start(data := self._stretch.data, place)
        self._host = data[start : max(data.find(b"--", start, place), start)]
        return met

    def _trial(self, name: bytes, place: int) -> Trial:
        if name not in self.trials:
            self.trials[name] = Trial(name, self._stretch.number(place))
        return self.trials[name]

    def _piece(self, piece: bytes, place: int, start: int) -> int | None:
        """Where, in the piece, the timings end; None: they go on.

        `start`: behind its first line, where that says what is timed.
        """
        now = self._now
        runner = now.runner
        if runner is None:
            return self._lines(piece, 0, place)
        trial = runner.trial
        end = piece.find(tactics.FASTEST, start)
        if runner.foreign:
            self._inside(trial, piece[: end if end >= 0 else None], place, start)
        if end < 0:
            return self._without_fastest(runner, piece, place, start)
        stop, tactic, ms = tactics.fastest(piece, end)
        if trial.odd or ms >= tactics.HOPELESS:  # it may stand in a name
            exact = tactics.FASTEST_LINE.search(piece)
            if exact is None:
                return self._without_fastest(runner, piece, place, start)
            end = exact.start()
            stop, tactic, ms = tactics.fastest(piece, end)
        now.runner = None  # the timings that follow belong to no named layer
        tried = 0 if trial.odd else piece.count(tactics.TIME, start, end)
        runner.tried += tried or len(tactics.timings(piece, start, end))
        if runner.foreign or self._skips < place + end:
            self._skip(runner, piece, place, start, end)
        works = ms < tactics.HOPELESS
        if works and runner.reformat:  # the log does not say which one was chosen: the fastest is
            known = trial.chosen.get((tactic, runner.name, now.formats))
            if known is None or ms < known.ms:
                self._keep(trial, Timed(ms, tactic, runner.name, now.formats), place + end)
        elif works:
            best = Timed(ms, tactic, runner.name, now.formats)
            if len(now.fastest) < _MOST_RUNNERS:
                now.fastest[runner.name] = trial, best, place + end
            if ms < runner.fastest:
                runner.fastest = ms
            if ms < trial.third:
                timed = tactics.timings if trial.odd or not tried else tactics.TACTIC.findall
                self._improve(runner, timed(piece, start, end))
                trial.improve(best)  # its own line may be cut out
        # What follows is most often a few lines that end in stars, and the last of them counts.
        left = piece.count(b"\n", stop)
        stars = piece.count(_STARS, stop) if left else 0
        if left == stars or self._explained(piece, stop, left, stars):
            if stars:
                self._combine(piece, stop)
            return None
        return self._lines(piece, stop, place)

    def _without_fastest(self, runner: Runner, piece: bytes, place: int, start: int) -> int | None:
        """Does the same as `_piece` where no line names the fastest tactic: up to TensorRT 8.5."""
        none_valid = b" " + runner.name + _NONE_VALID
        if start and piece.count(b"\n") == 2 and piece.find(none_valid, start) >= 0:
            return None
        timed = tactics.timings(piece, start, len(piece))
        runner.tried += len(timed)
        if runner.foreign or self._skips < place + len(piece):
            self._skip(runner, piece, place, start, len(piece))
        if not runner.reformat:  # of those the chosen one alone is kept
            self._improve(runner, timed)
        return self._lines(piece, start, place)

    def _inside(self, trial: Trial, lines: bytes, place: int, start: int) -> None:
        """Takes in the operations inside of a ForeignNode: the first timing with formats counts."""
        now = self._now
        if start:
            now.inside = None if now.formats in trial.inside else []
        if now.inside is not None and (now.inside or tactics.MARK in lines):
            tactics.read_operations(now.inside, lines, lambda at: self._stretch.number(place + at))
            trial.inside[now.formats] = now.inside

    def _skip(self, runner: Runner, piece: bytes, place: int, start: int, end: int) -> None:
        """Counts the tactics that were skipped for want of memory."""
        number, most = tactics.skipped(piece, start, end, runner.foreign)
        runner.skipped += number
        runner.scratch = max(runner.scratch, most)
        if self._skips < place + end:
            self._skips = self._next_skip(place + end)

    def _next_skip(self, place: int) -> int:
        found = self._stretch.data.find(tactics.REQUESTED, place, self._stretch.end)
        return self._stretch.end if found < 0 else found

    def _improve(self, runner: Runner, timed: list[tuple[bytes, bytes]]) -> None:
        # Of equal times the first: a stretch may end anywhere between them.
        times = [(tactics.number(words), tactic) for tactic, words in timed]
        for ms, tactic in sorted(times, key=itemgetter(0))[:3]:
            runner.fastest = min(runner.fastest, ms)
            if ms < runner.trial.third:
                runner.trial.improve(Timed(ms, tactic, runner.name, self._now.formats))

    def _explained(self, piece: bytes, begin: int, left: int, stars: int) -> bool:
        """Takes in the choice and the layer that is next; False where there are other lines."""
        computing = piece.count(_COMPUTING, begin)
        others = left - stars - computing  # lines
        chose = _CHOSE.search(piece, begin) if others == 1 else None
        if others and chose is None:
            return False
        if chose:
            self._chose(chose[1], chose[2])
        if computing:
            self._now.compare(piece[piece.rfind(_COMPUTING, begin) :])
        return True

    def _lines(self, piece: bytes, begin: int, place: int) -> int | None:
        """Reads what is rare, line by line. Returns where the timings end, as `_piece`.

        Words that said nothing once are not read again; of formats in a row the last count.
        """
        width, idle = len(self._host), self._idle
        host, start = self._host[-_HOST_END:], width - len(self._host[-_HOST_END:])
        combination = b""  # the last line of formats, until another line needs them
        for line in piece[begin:].split(b"\n"):
            words = line[width:] if host and line[start:width] == host else b""
            if line[-len(_STARS_END) :] == _STARS_END and line.find(_AUTOTUNING) >= 0:
                combination = line
            elif words not in idle:
                if combination:
                    self._combine(combination)
                    combination = b""
                if not self._line(line, place + begin):
                    if _ENDS_TIMINGS.search(line):
                        return begin
                    if 0 < len(words) < IDLE_BYTES and len(idle) < IDLE:
                        idle.add(words)
            begin += len(line) + 1
        if combination:
            self._combine(combination)
        return None

    def _line(self, line: bytes, place: int) -> bool:
        """Takes in a line that stands alone; False where it says nothing of the autotuning."""
        # `find` is faster than `in`, which looks first whether the bytes are a number.
        if line.find(_CACHED) >= 0:
            self._result(line, place)
        elif line.find(tactics.TIME) >= 0:
            if tactics.ENDED in line:  # the line that began it is not in the log
                head = self._without_host(line.partition(tactics.ENDED)[0])
                if (runner := self._runners.get(head)) is not None:
                    runner.ended(line, self._stretch.number(place))
        elif line.find(_CHOSE_MARK) >= 0 and (match := _CHOSE.search(line)):
            self._chose(match[1], match[2])
        elif line.find(_COMPUTING) >= 0:
            self._now.compare(line)
        elif line.find(b"ForeignNode {") >= 0:
            name, has_metadata, words = line.partition(b"ForeignNode ")[2].partition(b" metadata:")
            if has_metadata and name not in self._described:
                self._described.add(name)
                self.metadata[name] = Printed(words.strip(), self._stretch.number(place))
        else:
            return line.find(b"No valid tactics for ") >= 0  # a layer's name follows
        return True

    def _chose(self, runner: bytes, tactic: bytes) -> None:
        """Takes in the choice among what was timed with these formats."""
        chosen = self._now.fastest.get(runner)
        if chosen and chosen[1].tactic == tactic:
            self._keep(*chosen)
        self._now.fastest = {}

    def _keep(self, trial: Trial, timed: Timed, place: int) -> None:
        """Keeps a choice. Lines are counted for it alone, as most are of names timed before."""
        if trial.takes(timed):
            trial.chosen[timed[1:4]] = self._placed(timed, place)

    def _placed(self, timed: Timed, place: int) -> Timed:
        return timed if timed.line else Timed(*timed[:4], self._stretch.number(place))

    def _combine(self, lines: bytes, begin: int = 0) -> None:
        """Takes in the formats that are timed next: those of the last line that ends in stars."""
        now = self._now
        if now.fastest:
            if not now.layer:
                self._alone()
            now.fastest = {}
        stars = lines.rfind(_STARS_END, begin)
        start = lines.find(_AUTOTUNING, lines.rfind(b"\n", begin, stars) + 1 or begin)
        now.formats = lines[(lines.find(b":", start) + 1) or begin : stars].strip()

    def _alone(self) -> None:
        """Takes in the choice where one runner was timed: TensorRT 7 prints none then."""
        if len(self._now.fastest) == 1:
            self._keep(*next(iter(self._now.fastest.values())))

    def _result(self, line: bytes, place: int) -> None:
        """`NAME [FORMATS] got cached result: RUNNER, tactic T, 0.0055 ms`."""
        now = self._now
        before, _, after = line.rpartition(_CACHED)
        match = _RESULT.match(after)
        if match is None:
            return
        start = before.rfind(now.layer + b" [") if now.layer else -1
        if start >= 0:
            name, formats = now.layer, before[start + len(now.layer) + 2 :]
        else:
            name, _, formats = before.rpartition(b" [")
            start = name.find(REFORMAT)
            name = name[start:] if start >= 0 else self._without_host(name)
        trial = self._trial(name, place)
        trial.cached += 1
        runner, tactic, ms = match[1], match[2], tactics.number(match[3])
        if ms >= tactics.HOPELESS:
            return
        now.formats = formats
        timed = Timed(ms, tactic, runner, formats, self._stretch.number(place))
        if ms < trial.third:
            trial.improve(timed)
        # The cache holds what was chosen for these formats: no `Chose Runner Type` follows.
        now.fastest[runner] = trial, timed, place
        trial.choose(timed)

    def _without_host(self, text: bytes) -> bytes:
        """Takes away the host's words, by a line that was read before, else up to the last `] `."""
        bare = without_host(text, self._host)
        return bare if bare != text else text.rpartition(b"] ")[2]
