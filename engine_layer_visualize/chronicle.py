"""The story of a log: which build each of its lines belongs to.

takes: the stretches of a log in order, and word of every listing
gives: `Account`s, one for each engine: the sheet, the definition, the attempts, the autotuning
never: lets a line of a build that failed count for the next one
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from engine_layer_visualize.autotuning import Autotuning
from engine_layer_visualize.knowledge import Message, Severity
from engine_layer_visualize.mentions import Attempt, Definition
from engine_layer_visualize.sheets import Sheet
from engine_layer_visualize.source import decode, line_end, line_start

_MOST_MESSAGES: Final = 100
_LONGEST: Final = 500
_MOST_ATTEMPTS: Final = 64
_FREQUENT: Final = 1000  # of a letter in a stretch: then the whole mark is searched

# Where kernels begin to be timed.
_TIMING: Final = (b"--- Timing Runner: ", b"=== Computing ", b"*** Autotuning ")
# Where something begins: a run of trtexec, a network's definition, a build.
_RUN, _OPTIONS, _DEFINED, _PARSED = (
    b"&&&& RUNNING",
    b"=== Model Opt",
    b"Adding network input: ",
    b"Parsing node: ",
)
_BUILD, _BUILD_TOO, _DONE = (
    b"Original: ",
    b"After dead-layer removal: ",
    b"Engine generation completed in ",
)
_ORIGINAL: Final = re.compile(rb"Original: \d{1,9} layers")
_SEVERE: Final[tuple[tuple[bytes, bytes, bytes, Severity], ...]] = (
    (b"W", b"[W] ", b"WARNING: ", "warning"),
    (b"E", b"[E] ", b"ERROR: ", "error"),
)
# Marks, and how many bytes before what is searched they start.
_Marks: TypeAlias = tuple[tuple[bytes, int], ...]
_HARMLESS: Final = (b"[V]", b"[I]", b"VERBOSE:", b"INFO:")


@dataclass(slots=True)
class Account:
    """All that was read for one engine. `attempts`: the builder may try several ways.

    `tunings`: the autotuning of each attempt.
    """

    sheet: Sheet = field(default_factory=Sheet)
    definition: Definition = field(default_factory=Definition)
    attempts: list[Attempt] = field(default_factory=lambda: [Attempt()])
    tunings: list[Autotuning] = field(default_factory=lambda: [Autotuning()])
    messages: list[Message] = field(default_factory=list)
    counts: dict[Severity, int] = field(default_factory=lambda: {"warning": 0, "error": 0})
    done: bool = False  # the last attempt was completed

    @property
    def begun(self) -> bool:
        """Whether anything of a build was read."""
        return any(self.tunings) or any(self.attempts)

    @property
    def autotuning(self) -> Autotuning:
        """That of the last attempt."""
        return self.tunings[-1]

    def attempt(self) -> Attempt:
        """The one that lines are of now."""
        if self.done and len(self.attempts) < _MOST_ATTEMPTS:
            self.attempts.append(Attempt())
            self.tunings.append(Autotuning(self.tunings[-1]))
        self.done = False
        return self.attempts[-1]


class Chronicle:
    """Reads a log for the facts of its engines."""

    def __init__(self) -> None:
        self._account = Account()
        self._last: Account | None = None  # of the last listing, as long as nothing new began
        self._timing = False
        self._warnings = 0  # in the whole log

    def read(self, data: bytes, at: int, end: int, line: int) -> None:
        """Takes in `data[at:end]`, whole lines outside of listings; `line` numbers the first."""
        warnings = self._warnings
        self._severe(data, at, end, line)
        warned = self._warnings > warnings
        counted = start = at
        while at < end:
            if self._timing:
                stop = self._account.autotuning.read(data, at, end, line, warned)
                self._timing = stop == end
                if stop == end:
                    return
                line += data.count(b"\n", counted, stop)
                counted = at = stop
                start = line_end(data, at)  # what ended the timings is no beginning of them
            stop = self._timings(data, start, end)
            self._rest(data, at, stop, line)
            if stop == end:
                return
            line += data.count(b"\n", counted, stop)
            counted = at = start = stop
            self._timing = True
            if self._last is not None:
                self._renew(keep_definition=True)

    def listed(self, dump: bool = False) -> Account:
        """The account of the listing that was read. A dump shows the engine before it."""
        self._timing = False
        self._account.autotuning.pause()
        if dump and self._last is not None:
            return self._last
        if self._last is not None:  # two listings and nothing between
            self._renew(keep_definition=True)
        self._last = self._account
        return self._last

    def _timings(self, data: bytes, at: int, end: int) -> int:
        """Where the next timings start, `end` if nowhere."""
        if at >= end:
            return end
        found = [data.find(mark, at, end) for mark in _TIMING]
        first = min((place for place in found if place >= 0), default=end)
        return max(line_start(data, first), at) if first < end else end

    # ---- what is no timing -------------------------------------------------------------------

    def _rest(self, data: bytes, at: int, end: int, line: int) -> None:
        """Cuts a stretch where something begins."""
        for place, mark in self._beginnings(data, at, end):
            start = max(line_start(data, place), at)
            self._tell(data, at, start, line)
            line += data.count(b"\n", at, start)
            at = start
            self._begin(mark)
        self._tell(data, at, end, line)

    def _tell(self, data: bytes, at: int, end: int, line: int) -> None:
        if at >= end:
            return
        account = self._account
        account.sheet.read(data, at, end, line)
        if self._last is None:
            account.definition.read(data, at, end, line)
            account.attempt().read(data, at, end, line)
        else:  # trtexec names the outputs' extents when it makes their buffers
            account.definition.read_bindings(data, at, end, line)

    def _beginnings(self, data: bytes, at: int, end: int) -> list[tuple[int, bytes]]:
        found: list[tuple[int, bytes]] = []
        for mark in (_RUN, _OPTIONS, _DEFINED, _PARSED, _BUILD, _BUILD_TOO, _DONE):
            place = data.find(mark, at, end)
            while place >= 0:
                if mark is not _BUILD or _ORIGINAL.match(data, place, end):
                    found.append((place, mark))
                place = data.find(mark, line_end(data, place), end)
        found.sort()
        # Of a definition's many lines the first is enough.
        return [
            one
            for before, one in zip([(0, b""), *found], found)
            if not (one[1] in (_DEFINED, _PARSED) and before[1] in (_DEFINED, _PARSED))
        ]

    def _begin(self, mark: bytes) -> None:
        account = self._account
        if mark == _DONE:
            account.done = self._last is None
        elif mark == _RUN or (mark == _OPTIONS and (account.begun or account.sheet.options)):
            self._account, self._last = Account(), None
        elif mark in (_DEFINED, _PARSED):
            if account.begun or self._last is not None:
                self._renew(keep_definition=False)
        elif mark in (_BUILD, _BUILD_TOO):
            passes = account.attempts[-1].passes
            same = mark == _BUILD_TOO and len(passes) == 1 and passes[0].name == "Original"
            if (account.begun or self._last is not None) and not same:
                self._renew(keep_definition=True)

    def _renew(self, keep_definition: bool) -> None:
        """Another build of the same run: what was said of the one before is not said of it."""
        before = self._account
        sheet = Sheet(options=before.sheet.options)
        definition = before.definition if keep_definition else Definition()
        self._account, self._last = Account(sheet, definition), None

    # ---- warnings and errors -----------------------------------------------------------------

    def _severe(self, data: bytes, at: int, end: int, line: int) -> None:
        for letter, short, long, severity in _SEVERE:
            # A letter is found at the memory's speed, a mark at a tenth of it.
            if data.count(letter, at, end) <= _FREQUENT:
                self._search(data, at, end, line, letter, ((short, 1), (long, 0)), severity)
            else:
                self._search(data, at, end, line, short, ((short, 0),), severity)
                self._search(data, at, end, line, long, ((long, 0),), severity)

    def _search(
        self,
        data: bytes,
        at: int,
        end: int,
        line: int,
        sought: bytes,
        marks: _Marks,
        severity: Severity,
    ) -> None:
        place = counted = at
        while (found := data.find(sought, place, end)) >= 0:
            place = found + 1
            for mark, inside in marks:
                start = found - inside
                if start < at or not data.startswith(mark, start):
                    continue
                place = line_end(data, found)
                before = data[line_start(data, start) : start]
                if not any(word in before for word in _HARMLESS):
                    line += data.count(b"\n", counted, start)
                    counted = start
                    words = data[start + len(mark) : place].removeprefix(b"[TRT] ")
                    self._message(severity, decode(words[:_LONGEST]).strip(), line)
                break

    def _message(self, severity: Severity, text: str, line: int) -> None:
        account = self._account
        account.counts[severity] += 1
        self._warnings += severity == "warning"
        if sum(message.severity == severity for message in account.messages) < _MOST_MESSAGES:
            account.messages.append(Message(severity, text, line))
