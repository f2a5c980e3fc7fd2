"""Follows which range of TensorRT each thread is in, and collects what was launched there.

A *run* is one `ExecutionContext::enqueue`; a *slot* is a range inside of it, by the names of the
ranges around it, and collects what all runs of all threads launched there.
"""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Callable
from typing import Final, TypeAlias

from engine_layer_visualize.inputs.profiles.nsight.gaps import Gaps

FOREVER: Final = 1 << 62  # ends a range that was still open when the recording stopped
SHIFT: Final = 40  # a launch is one number: its run above, its nanoseconds (18 minutes) below
LONGEST: Final = (1 << SHIFT) - 1  # nanoseconds of a launch
NOT_KEPT: Final = (1 << 32) - 1  # for a time on the host of 4 s and more
MOST_RUNS: Final = 1 << (64 - SHIFT)  # what is left of 64 bits
MOST_SLOTS: Final = 1 << 18  # an engine has as many as layers and kernels
MOST_KINDS: Final = 1_000  # of runs, by the ranges that they went through
_MOST_OPEN: Final = 64  # ranges in each other; TensorRT makes three or four
_RUN: Final = re.compile(r"ExecutionContext::(?:enqueue|execute)")
_BUILD: Final = re.compile("build", re.IGNORECASE)

Name: TypeAlias = "str | int"  # a text, or its id in StringIds
Cell: TypeAlias = "tuple[int, Launches]"  # a run, shifted, and what its slot launched
# The last: how many ranges of each name were entered inside.
_Frame: TypeAlias = "tuple[int, Cell, Slot, _Run, dict[Name, int]]"


class TooMany(Exception):
    """A report of more runs or ranges than a program can have."""


class Unsorted(Exception):
    """The rows of this stream do not stand in order of time."""


class Launches(dict[Name, "array[int]"]):
    """What a slot launched, by its name. `gaps`: those before it."""

    __slots__ = ("gaps",)

    def __init__(self) -> None:
        self.gaps = Gaps()


class Slot:
    """A range inside a run; `number`: which of its name inside `parent`, from 0."""

    __slots__ = ("children", "launches", "name", "number", "parent")

    def __init__(self, name: Name, parent: Slot | None = None, number: int = 0) -> None:
        self.name, self.parent, self.number = name, parent, number
        self.launches = Launches()
        self.children: dict[Name, list[Slot]] = {}

    def child(self, name: Name, number: int) -> Slot:
        """The range of this name and number inside of this one; the one before it was met."""
        slots = self.children.get(name)
        if slots is None:
            slots = self.children[name] = []
        if number == len(slots):
            slots.append(Slot(name, self, number))
        return slots[number]


class _Run:
    """A run that is not over yet."""

    __slots__ = ("host", "number", "slots")

    def __init__(self, number: int, slot: Slot) -> None:
        self.number, self.slots = number, [slot]
        self.host: list[int] = []  # nanoseconds of the thread in each slot but the first


class Runs:
    """All runs, by their numbers."""

    def __init__(self) -> None:
        self.start = array("q")  # of each run
        self.thread = array("q")  # of each run
        self.kind = array("q")  # of each run
        self.kinds: list[tuple[Slot, ...]] = [()]  # the slots that runs of each kind went through
        # Of each kind its runs, and, of each of these in that order, for how many nanoseconds the
        # thread was in each slot but the first. NOT_KEPT: see `long`, or unknown.
        self.host: list[tuple[array[int], array[int]]] = [(array("I"), array("I"))]
        self.long: dict[tuple[int, int], int] = {}  # by run and place among its slots
        self.open: set[tuple[int, Slot]] = set()  # ranges that never ended
        self.called: Counter[tuple[int, int]] = Counter()  # calls of the last runs, by launches
        self.roots: set[int] = set()  # ids of what runs launched in no layer
        self.builds = 0
        self.of_capture: dict[int, int] = {}  # a launch of a CUDA graph -> the run that captured it
        self._built: dict[int, int] = {}  # when the last build of a process ended
        self._slots = 0
        self._kinds: dict[tuple[Slot, ...], int] = {}
        self._roots: dict[Name, Slot] = {}

    def root(self, name: Name) -> Slot:
        """The slot of all runs whose range bears this name."""
        root = self._roots.get(name)
        if root is None:
            root = self._roots[name] = Slot(name)
            self.roots.add(id(root.launches))
        return root

    def begin(self, start: int, thread: int) -> int:
        """A new run. Raises TooMany."""
        if len(self.start) >= MOST_RUNS:
            raise TooMany(f"more than {MOST_RUNS:,} runs")
        self.start.append(start)
        self.thread.append(thread)
        self.kind.append(0)
        return len(self.start) - 1

    def begin_graph(self, start: int, captured: int) -> int:
        """A run whose ranges are those of the run in which its graph was captured."""
        number = self.begin(start, self.thread[captured])
        self.of_capture[number] = captured
        return number

    def build(self, thread: int, end: int) -> None:
        """A build ended then."""
        self.builds += 1
        process = thread >> 24
        self._built[process] = max(self._built.get(process, 0), end)

    def is_before_build(self, number: int) -> bool:
        """Whether its process built an engine after it began."""
        return self.start[number] < self._built.get(self.thread[number] >> 24, -1)

    def settle(self, gaps: Gaps) -> None:
        """Adds up what was kept; what was before a build is forgotten."""
        if gaps.builds != self.builds:
            gaps.builds = self.builds
            gaps.sums.clear()
            gaps.kept = array("Q", (g for g in gaps.kept if not self.is_before_build(g >> SHIFT)))
        gaps.settle(self._kind_of, LONGEST)

    def _kind_of(self, launched: int) -> int:
        number = launched >> SHIFT
        return self.kind[self.of_capture.get(number, number)]

    def end(self, run: _Run) -> None:
        """It went through its slots."""
        through = tuple(run.slots)
        kind = self._kinds.get(through)
        if kind is None:
            self._slots += len(through)
            if len(self.kinds) > MOST_KINDS:
                raise TooMany(f"more than {MOST_KINDS:,} engines, or ways through them")
            if self._slots > MOST_SLOTS:
                raise TooMany(f"more than {MOST_SLOTS:,} different ranges")
            kind = self._kinds[through] = len(self.kinds)
            self.kinds.append(through)
            self.host.append((array("I"), array("I")))
        self.kind[run.number] = kind
        numbers, took = self.host[kind]
        numbers.append(run.number)
        took.extend(run.host)


class Thread:
    """The ranges of a thread that are open, the innermost last: (its end, cell, slot, run)."""

    def __init__(self, thread: int, runs: Runs, named: Callable[[Name], str]) -> None:
        self._thread = thread
        self._runs = runs
        self._named = named
        self._before = (-1, 0)
        self.stack: list[_Frame] = []

    def leave(self, time: int) -> None:
        """Closes what has ended before `time`."""
        stack = self.stack
        while stack and stack[-1][0] < time:
            _, _, slot, run, _ = stack.pop()
            if slot.parent is None:
                self._runs.end(run)

    def enter(self, start: int, end: int, name: Name) -> None:
        """Opens a range. One that begins where another ends comes after it.

        Raises Unsorted where the range is around the one before it.
        """
        before, self._before = self._before, (start, end)
        if start == before[0] and end > before[1]:
            raise Unsorted("ranges")
        stack = self.stack
        if stack and stack[-1][0] <= start:
            self.leave(start + (start < end))
        if not stack:
            self._outside(start, end, name, before)
            return
        _, _, slot, run, entered = stack[-1]
        number = entered.get(name, 0)
        entered[name] = number + 1
        within = slot.child(name, number)
        run.slots.append(within)
        if len(run.slots) > MOST_SLOTS or len(stack) > _MOST_OPEN:
            raise TooMany(
                f"more than {MOST_SLOTS:,} ranges in a run, or {_MOST_OPEN} in each other"
            )
        took = end - start
        if took >= NOT_KEPT:
            if end < FOREVER:
                self._runs.long[run.number, len(run.host)] = took
            else:
                self._runs.open.add((run.number, within))
            took = NOT_KEPT
        run.host.append(took)
        stack.append((end, (run.number << SHIFT, within.launches), within, run, {}))

    def _outside(self, start: int, end: int, name: Name, before: tuple[int, int]) -> None:
        """A range in no run: a run or a build, or it is none of ours."""
        text = self._named(name)
        if _RUN.match(text):
            if before == (start, end):  # a layer's
                raise Unsorted("ranges")
            root = self._runs.root(name)
            run = _Run(self._runs.begin(start, self._thread), root)
            self.stack.append((end, (run.number << SHIFT, root.launches), root, run, {}))
        elif _BUILD.search(text):
            self._runs.build(self._thread, end if end < FOREVER else start)
