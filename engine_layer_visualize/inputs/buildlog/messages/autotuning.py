"""Counts what the builder's autotuner tried for each layer.

Stretches of one build's log in which kernels are timed go in, as bytes of whole lines; out comes
`Autotuning`: for every timed name its counts, its three fastest tactics, what was chosen. A stretch
is cut into pieces where a line says what is timed; only the end of a piece is read line by line.
"""

from __future__ import annotations

from operator import itemgetter
from typing import Final, TypeAlias

from engine_layer_visualize.core.patterns import lazy
from engine_layer_visualize.inputs.buildlog.messages import workspace
from engine_layer_visualize.inputs.buildlog.messages.autotuning_counts import (
    HOPELESS,
    Chosen,
    Count,
    Printed,
    Runner,
    Trial,
)
from engine_layer_visualize.inputs.buildlog.messages.tactic_times import (
    FASTEST,
    FASTEST_LINE,
    TACTIC,
    TIME,
    fastest,
    number,
    timings,
)
from engine_layer_visualize.inputs.buildlog.prefixes import without_host
from engine_layer_visualize.io.source import line_end, line_start
from engine_layer_visualize.trt.layer_names import OPTIMIZER_REFORMAT

RUNNER: Final = b"Timing Runner: "
_SECONDS: Final = b"profiling completed in "
_COMPUTING: Final = b"=============== Computing "
_STARS_END: Final = b" ***************"
_STARS: Final = _STARS_END + b"\n"
_CHOSE_MARK: Final = b"Chose Runner Type: "
# e.g. (all) >>>>>>>>>>>>>>> Chose Runner Type: CaskConvolution Tactic: 0x0f
_CHOSE: Final = lazy(rb"Chose Runner Type: (\S+) Tactic: (\S+)")
# e.g. (10) Skipping CaskConvolution: No valid tactics for a + b
_SKIPPING: Final = lazy(rb"Skipping (\w+): No valid tactics for (.*)")
_NONE_VALID: Final = b" has no valid tactics"
_CACHED: Final = b"] got cached result: "
# e.g. (10) a [Half(8,1) -> Half(8,1)] got cached result: CaskConvolution, tactic 0x0f, 0.0055 ms
_RESULT: Final = lazy(rb"(\S+), tactic (\S+), ([-+.\w]+) ms")
_COSTS, _AUTOTUNING = b"Computing costs for ", b"Autotuning "
# Where the timing of kernels ends, or something else begins.
# e.g. (8-) Engine generation completed in 12.5 seconds.
# e.g. (all) Formats and tactics selection completed in 3.5 seconds.
_END: Final = lazy(
    rb" non-conforming implementation |selection completed in |Original: \d+ layers"
    rb"|After dead-layer removal: |=== Model Options ===|&&&& |Adding network input: "
    rb"|Loaded \d+ (?:bytes of )?timing cache|Input filename: "
    rb"|Engine generation completed in |Total Activation Memory: \d| backend strategy \d"
    rb"|Host ?Persistent: \d{1,20}(?: bytes)? Device ?Persistent: \d"
)
REFORMAT: Final = OPTIMIZER_REFORMAT.encode()
_HOST_END: Final = 6  # bytes by which a host's words are known again: `[TRT] `
_MOST_IDLE, _LONGEST_IDLE = 10_000, 500  # lines that say nothing; bytes of one

_Placed: TypeAlias = Trial | Chosen | Printed  # what gets the number of its line


class Autotuning:
    """The timings of one attempt to build. `before`: the attempt before it, of the same network."""

    def __init__(self, before: Autotuning | None = None) -> None:
        self.trials: dict[bytes, Trial] = {}
        # Of ForeignNodes: of an attempt before it, until this one says something of them.
        self.metadata: dict[bytes, Printed] = dict(before.metadata) if before else {}
        self._described: set[bytes] = set()
        self.hints = workspace.Hints()
        self._skipping = -1  # the place of the last piece that skips a tactic for memory
        self._heads: dict[bytes, Runner] = {}
        self._now: Runner | None = None  # the name and the runner that are timed
        self._costs = b""  # the layer whose formats are being compared
        self._formats = b""
        # What each runner did best with these formats: tactic, ms, the place of the time.
        self._fastest: dict[bytes, tuple[bytes, float, int, Chosen | None]] = {}
        self._last: Trial | None = None
        self._old = False  # no `profiling completed in`, no cached results: up to TensorRT 8.5
        self._prefix: bytes = before._prefix if before else b""  # the host's words before a message
        self._idle: set[bytes] = before._idle if before else set()  # words that say nothing
        self._pending: list[tuple[int, _Placed]] = []

    def __bool__(self) -> bool:
        return bool(self.trials)

    def read(self, data: bytes, at: int, end: int, line: int, warned: bool = True) -> int:
        """Takes in `data[at:end]`. Returns where the timings end, `end` if they go on.

        `warned`: whether the stretch holds a warning.
        """
        first, *pieces = data[at:end].split(RUNNER)
        warned = warned or not workspace.names_severity(self._prefix)
        skips = workspace.mark_of_skips(data, at, end, warned)
        self._skipping = -1
        place = at
        done = self._piece(first, place, skips, 0)
        if not pieces or self.hints.short or self._skipping == place:
            self._advised(first[:done], place)
        place += len(first) if done is None else 0
        heads, length = self._heads, len(RUNNER)
        for piece in pieces if done is None else ():
            place += length
            head = piece[: piece.find(b"\n")]
            self._now = now = heads.get(head) or self._met(head, place, data)
            now.counted.profilings += 1
            done = self._piece(piece, place, skips, len(head) + 1)
            if skips and self._skipping == place:
                self.hints.begin()
                self._advised(piece[:done], place)
            if done is not None:
                break
            place += len(piece)
        if pieces and done is None and self._skipping != place - len(pieces[-1]):
            self.hints.begin()
            self._advised(pieces[-1], place - len(pieces[-1]))  # it may go on
        self._settle(data, at, line)
        if done is None:
            return end
        self.pause()
        return place + done

    def pause(self) -> None:
        """Forgets the name that was timed last: what follows belongs to another, or to none."""
        self._now, self._last, self._formats, self._costs = None, None, b"", b""
        self._fastest = {}
        self.hints.begin()

    # ---- one piece: from a `Timing Runner: ` to the next -------------------------------------

    def _met(self, head: bytes, place: int, data: bytes) -> Runner:
        """What a line begins to time: `NAME (RUNNER)` or `NAME (RUNNER[0x80000009])`."""
        name, _, words = head.rstrip(b"\r").rpartition(b" (")
        runner = words.rpartition(b")")[0].partition(b"[")[0]
        trial = self._trial(name or head, place)
        count = trial.runners.setdefault(runner, Count())
        found = self._heads[head] = Runner(trial, count, runner, runner == b"Reformat")
        start = line_start(data, place)
        self._prefix = data[start : max(data.find(b"--", start, place), start)]
        return found

    def _trial(self, name: bytes, place: int) -> Trial:
        trial = self.trials.get(name)
        if trial is None:
            trial = self.trials[name] = Trial()
            trial.odd = b"Tactic" in name or b"Time:" in name
            self._later(place, trial)
        return trial

    def _piece(self, piece: bytes, place: int, skips: bytes, start: int) -> int | None:
        """Returns where, in the piece, the timings end; None if they go on.

        `start`: behind its first line, where that says what is timed. `skips`: of `mark_of_skips`.
        """
        now = self._now
        if now is None:
            return self._lines(piece, 0, place)
        self._last = trial = now.trial
        at = piece.find(FASTEST, start)
        if at < 0:
            return self._without_fastest(now, piece, place, skips, start)
        words, _, rest = piece[at + len(FASTEST) :].partition(b"\n")
        tactic, _, words = words.partition(TIME)
        ms = number(words)
        if trial.odd or ms >= HOPELESS:  # it may stand in a name
            exact = FASTEST_LINE.search(piece)
            if exact is None:
                return self._without_fastest(now, piece, place, skips, start)
            at, stop, tactic, ms = fastest(piece, exact.start())
            rest = piece[stop:]
        self._now = None  # the timings that follow belong to no named layer
        count = now.counted
        tried = 0 if trial.odd else piece.count(TIME, start, at)
        count.tried += tried or len(timings(piece, start, at))
        if skips and piece.find(skips, start, at) >= 0:
            self._skip(count, piece, place, start, at)
        if not self._old:
            self._cost(count, piece, at)
        if ms >= HOPELESS:
            count.unfit += 1
        elif now.reformat:  # the log does not say which one was chosen: the fastest is
            key = tactic, now.name, self._formats
            known = trial.chosen.get(key)
            if (known is None or ms < known.ms) and trial.choose(key, ms):
                chosen = trial.chosen[key] = Chosen(ms)
                self._later(place + at, chosen)
        else:
            self._fastest[now.name] = tactic, ms, place + at, None
            count.fastest = min(count.fastest, ms)
            if ms < trial.third:
                timed = timings if trial.odd or not tried else TACTIC.findall
                self._improve(now, timed(piece, start, at))
        # What follows is most often a few lines that end in stars, and the last of them counts.
        left = rest.count(b"\n")
        if not left:
            return None
        stars = rest.count(_STARS)
        if left == stars or self._explained(rest, left, stars):
            if stars:
                self._combine(rest)
            return None
        return self._lines(piece, len(piece) - len(rest), place)

    def _without_fastest(
        self, now: Runner, piece: bytes, place: int, skips: bytes, start: int
    ) -> int | None:
        """As `_piece`, where no line names the fastest tactic: up to TensorRT 8.5."""
        if start and piece.count(b"\n") == 2 and b" " + now.name + _NONE_VALID in piece:
            now.counted.unfit += 1
            return None
        found = timings(piece, start, len(piece))
        now.counted.tried += len(found)
        if skips and piece.find(skips, start) >= 0:
            self._skip(now.counted, piece, place, start, len(piece))
        if not now.reformat:  # of those the chosen one alone is kept
            self._improve(now, found)
        return self._lines(piece, start, place)

    def _skip(self, count: Count, piece: bytes, place: int, start: int, stop: int) -> None:
        named = workspace.names_severity(self._prefix)
        if count.skip(*workspace.skipped(piece, start, stop, named)):
            self._skipping = place

    def _cost(self, count: Count, piece: bytes, at: int) -> None:
        start = piece.rfind(_SECONDS, max(0, at - 80), at)
        if start < 0:
            self._old = True
            return
        seconds = number(piece[start + len(_SECONDS) : at].split(b" ", 1)[0])
        if seconds < HOPELESS:
            count.seconds += seconds
            count.timed = True

    def _improve(self, now: Runner, found: list[tuple[bytes, bytes]]) -> None:
        # Of equal times the first: a stretch may end anywhere between them.
        timed = [(number(words), tactic) for tactic, words in found]
        for ms, tactic in sorted(timed, key=itemgetter(0))[:3]:
            now.counted.fastest = min(now.counted.fastest, ms)
            if ms < now.trial.third:
                now.trial.improve(ms, tactic, now.name, self._formats)

    # ---- what stands between timings ---------------------------------------------------------

    def _explained(self, rest: bytes, left: int, stars: int) -> bool:
        """Takes in the choice and the layer that is next; False where there are other lines."""
        computing = rest.count(_COMPUTING)
        left -= stars + computing
        if left == 1:
            found = rest.find(_CHOSE_MARK)
            match = _CHOSE.match(rest, found) if found >= 0 else None
            if match is None:
                return False
            self._chose(match[1], match[2])
        elif left:
            return False
        if computing:
            self._compare(rest[rest.rfind(_COMPUTING) :])
        return True

    def _compare(self, line: bytes) -> None:
        found = line.find(_COSTS)
        words = line[found + len(_COSTS) : line_end(line, found)]
        self._costs = words.strip() if found >= 0 else b""
        self._formats, self._fastest = b"", {}

    def _combine(self, lines: bytes) -> None:
        """The last line that ends in stars names the formats that are timed next."""
        stars = lines.rfind(_STARS_END)
        start = lines.find(_AUTOTUNING, lines.rfind(b"\n", 0, stars) + 1)
        self._formats = lines[lines.find(b":", start) + 1 : stars].strip()
        self._fastest = {}

    def _lines(self, piece: bytes, at: int, place: int) -> int | None:
        """Reads what is rare, line by line. Returns as `_piece`.

        Words that said nothing once are not read again; of formats in a row the last count.
        """
        width, idle = len(self._prefix), self._idle
        host = self._prefix[-_HOST_END:]
        combination = b""  # the last line of formats, until another line needs them
        for line in piece[at:].split(b"\n"):
            words = line[width:] if host and line[width - len(host) : width] == host else b""
            if line.endswith(_STARS_END) and _AUTOTUNING in line:
                combination = line
            elif words not in idle:
                if combination:
                    self._combine(combination)
                    combination = b""
                if _CACHED in line:
                    self._result(line, place + at)
                elif TIME not in line and not self._rarer(line, place + at):
                    if _END.search(line):
                        return at
                    if 0 < len(words) < _LONGEST_IDLE and len(idle) < _MOST_IDLE:
                        idle.add(words)
            at += len(line) + 1
        if combination:
            self._combine(combination)
        return None

    def _rarer(self, line: bytes, place: int) -> bool:
        """Takes in a line that is no timing; False where it says nothing of the autotuning."""
        if match := _CHOSE.search(line):
            self._chose(match[1], match[2])
        elif match := _SKIPPING.search(line):
            self._unfit(match[1], self.trials.get(match[2].strip(), self._last))
        elif (found := line.find(_NONE_VALID)) >= 0:
            self._unfit(line[:found].rpartition(b" ")[2], self._last)
        elif _COMPUTING in line:
            self._compare(line)
        elif b"ForeignNode {" in line:
            name, found_it, words = line.partition(b"ForeignNode ")[2].partition(b" metadata:")
            if found_it and name not in self._described:
                self._described.add(name)
                self.metadata[name] = Printed(words.strip())
                self._later(place, self.metadata[name])
        else:
            return False
        return True

    def _chose(self, runner: bytes, tactic: bytes) -> None:
        if self._last is not None:
            self._choose(self._last, tactic, runner)
        self._fastest = {}

    def _choose(self, trial: Trial, tactic: bytes, runner: bytes) -> None:
        found = self._fastest.get(runner)
        if found is None or found[0] != tactic:
            return
        _, ms, place, chosen = found
        key = tactic, runner, self._formats
        if not trial.choose(key, ms):
            return
        if chosen is None:
            chosen = Chosen(ms)
            self._later(place, chosen)
        trial.chosen[key] = chosen

    def _unfit(self, runner: bytes, trial: Trial | None) -> None:
        if trial is not None:
            trial.runners.setdefault(runner, Count()).unfit += 1

    def _result(self, line: bytes, place: int) -> None:
        """`NAME [FORMATS] got cached result: RUNNER, tactic T, 0.0055 ms`."""
        before, _, after = line.rpartition(_CACHED)
        match = _RESULT.match(after)
        if match is None:
            return
        named = before.rfind(self._costs + b" [") if self._costs else -1
        if named >= 0:
            name, formats = self._costs, before[named + len(self._costs) + 2 :]
        else:
            name, _, formats = before.rpartition(b" [")
            start = name.find(REFORMAT)
            name = name[start:] if start >= 0 else self._unprefixed(name)
        trial = self._last = self._trial(name, place)
        trial.cached += 1
        runner, tactic, ms = match[1], match[2], number(match[3])
        if ms >= HOPELESS:
            return
        self._formats = formats
        if ms < trial.third:
            trial.improve(ms, tactic, runner, formats)
        # The cache holds what was chosen for these formats: no `Chose Runner Type` follows.
        self._fastest[runner] = tactic, ms, place, None
        self._choose(trial, tactic, runner)

    def _unprefixed(self, text: bytes) -> bytes:
        """Without the host's words; by a line that was read before, else up to the last `] `."""
        bare = without_host(text, self._prefix)
        return bare if bare != text else text.rpartition(b"] ")[2]

    def _advised(self, part: bytes, place: int) -> None:
        for at, hint in self.hints.read(part, place, self._skipping == place):
            self._later(at, hint)

    # ---- numbers of lines --------------------------------------------------------------------

    def _later(self, place: int, target: _Placed) -> None:
        self._pending.append((place, target))

    def _settle(self, data: bytes, at: int, line: int) -> None:
        """Turns places of this stretch into numbers of lines."""
        for runner, (tactic, ms, place, chosen) in self._fastest.items():
            if chosen is None:  # its choice may stand in the next stretch
                chosen = Chosen(ms)
                self._later(place, chosen)
                self._fastest[runner] = tactic, ms, 0, chosen
        for place, target in sorted(self._pending, key=itemgetter(0)):
            if place > at:
                line += data.count(b"\n", at, place)
                at = place
            target.line = line
        self._pending = []
