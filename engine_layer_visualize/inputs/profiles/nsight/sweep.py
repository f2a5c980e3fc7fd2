"""Finds the range that each launch was made in.

A kernel runs after its range has ended, so that its own time tells nothing. Its launch does: kernel
-> the API call of the same correlation id -> the innermost range that the calling thread was in.
Three streams in order of time are merged (work on the GPU, calls, ranges), and only calls whose
work is still to come are kept. Most reports stand in that order; others are sorted by SQLite.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Final

from engine_layer_visualize.inputs.profiles.nsight.queries import (
    MOST_NODES,
    WHOLE_GRAPH,
    Node,
    Work,
)
from engine_layer_visualize.inputs.profiles.nsight.ranges import (
    FOREVER,
    LONGEST,
    SHIFT,
    Cell,
    Launches,
    Name,
    Runs,
    Thread,
    TooMany,
    Unsorted,
)

MOST_WAITING: Final = 1 << 16  # calls whose work has not begun; a GPU's queue is far shorter
_MOST_GONE: Final = 1 << 20  # keys of calls that were forgotten
_MOST_THREADS: Final = 1 << 14  # and streams: a process has a few hundred
_MOST_KINDS: Final = 1 << 20  # kernels of one name, in each range
_MOST_COPIES: Final = 8  # of a graph's node, one made of another


class _Ranges:
    """The ranges of a report, which their threads enter as the time goes on."""

    def __init__(
        self,
        rows: Iterator[tuple[int, int, int, Name]],
        runs: Runs,
        named: Callable[[Name], str],
    ) -> None:
        self.threads: dict[int, Thread] = {}
        self._rows, self._runs, self._named = rows, runs, named
        self._next = next(rows, _NO_RANGE)
        self.begins = self._next[0]  # when the next one begins
        self._last = -FOREVER

    def enter_until(self, time: int) -> None:
        """Enters all ranges that begin up to this time. Raises Unsorted, TooMany."""
        while self._next[0] <= time:
            start, end, number, name = self._next
            if start < self._last:
                raise Unsorted("ranges")
            self._last = start
            thread = self.threads.get(number)
            if thread is None:
                if len(self.threads) == _MOST_THREADS:
                    raise TooMany(f"more than {_MOST_THREADS:,} threads")
                thread = self.threads[number] = Thread(number, self._runs, self._named)
            thread.enter(start, end, name)
            self._next = next(self._rows, _NO_RANGE)
        self.begins = self._next[0]


class _Streams:
    """Tells for how long each stream of the GPU was idle between two ranges of a run."""

    def __init__(self, runs: Runs) -> None:
        self._runs = runs
        # What ran last on each: until when, and the cell of its range (None: it is of no run).
        self._last: dict[int | None, tuple[int, Cell | None]] = {}

    def ran(self, stream: int | None, time: int, took: int, cell: Cell | None) -> None:
        """Work began at `time` that the range of this cell launched."""
        free, before = self._last.get(stream, _IDLE)
        if cell is not before and cell is not None and before is not None and stream is not None:
            run, launches = cell
            if run == before[0] and launches is not before[1]:
                idle = time - free if 0 < time - free < LONGEST else 0
                if launches.gaps.add(run, idle):
                    self._runs.settle(launches.gaps)
        self._last[stream] = time + took, cell
        if len(self._last) > _MOST_THREADS:
            self._last.clear()


class Sweep:
    """One way through a report, whose streams stand in order of time.

    Args:
        work: what ran on the GPU.
        calls: the API calls, and the nodes that were added to CUDA graphs.
        ranges: the NVTX ranges.
        named: gives the text of a range's name.
        copied: a node of a CUDA graph -> the node that it was made of.
        by_process: whether the calls' keys say of which process they are.
    """

    def __init__(
        self,
        work: Iterator[Work],
        calls: Iterator[tuple[int, int, int]],
        ranges: Iterator[tuple[int, int, int, Name]],
        named: Callable[[Name], str],
        copied: dict[Node, int],
        by_process: bool,
    ) -> None:
        self.runs = Runs()
        # Each a number, and nanoseconds. CUDA graphs whose kernels were not recorded one by one,
        # and that no layer launched:
        self.lost = [0, 0]
        # Kernels of graphs that were captured before the recording:
        self.strange = [0, 0]
        # What a run launched so many calls before it began that its call was forgotten:
        self.late = [0, 0]
        self._work, self._calls = work, calls
        self._ranges, self._streams = _Ranges(ranges, self.runs, named), _Streams(self.runs)
        self._copied, self._by_process = copied, by_process
        self._call = next(calls, _AFTER)  # the next one
        self._last_call = -FOREVER
        # By the calls' keys: what they may still launch, and what was launched before its call.
        self._waiting: dict[int, Cell | None] = {}
        self._early: dict[int, list[tuple[Name, int, int, int]]] = {}
        self._gone = array("q")  # keys of calls in runs that were forgotten, the last ones
        self._nodes: dict[Node, Cell | None] = {}  # None: in no run
        self._kinds = 0
        self._graph_runs: dict[tuple[int, int], int] = {}

    def run(self) -> None:
        """Goes through the report.

        Raises:
            Unsorted: a stream does not stand in order of time.
            TooMany: there is more of something than a program can have.
            TypeError, OverflowError: a value is no time.
        """
        waiting, ran = self._waiting, self._streams.ran
        before = -FOREVER
        for time, key, what, took, node, stream in self._work:
            if time < before:
                raise Unsorted("work")
            if time >= FOREVER:
                raise OverflowError
            before = time
            if self._call[0] <= time:
                self._make_calls(time)
            cell = waiting.get(key, _UNKNOWN)
            if cell is _UNKNOWN:
                self._wait_for_call(key, (what, took, node, time))
                cell = None
            elif node:
                cell = self._launched(cell, key, what, took, node, time)
            elif cell is not None:
                self._add(cell, what, took)
            ran(stream, time, took, cell)
        self._make_calls(FOREVER)
        self._give_up(len(self._early))
        self._ranges.enter_until(FOREVER)
        for thread in self._ranges.threads.values():
            thread.leave(FOREVER + 1)
        self.runs.called.update(
            (cell[0] >> SHIFT, id(cell[1])) for cell in waiting.values() if cell is not None
        )

    def _make_calls(self, time: int) -> None:
        """Makes the calls up to this time, each in the innermost range of its thread."""
        ranges, waiting, early = self._ranges, self._waiting, self._early
        threads = ranges.threads
        called, number, key = self._call
        while called <= time:
            if ranges.begins <= called:
                ranges.enter_until(called)
            if called < self._last_call:
                raise Unsorted("calls")
            self._last_call = called
            thread = threads.get(number)
            cell = None
            if thread is not None and (stack := thread.stack):
                if stack[-1][0] < called:
                    thread.leave(called)
                if stack:
                    cell = stack[-1][1]
            if key < 0:  # not a call: a node that was added to a graph
                self._added(number, -key, cell)
            else:
                waiting[key] = cell
                if key in early:
                    for launched in early.pop(key):
                        self._launched(cell, key, *launched)
                if len(waiting) > MOST_WAITING:
                    self._forget(MOST_WAITING // 2)
            called, number, key = next(self._calls, _AFTER)
        self._call = called, number, key

    def _wait_for_call(self, key: int, launched: tuple[Name, int, int, int]) -> None:
        """Keeps what began before the call that launched it."""
        self._early.setdefault(key, []).append(launched)
        if len(self._early) > MOST_WAITING:
            self._give_up(MOST_WAITING // 2)

    def _forget(self, number: int) -> None:
        """The oldest calls."""
        for key in list(islice(self._waiting, number)):
            if self._waiting.pop(key) is not None:
                self._gone.append(key)
        if len(self._gone) > _MOST_GONE:
            del self._gone[: _MOST_GONE // 2]

    def _give_up(self, number: int) -> None:
        """What was launched first of what has no call, or whose call was forgotten."""
        gone = set(self._gone)
        for key in list(islice(self._early, number)):
            launched = self._early.pop(key)
            if key in gone:
                self.late[0] += len(launched)
                self.late[1] += sum(took for _, took, _, _ in launched)

    def _added(self, thread: int, node: int, cell: Cell | None) -> None:
        """A node was added to a graph, in the range of this cell."""
        if cell is None and len(self._nodes) >= MOST_NODES:
            return
        self._nodes[thread >> 24 & 0xFFFFFF if self._by_process else 0, node] = cell
        if len(self._nodes) > MOST_NODES:
            raise TooMany(f"more than {MOST_NODES:,} nodes of CUDA graphs")

    def _launched(
        self, cell: Cell | None, key: int, what: Name, took: int, node: int, time: int
    ) -> Cell | None:
        """Adds what the call `key` launched, which was made in the range of this cell.

        If no layer launched a graph, its kernels belong to the layers that were captured.

        Returns:
            The cell that has it; None without any.
        """
        if node and (cell is None or id(cell[1]) in self.runs.roots):
            if node == WHOLE_GRAPH:
                self.lost[0] += 1
                self.lost[1] += took
                return None
            captured = self._captured(node, key, time)
            if captured is _UNKNOWN:
                self.strange[0] += 1
                self.strange[1] += took
            else:
                cell = captured or cell
        if cell is not None:
            self._add(cell, what, took)
        return cell

    def _add(self, cell: Cell, what: Name, took: int) -> None:
        """Adds a launch to the range of the cell."""
        if took > LONGEST:
            raise OverflowError
        run, launches = cell
        alike = launches.get(what)
        if alike is None:
            self._kinds += 1
            if self._kinds > _MOST_KINDS:
                raise TooMany(f"more than {_MOST_KINDS:,} kernels in its ranges")
            alike = launches[what] = array("Q")
        alike.append(run + took)

    def _captured(self, node: int, key: int, time: int) -> Cell | None:
        """Where a graph's node was captured; None: in no run.

        Each launch of the graph is a run of its own.
        """
        process = key >> 32
        cell = self._nodes.get((process, node), _UNKNOWN)
        for _ in range(_MOST_COPIES):
            if (origin := self._copied.get((process, node))) is None:
                break
            node = origin
            cell = self._nodes.get((process, node), cell)
        if cell is None or cell is _UNKNOWN:
            return cell
        captured, launches = cell
        run = self._graph_runs.get((key, captured))
        if run is None:
            run = self.runs.begin_graph(time, captured >> SHIFT)
            self._graph_runs[key, captured] = run
        return run << SHIFT, launches


_UNKNOWN: Final[Cell] = (-1, Launches())  # of a call that was not met yet
_IDLE: Final = (0, None)  # a stream on which nothing ran
_AFTER: Final = (FOREVER + 1, 0, 0)
_NO_RANGE: Final = (FOREVER + 1, 0, 0, "")
