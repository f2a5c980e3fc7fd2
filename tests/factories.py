"""Engines, layers and tensors: made in memory, or read from the text of a log."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeAlias

from logtext import file_of, pieces
from paths import fixture_logs, profiles_of

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.api.engine import Engine
from engine_layer_visualize.api.read import Log, read
from engine_layer_visualize.assembly.graph import build
from engine_layer_visualize.core.build_info import EngineFacts
from engine_layer_visualize.core.layer_facts import LayerFacts
from engine_layer_visualize.core.model import Graph, Join, Layer, Listing, Profile, Tensor
from engine_layer_visualize.core.problems import Place, Problem, ReadError
from engine_layer_visualize.reading.profiles import read as read_profiles

# ---- in memory ---------------------------------------------------------------------------------


def tensor(name: str, dtype: str | None = "Half", dims: str = "1,64,56,56") -> Tensor:
    return Tensor(name, dtype, dims, tuple(map(int, dims.split(","))))


End: TypeAlias = str | Tensor  # the tensor, or the name of one whose type and dims do not matter


def layer(index: int, name: str, reads: Sequence[End], writes: Sequence[End], **more: Any) -> Layer:
    inputs, outputs = (
        tuple(one if isinstance(one, Tensor) else tensor(one) for one in side)
        for side in (reads, writes)
    )
    kind = more.pop("type", "CaskConvolution")
    return Layer(index, Place("build.log", 10 + index), kind, name, "0x1", inputs, outputs, **more)


def engine(*layers: Layer, graph: Graph, timed: bool = False, **more: Any) -> Engine:
    profile = Join("p.json", len(layers), len(layers), len(layers), (), ()) if timed else None
    listing = Listing("build.log", 9, 9 + len(layers))
    return Engine(0, listing, layers, graph, profile=profile, **more)


def linked(*layers: Layer) -> Engine:
    """Layers that are joined by the names of their tensors."""
    return engine(*layers, graph=build(layers))


def chain(*names: str, **more: Any) -> Engine:
    """One layer after the other; tensor names are the layers' too."""
    layers = [
        layer(i, name, [f"{name} in {i}"] if not i else [f"{names[i - 1]} out {i - 1}"],
              [f"{name} out {i}"])
        for i, name in enumerate(names)
    ]  # fmt: skip
    return engine(*layers, graph=build(layers), **more)


# ---- from a log --------------------------------------------------------------------------------


def engines_of(
    log: str | bytes | Iterable[bytes], *profiles: Path, facts: bool = False
) -> list[Engine]:
    """All engines of a log: its text, its bytes, or the chunks in which they come."""
    data = log.encode() if isinstance(log, str) else log
    chunks = [data] if isinstance(data, bytes) else data
    return list(Log("build.log", profiles, chunks=chunks, facts=facts).engines())


def engine_of(log: str | bytes | Iterable[bytes], *profiles: Path, facts: bool = False) -> Engine:
    """The one engine of a log."""
    (only,) = engines_of(log, *profiles, facts=facts)
    return only


def engine_in(folder: Path, log: str, times: str = "") -> Engine:
    """The one engine of a log that lies in a folder, `build.log`, and its times beside it."""
    profiles = [file_of(folder, times, "times")] if times else []
    (only,) = read(file_of(folder, log), profiles).engines
    return only


def fixture_engines(pattern: str = "*") -> list[Engine]:
    """The engines of all fixtures that have one, with their times."""
    found: list[Engine] = []
    for path in filter(lambda path: path.match(pattern), fixture_logs()):
        with suppress(ReadError):
            found += read(path, profiles_of(path), facts=True).engines
    return found


def profiles_in(data: str | bytes) -> tuple[list[Profile], list[Problem]]:
    """What is read of a file of times, whose format is told by content alone."""
    with TemporaryDirectory() as folder:
        return read_profiles(file_of(Path(folder), data, "profile"))


def costs_of(log: str, folder: Path, **ms: float) -> Costs:
    """The costs of the one engine of a log; `ms`: what its layers take."""
    times = file_of(folder, "".join(f"{name}: {value}ms\n" for name, value in ms.items()), "times")
    return Costs(engine_of(log, *([times] if ms else []), facts=True))


def engine_in_pieces(log: str, sizes: Iterable[int] = (1, 7, 20, 50, 110)) -> Engine:
    """The one engine of a log, build info and all, which is the same in pieces of each size."""
    whole = engine_of(log, facts=True)
    for size in sizes:
        assert engines_of(pieces(log.encode(), size), facts=True) == [whole]
    return whole


# ---- build info, where there must be some ------------------------------------------------------


def engine_facts(engine: Engine) -> EngineFacts:
    assert engine.facts is not None
    return engine.facts


def layer_facts(layer: Layer) -> LayerFacts:
    assert layer.facts is not None
    return layer.facts
