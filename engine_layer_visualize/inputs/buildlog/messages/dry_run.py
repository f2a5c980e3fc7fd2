"""Reads how Torch-TensorRT divides a model into engines and what stays in PyTorch.

It logs that at DEBUG behind the builds of a model, and prints it with `dryrun=True` (2.13).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from engine_layer_visualize.core.build_info import TorchNode
from engine_layer_visualize.core.patterns import lazy
from engine_layer_visualize.inputs.buildlog.stretches import Stretch
from engine_layer_visualize.io.source import decode, line_end

# e.g. (all) +++++ Dry-Run Results for Graph +++++
_TITLE: Final = b"+ Dry-Run Results for Graph +"
_NODES: Final = b"The following nodes are currently set to run in Torch:"
_ENGINE: Final = b"TRT Engine #"
_MARKS: Final = (_TITLE, _NODES, _ENGINE)  # of which each may be missing in a filtered log
_END: Final = (b"- Aggregate Stats -", b"Aggregate stats not available")
# e.g. (all) The graph consists of 23 Total Operators, of which 20 operators are supported
_COUNTS: Final = lazy(
    rb"The graph consists of (\d{1,9}) Total Operators, of which (\d{1,9}) operators are supported"
)
# e.g. (all) Node: torch.ops.aten.cumsum.default, with layer location: /head/cumsum
_NODE: Final = lazy(rb"Node: (.{1,4096}?), with layer location: (.{0,4096})")
# e.g. (all) TRT Engine #1 - Submodule name: _run_on_acc_0
_PART: Final = lazy(rb"TRT Engine #\d{1,9} - Submodule name: (\S{1,4096})")
# e.g. (all) Number of Operators in Engine: 12
_OPERATORS: Final = lazy(rb"Number of Operators in Engine: (\d{1,9})")
_MOST: Final = 100_000  # nodes, and engines, of one graph
_MOST_STRAYS: Final = 1_000  # other lines on end


@dataclass(slots=True)
class DryRun:
    """How one graph was divided.

    Attributes:
        line: where that begins in the log.
        operators: how many the graph has; None: the log does not say.
        supported: how many of them TensorRT could run.
        in_torch: the nodes that stay in PyTorch.
        parts: [name, number of operators] of each engine, in order.
    """

    line: int
    operators: int | None = None
    supported: int | None = None
    in_torch: list[TorchNode] = field(default_factory=list)
    parts: list[tuple[str, int | None]] = field(default_factory=list)

    def is_again(self, other: DryRun) -> bool:
        """Whether it tells the same, as a dry run does before the model is compiled."""
        mine = [node[:2] for node in self.in_torch]
        return self.parts == other.parts and mine == [node[:2] for node in other.in_torch]


class DryRuns:
    """Gathers the dry runs of a log, in its order."""

    def __init__(self) -> None:
        self.found: list[DryRun] = []
        self._open = self._in_nodes = False
        self._strays = 0

    def read(self, stretch: Stretch) -> None:
        """Takes in the next lines outside of listings."""
        data, begin, line = stretch.data, stretch.begin, stretch.line
        while begin < stretch.end:
            if not self._open:
                places = [data.find(mark, begin, stretch.end) for mark in _MARKS]
                first = min((place for place in places if place >= 0), default=-1)
                if first < 0:
                    return
                begin = max(data.rfind(b"\n", begin, first) + 1, begin)
                line = stretch.number(begin)
                self._open, self._strays = True, 0
                self.found.append(DryRun(line))
            end = line_end(data, begin)
            self._line(data[begin:end].strip(), line)
            begin, line = end, line + 1

    def _line(self, text: bytes, line: int) -> None:
        run = self.found[-1]
        self._strays += 1
        if _TITLE in text:
            if run.operators is not None or run.in_torch or run.parts:
                self.found.append(run := DryRun(line))
        elif any(mark in text for mark in _END) or self._strays > _MOST_STRAYS:
            self._open = self._in_nodes = False
            return
        elif (counts := _COUNTS.search(text)) is not None:
            run.operators, run.supported = int(counts[1]), int(counts[2])
        elif _NODES in text:
            self._in_nodes = True
        elif self._in_nodes and (node := _NODE.match(text)) is not None:
            if len(run.in_torch) < _MOST:
                run.in_torch.append(TorchNode(decode(node[1]), decode(node[2]), line))
        elif (part := _PART.search(text)) is not None:
            self._in_nodes = False
            if len(run.parts) < _MOST:
                run.parts.append((decode(part[1]), None))
        elif run.parts and (operators := _OPERATORS.search(text)) is not None:
            run.parts[-1] = run.parts[-1][0], int(operators[1])
        else:
            self._in_nodes = self._in_nodes and not (not text or text.startswith(b"Note: Some of"))
            return
        self._strays = 0
