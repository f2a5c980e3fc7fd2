"""Finds the range that each launch was made in: a report in, the runs with their launches out.

A kernel runs after its range has ended, so that its own time tells nothing. Its launch does: kernel
-> the API call of the same correlation id -> the innermost range that the calling thread was in.
Three streams in order of time are merged (work on the GPU, calls, ranges), and only calls whose
work is still to come are kept. Most reports stand in that order; others are sorted by SQLite.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice
from typing import Any, Final

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
_MOST_THREADS: Final = 1 << 14
_MOST_KINDS: Final = 1 << 20  # kernels of one name, in each range
_MOST_COPIES: Final = 8  # of a graph's node, one made of another


class Sweep:
    """One way through a report. `named`: the text of a range; `copied`: a graph's node -> the node
    that it was made of; `by_process`: calls' keys say of which process they are. `lost`: number,
    and nanoseconds, of CUDA graphs whose kernels were not recorded one by one and that no layer
    launched; `strange`: the same of kernels of graphs that were captured before the recording;
    `late`: of what a run launched so many calls before it began that its call was forgotten."""

    def __init__(
        self, named: Callable[[Name], str], copied: dict[Node, int], by_process: bool
    ) -> None:
        self.runs = Runs()
        self.lost, self.strange, self.late = [0, 0], [0, 0], [0, 0]
        self._named, self._copied, self._by_process = named, copied, by_process
        self._threads: dict[int, Thread] = {}
        # By the calls' keys: what they may still launch, and what was launched before its call.
        self._waiting: dict[int, Cell | None] = {}
        self._early: dict[int, list[tuple[Name, int, int, int]]] = {}
        self._gone = array("q")  # keys of calls in runs that were forgotten, the last ones
        self._nodes: dict[Node, Cell | None] = {}  # None: in no run
        self._kinds = 0
        self._graph_runs: dict[tuple[int, int], int] = {}

    def over(
        self,
        work: Iterable[Work],
        calls: Iterator[tuple[int, int, int]],
        ranges: Iterator[tuple[int, int, int, Name]],
    ) -> None:
        """Goes through it. Raises Unsorted, TooMany; TypeError, OverflowError where a value is no
        time."""
        threads, waiting, early = self._threads, self._waiting, self._early
        call, thread, key = next(calls, _AFTER)
        before = last_call = -FOREVER
        enter = self._enter(ranges)
        begins = next(enter)
        # What ran last on each stream: until when, of which run, of which range.
        streams: dict[int | None, tuple[int, int, Launches | None]] = {}
        on, (free, of_run, of) = None, _IDLE
        for time, launched_by, what, took, node, stream in chain(work, [_END]):
            if time < before:
                raise Unsorted("work")
            before = time
            while call <= time:
                if begins <= call:
                    begins = enter.send(call)
                if call < last_call:
                    raise Unsorted("calls")
                last_call = call
                cell = None
                if (own := threads.get(thread)) is not None and (stack := own.stack):
                    if stack[-1][0] < call:
                        own.leave(call)
                    if stack:
                        cell = stack[-1][1]
                if key < 0:  # not a call: a node that was added to a graph
                    self._added(thread, -key, cell)
                else:
                    waiting[key] = cell
                    if early and key in early:
                        for launched in early.pop(key):
                            self._launched(cell, key, *launched)
                    if len(waiting) > MOST_WAITING:
                        self._forget(MOST_WAITING // 2)
                call, thread, key = next(calls, _AFTER)
            cell = waiting.get(launched_by, _UNKNOWN)
            if cell is _UNKNOWN:
                early.setdefault(launched_by, []).append((what, took, node, time))
                if len(early) > MOST_WAITING:
                    self._give_up(MOST_WAITING // 2)
                run, launches = _NOBODY
            elif node:
                run, launches = self._launched(cell, launched_by, what, took, node, time) or _NOBODY
            elif cell is None:
                run, launches = _NOBODY
            else:
                if took > LONGEST:
                    raise OverflowError
                run, launches = cell
                if (alike := launches.get(what)) is None:
                    alike = self._new(launches, what)
                alike.append(run + took)
            if stream != on:
                streams[on] = free, of_run, of
                if len(streams) > _MOST_THREADS:
                    streams.clear()
                on, (free, of_run, of) = stream, streams.get(stream, _IDLE)
            if launches is not of or run != of_run:
                if run == of_run and launches is not None and stream is not None:
                    idle = time - free if 0 < time - free < LONGEST else 0
                    if launches.gaps.add(run, idle):
                        self.runs.settle(launches.gaps)
                of_run, of = run, launches
            free = time + took
        self._give_up(len(early))
        enter.send(FOREVER)
        for one in threads.values():
            one.leave(FOREVER + 1)
        self.runs.called.update(
            (cell[0] >> SHIFT, id(cell[1])) for cell in waiting.values() if cell is not None
        )

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

    def _enter(self, ranges: Iterator[tuple[int, int, int, Name]]) -> Any:
        """A coroutine: enters all ranges up to the time it is sent, gives when the next begins."""
        threads, last = self._threads, -FOREVER
        time = yield (range_ := next(ranges, _NO_RANGE))[0]
        while True:
            while range_[0] <= time:
                start, end, thread, name = range_
                if start < last:
                    raise Unsorted("ranges")
                last = start
                if (own := threads.get(thread)) is None:
                    if len(threads) == _MOST_THREADS:
                        raise TooMany(f"more than {_MOST_THREADS:,} threads")
                    own = threads[thread] = Thread(thread, self.runs, self._named)
                own.enter(start, end, name)
                range_ = next(ranges, _NO_RANGE)
            time = yield range_[0]

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
        """What the call `key`, made in the range of this cell, launched. Returns the cell that has
        it, None without any.

        Of a graph that no layer launched: its kernels are of the layers that were captured.
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
            if took > LONGEST:
                raise OverflowError
            alike = cell[1].get(what)
            (self._new(cell[1], what) if alike is None else alike).append(cell[0] + took)
        return cell

    def _new(self, launches: Launches, what: Name) -> array[int]:
        """For what a range launches for the first time."""
        self._kinds += 1
        if self._kinds > _MOST_KINDS:
            raise TooMany(f"more than {_MOST_KINDS:,} kernels in its ranges")
        launches[what] = array("Q")
        return launches[what]

    def _captured(self, node: int, key: int, time: int) -> Cell | None:
        """Where a graph's node was captured, None: in no run; each launch of the graph is a run of
        its own."""
        process = key >> 32
        found = self._nodes.get((process, node), _UNKNOWN)
        for _ in range(_MOST_COPIES):
            if (origin := self._copied.get((process, node))) is None:
                break
            node = origin
            found = self._nodes.get((process, node), found)
        if found is None or found is _UNKNOWN:
            return found
        captured, launches = found
        run = self._graph_runs.get((key, captured))
        if run is None:
            run = self.runs.begin_graph(time, captured >> SHIFT)
            self._graph_runs[key, captured] = run
        return run << SHIFT, launches


_UNKNOWN: Final[Cell] = (-1, Launches())  # of a call that was not met yet
_NOBODY: Final = (-1, None)  # in no run
_IDLE: Final = (0, -1, None)  # a stream on which nothing ran
_END: Final[Work] = (FOREVER, -1, 0, 0, 0, 0)
_AFTER: Final = (FOREVER + 1, 0, 0)
_NO_RANGE: Final = (FOREVER + 1, 0, 0, "")
