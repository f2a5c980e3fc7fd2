"""An engine made of tasks, and the same after edits, with the tasks of each layer known.

A task is what a layer has to do for the network; layers of two engines belong together where they
share one. Nothing here asks the program.
"""

import random
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from engine_layer_visualize.api.engine import Engine
from engine_layer_visualize.assembly.graph import build
from engine_layer_visualize.core.model import Join, Layer, Listing, Tensor, Timing
from engine_layer_visualize.core.problems import Place

Parts = tuple[frozenset[int], ...]


class Task(NamedTuple):
    """One ONNX node. `reads`: the numbers of the tasks whose outputs it reads, -1: the input."""

    number: int
    node: str
    operator: str  # Conv, Relu, Add
    channels: int
    size: int
    reads: tuple[int, ...]
    weights: int = 0
    kernel: int = 1


class Piece(NamedTuple):
    """A layer to be: its tasks, or those that a reformat serves."""

    tasks: tuple[Task, ...]
    ms: float
    reformat: bool = False


def residual(stages: int, blocks: int) -> list[Task]:
    """The tasks of a residual network, where blocks of a stage are alike."""
    tasks: list[Task] = []

    def add(path: str, operator: str, channels: int, size: int, reads: Sequence[int],
            kernel: int = 0) -> int:  # fmt: skip
        number = len(tasks)
        weights = channels * kernel * kernel * 16 if kernel else 0
        tasks.append(
            Task(number, f"{path}/{operator}", operator, channels, size, tuple(reads), weights,
                 kernel or 1)
        )  # fmt: skip
        return number

    last = add("/stem", "Conv", 64, 112, [-1], 7)
    for stage in range(stages):
        channels, size = 64 << stage, 56 >> stage
        for block in range(blocks):
            path = f"/layer{stage}/layer{stage}.{block}"
            one = add(f"{path}/conv1", "Conv", channels, size, [last], 1)
            relu = add(f"{path}/relu", "Relu", channels, size, [one])
            two = add(f"{path}/conv2", "Conv", channels, size, [relu], 3)
            side = last
            if block == 0:
                side = add(f"{path}/down", "Conv", channels, size, [last], 1)
            last = add(path, "Add", channels, size, [two, side])
    add("/fc", "Gemm", 1000, 1, [last], 1)
    return tasks


def fused(tasks: Sequence[Task]) -> list[Piece]:
    """Each Relu in the layer of its Conv."""
    random_ = random.Random(0)
    pieces: list[Piece] = []
    for task in tasks:
        if task.operator == "Relu":
            before = pieces[-1]
            pieces[-1] = before._replace(tasks=(*before.tasks, task))
        else:
            pieces.append(Piece((task,), random_.uniform(0.01, 0.2)))
    return pieces


# ---- edits -------------------------------------------------------------------------------------


def split(pieces: Sequence[Piece], which: Iterable[int]) -> list[Piece]:
    """Layers of several tasks as one layer for each; their time is shared."""
    wanted, found = set(which), list[Piece]()
    for at, piece in enumerate(pieces):
        if at in wanted and not piece.reformat:
            found += [Piece((task,), piece.ms / len(piece.tasks)) for task in piece.tasks]
        else:
            found.append(piece)
    return found


def merged(pieces: Sequence[Piece], which: Iterable[int]) -> list[Piece]:
    """A layer with the one after it, where that reads it alone."""
    wanted, found = set(which), list[Piece]()
    for at, piece in enumerate(pieces):
        before = found[-1] if found else None
        if (
            at - 1 in wanted
            and before is not None
            and not piece.reformat
            and not before.reformat
            and piece.tasks[0].reads == (before.tasks[-1].number,)
        ):
            found[-1] = Piece((*before.tasks, *piece.tasks), before.ms + piece.ms)
        else:
            found.append(piece)
    return found


def reformatted(pieces: Sequence[Piece], which: Iterable[int]) -> list[Piece]:
    """A reformat before layers."""
    wanted = set(which)
    return [
        own
        for at, piece in enumerate(pieces)
        for own in ([Piece(piece.tasks, 0.001, True), piece] if at in wanted else [piece])
    ]


def renamed(tasks: Sequence[Task], names: Mapping[str, str]) -> list[Task]:
    return [task._replace(node=names.get(task.node, task.node)) for task in tasks]


# ---- engines -----------------------------------------------------------------------------------

_TYPES = {"Conv": "CaskConvolution", "Gemm": "CaskConvolution", "Relu": "PointWiseV2",
          "Add": "ElementWise"}  # fmt: skip


def engine(
    pieces: Sequence[Piece], *, batch: int = 1, metadata: bool = True, weights: bool = True
) -> tuple[Engine, Parts]:
    """The engine, and the tasks of each of its layers; a reformat has none."""
    layers: list[Layer] = []
    renewed: dict[tuple[int, int], str] = {}

    def tensor(name: str, task: Task | None) -> Tensor:
        dims = (batch, *((task.channels, task.size, task.size) if task else (3, 224, 224)))
        return Tensor(name, "Half", ",".join(map(str, dims)), dims)

    by_number = {task.number: task for piece in pieces for task in piece.tasks}
    for at, piece in enumerate(pieces):
        own = {task.number for task in piece.tasks}
        reads = dict.fromkeys(n for task in piece.tasks for n in task.reads if n not in own)
        inputs = [
            tensor(renewed.get((at, n), f"t{n}" if n >= 0 else "input"), by_number.get(n))
            for n in reads
        ]
        name = " + ".join(task.node for task in piece.tasks)
        if piece.reformat:
            first = next(iter(reads))
            copy = f"Reformatted Input Tensor 0 to {name} {at}"
            renewed[at + 1, first] = copy
            inputs = inputs[:1]
            outputs = [tensor(copy, by_number.get(first))]
            name = f"Reformatting CopyNode for Input Tensor 0 to {name}"
        else:
            outputs = [tensor(f"t{piece.tasks[-1].number}", piece.tasks[-1])]
        layers.append(
            Layer(
                at,
                Place("build.log", at + 10),
                "Reformat"
                if piece.reformat
                else _TYPES.get(piece.tasks[0].operator, "ElementWise"),
                name,
                "0x1",
                tuple(inputs),
                tuple(outputs),
                kernel="copy" if piece.reformat else "kernel",
                attributes=_attributes(piece, metadata, weights),
                time=Timing(piece.ms),
            )
        )
    number = len(layers)
    done = ([] if piece.reformat else piece.tasks for piece in pieces)
    parts = tuple(frozenset(task.number for task in tasks) for tasks in done)
    listed = Listing("build.log", 9, 9 + number, "detailed")
    joined = Join("p.json", number, number, number, (), ())
    made = Engine(0, listed, tuple(layers), build(layers), profile=joined)
    return made, parts


def _attributes(piece: Piece, metadata: bool, weights: bool) -> tuple[tuple[str, Any], ...]:
    found: list[tuple[str, Any]] = []
    if piece.reformat:
        return ()
    heavy = [task for task in piece.tasks if task.weights]
    if weights and heavy:
        kernel = [heavy[0].kernel] * 2
        found += [("Weights", {"Type": "Half", "Count": heavy[0].weights})]
        found += [("Kernel", kernel), ("Stride", [1, 1]), ("Groups", 1)]
    if metadata:
        nodes = "\x1e".join(f"[ONNX Layer: {task.node}]" for task in piece.tasks)
        found.append(("Metadata", nodes))
    return tuple(found)
