"""Engines with times, made in memory, and what a comparison of them says."""

from typing import Any

from factories import layer, linked

import engine_layer_visualize as elv
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.comparison.compare import compare
from engine_layer_visualize.comparison.result import Comparison
from engine_layer_visualize.core.model import Engine, Join, Layer, Tensor, Timing
from engine_layer_visualize.core.options import ReportOptions
from engine_layer_visualize.reports.compare import as_text


def compared(a: Engine, b: Engine) -> Comparison:
    return compare(Costs(a), Costs(b))


def said_of(found: Comparison, **look: Any) -> str:
    """The report, as text."""
    return "".join(as_text([found], (), ReportOptions(**look)))


def pairs(found: Comparison) -> dict[str, list[str]]:
    """The names of the layers of A, with those of B, of each group."""
    names = [[la.name for la in costs.engine.layers] for costs in (found.a, found.b)]
    return {" & ".join(names[0][i] for i in g.a): [names[1][i] for i in g.b] for g in found.groups}


def timed(*layers: Layer) -> elv.Engine:
    """An engine whose layers have a time, unless that is None."""
    number = len(layers)
    return linked(*layers)._replace(profile=Join("p.json", number, number, number, (), ()))


def conv(
    index: int,
    name: str,
    reads: str | Tensor,
    writes: str | Tensor,
    ms: float | None = 1.0,
    type: str = "CaskConvolution",
    kernel: str | None = None,
) -> Layer:
    time = None if ms is None else Timing(ms)
    return layer(index, name, [reads], [writes], time=time, type=type, kernel=kernel)


def convs(*ms: float | None, name: str = "Conv_{}", kernel: str | None = None) -> list[Layer]:
    """Convolutions one behind the other, the first of which reads `t0`."""
    made = enumerate(ms)
    return [conv(n, name.format(n), f"t{n}", f"t{n + 1}", one, kernel=kernel) for n, one in made]


def with_constants(number: int) -> elv.Engine:
    """Two convolutions with so many constants between them."""
    between = [layer(i, f"const{i}", [], [f"c{i}"], type="Constant") for i in range(1, number + 1)]
    last = conv(number + 1, "/b/Conv", "y", "z", ms=2.0)
    return timed(conv(0, "/a/Conv", "x", "y"), *between, last)
