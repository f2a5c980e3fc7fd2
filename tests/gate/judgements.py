"""Verdicts to show: one of each kind, and layers of any names."""

from collections.abc import Sequence

from engine_layer_visualize.comparison.gate import judge
from engine_layer_visualize.comparison.verdict import Check, GroupTimes, Judgement, Limits
from engine_layer_visualize.core.snapshot import Conditions, GateRun, Snapshot
from engine_layer_visualize.core.words import Name, Words
from gate.made_runs import of_runs

STEADY = (1.0, 1.001, 0.999)


def run(file: str, ms: float) -> GateRun:
    return GateRun(file, ms, iterations=500)


def side(
    by: float, file: str = "logs/new build.log", conditions: Conditions | None = None
) -> Snapshot:
    runs = [run(f"{number}.json", ms * by) for number, ms in enumerate(STEADY)]
    return of_runs(file, runs, conditions)


def layer(name: str, by: float = 1.0) -> GroupTimes:
    return GroupTimes((name, "second"), STEADY, tuple(ms * by for ms in STEADY))


def of_layers(names: Sequence[str], by: float = 1.5, reasons: Sequence[Words] = ()) -> Judgement:
    """A fail: each layer is slower. `reasons`: further ones."""
    groups = [layer(name, by) for name in names]
    checks = [Check("read", "fail", tuple(reasons))] if reasons else []
    return judge(side(1.0, "base.json"), side(1.1), Limits(), measured=groups, checks=checks)


PASSED = judge(side(1.0), side(1.01), Limits())
FAILED = of_layers(["conv", "pool"], reasons=[("P01 in ", Name("conv"))])
UNSURE = judge(
    of_runs("base.json", [run("a", 1.0), run("b", 1.1)]),
    of_runs("new.log", [run("a", 1.1), run("b", 1.2)]),
    Limits(),
    measured=[GroupTimes(("conv",), (1.0, 1.5), (1.3, 1.9))],
)
INCOMPARABLE = judge(
    side(1.0, conditions=Conditions(device="Tern")),
    side(3.0, conditions=Conditions(device="Gull")),
    Limits(),
    measured=[layer("conv", 3.0)],
)
ALL = {"pass": PASSED, "fail": FAILED, "unsure": UNSURE, "not comparable": INCOMPARABLE}
