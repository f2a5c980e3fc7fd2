"""The time of an engine: what it is of, how much it covers, what is said of that."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from factories import engine_of
from logtext import HEADER, chose, detailed, exported, file_of, text, timed
from summarised import said_of

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.times import engine_time, how_measured
from engine_layer_visualize.api.engine import Engine
from engine_layer_visualize.comparison.compare import compare
from engine_layer_visualize.comparison.gate_evidence import of_engine
from engine_layer_visualize.facts import layer_values, sentences
from engine_layer_visualize.linting import findings_of, selection, subject
from fuzz import budget


def chain(*layers: tuple[str, str], suffix: str = "") -> str:
    """Lines of layers (type, name), one after the other, no two of them alike."""
    return "".join(
        f"Layer({kind}): {name}{suffix}, Tactic: 1, t{n}{suffix} (Half[1,{n + 1}]) -> "
        f"t{n + 1}{suffix} (Half[1,{n + 2}])\n"
        for n, (kind, name) in enumerate(layers)
    )


def timing(name: str, ms: float) -> str:
    """What the builder prints when it times one tactic of a layer."""
    return timed(name, "CaskConvolution", (1, ms)) + chose("CaskConvolution", 1)


def profile(folder: Path, *rows: tuple[str, float]) -> Path:
    return file_of(folder, exported(*rows, runs=1), "p.json")


def words(engine: Engine) -> str:
    return " ".join(said_of(engine, 200).split())


CONVS = tuple(("CaskConvolution", f"conv{n}") for n in range(10))


def test_rows_without_a_layer_are_part_of_the_whole(tmp_path: Path) -> None:
    rows = [("conv0", 3.0), ("conv1", 1.0), ("cut away", 96.0)]
    engine = engine_of(HEADER + chain(*CONVS[:2]), profile(tmp_path, *rows), facts=True)
    assert engine.time.kind == "measured"
    assert (engine.time.total_ms, engine.time.of_profile_ms) == (4.0, 100.0)
    costs = Costs(engine)
    assert [costs.share(layer) for layer in engine.layers] == [0.03, 0.01]
    assert costs.coverage == 0.04
    said = words(engine)
    assert "2 of 2 layers timed (96.0 % of the profile's time is not theirs)" in said
    assert "Slowest" not in said


def test_a_part_of_the_layers_is_never_called_the_slowest(tmp_path: Path) -> None:
    rows = [(name, 1.0) for _, name in CONVS]
    for count, ranked in ((7, False), (8, True)):
        times = profile(tmp_path, *rows[:count])
        engine = engine_of(HEADER + chain(*CONVS), times, facts=True)
        assert Costs(engine).ranked is ranked
        said = words(engine)
        assert f"{count} of 10 layers timed: " in said
        assert ("Slowest layers" in said) is ranked


def test_a_timing_cache_is_named_where_times_are_missing() -> None:
    loaded = "[V] [TRT] Loaded 12 timing cache entries.\n"
    log = loaded + "".join(timing(f"conv{n}", 0.5) for n in range(3)) + HEADER + chain(*CONVS)
    engine = engine_of(log, facts=True)
    assert (engine.time.kind, engine.time.timed, engine.time.layers) == ("estimated", 3, 10)
    first = "\n".join(said_of(engine, 80).split("\n")[:8])
    told = "3 of 10 layers timed (timing cache): ≈ 1.50 ms, estimated by the builder."
    assert told in " ".join(first.split())
    assert sentences.time(Costs(engine)) == "≈ 1.500 ms in 3 of 10 layers, estimated by the builder"
    said = words(engine)
    assert "Slowest" not in said
    assert "share of the timed layers" in said


def test_no_op_and_constant_have_no_estimate_but_may_be_measured(tmp_path: Path) -> None:
    layers = (("CaskConvolution", "conv"), ("NoOp", "view"), ("Constant", "w"))
    log = timing("conv", 0.5) + HEADER + chain(*layers)
    estimated = engine_of(log, facts=True).time
    assert (estimated.timed, estimated.layers, estimated.total_ms) == (1, 1, 0.5)
    rows = [("conv", 2.0), ("view", 0.0), ("w", 0.0)]
    measured = engine_of(log, profile(tmp_path, *rows), facts=True).time
    assert (measured.timed, measured.layers, measured.total_ms) == (3, 3, 2.0)


def two_profiles() -> str:
    ends = (("", 1.0), (" [profile 1]", 3.0))
    times = "".join(timing(f"conv{n}{end}", ms) for end, ms in ends for n in range(2))
    return times + HEADER + chain(*CONVS[:2]) + chain(*CONVS[:2], suffix=" [profile 1]")


def test_optimisation_profiles_are_not_added_up() -> None:
    engine = engine_of(two_profiles(), facts=True)
    time = engine.time
    assert (time.total_ms, time.timed, time.layers) == (2.0, 2, 2)
    found = [(p.profile, p.total_ms, p.timed, p.layers) for p in time.by_optimization_profile]
    assert found == [(0, 2.0, 2, 2), (1, 6.0, 2, 2)]
    assert [Costs(engine).share(layer) for layer in engine.layers] == [0.5] * 4
    second = Costs(engine, 1)
    assert (second.total, [layer.index for layer in second.layers]) == (6.0, [2, 3])
    said = words(engine)
    assert "Optimisation profile 0, one of 2. 2 of 2 layers timed" in said


def test_rows_of_two_optimisation_profiles_are_two_wholes(tmp_path: Path) -> None:
    rows = [(f"conv{n}{s}", ms) for s, ms in (("", 1.0), (" [profile 1]", 3.0)) for n in (0, 1)]
    path = profile(tmp_path, *rows, ("unknown", 2.0))
    engine = engine_of(two_profiles(), path, facts=True)
    assert (engine.time.total_ms, engine.time.of_profile_ms) == (2.0, 10.0)
    assert Costs(engine).whole == 4.0
    assert Costs(engine, 1).whole == 8.0


FOREIGN = "{ForeignNode[a...b]}"
MORE = ", TacticName: k, StreamId: 0, Metadata: "
INSIDE = (detailed(f"part{n}_myl0_{n}", f"t{n}", f"t{n + 1}", "kgen", MORE) for n in range(3))


def test_a_foreign_node_that_is_listed_in_parts_is_known_as_a_piece() -> None:
    conv = detailed("conv", "x", "t0", "CaskConvolution", f", TacticValue: 0x1{MORE}")
    times = timing("conv", 0.5).replace("Tactic: 1", "Tactic: 0x1") + timing(FOREIGN, 0.75)
    engine = engine_of(times + "[V] [TRT] Layers:\n" + text(conv, *INSIDE), facts=True)
    assert engine.facts is not None
    assert [(piece.name, piece.ms) for piece in engine.facts.pieces] == [(FOREIGN, 0.75)]
    assert "1 of 4 layers timed (1 ForeignNode timed as a whole, 750 µs)" in words(engine)


ABC = HEADER + chain(("Pooling", "a"), ("Convolution", "b"), ("Convolution", "c"))
TABLE = """\
[I] === Profile ({runs} iterations ) ===
[I]    Time(ms)     Avg.(ms)   Median(ms)   Time(%)   Layer
[I]        5.10       0.0102       0.0101      26.1   a
[I]        7.22       0.0144       0.0143      36.9   b
[I]        7.22       0.0144       0.0143      36.9   c
[I]       19.54       0.0391       0.0390     100.0   Total
"""


def with_table(runs: int = 500, table: str = TABLE) -> Engine:
    return engine_of(ABC + table.format(runs=runs), facts=True)


def test_a_tables_own_total_and_shares_are_told() -> None:
    """0.0390 ms and 26.2 % are sums of rounded averages."""
    engine = with_table()
    costs = Costs(engine)
    assert costs.shown_total == costs.whole == engine_time(engine).of_profile_ms == 0.0391
    assert f"{costs.share(engine.layers[0]):.3f}" == "0.261"
    said = words(engine)
    assert "3 of 3 layers timed: 39.1 µs, measured, 500 runs." in said
    assert "26.1 %" in said and "26.2 %" not in said


@pytest.mark.parametrize(
    ("runs", "said"), [(1, "measured, one run"), (12_345, "measured, 12,345 runs")]
)
def test_how_many_runs_a_time_is_of(runs: int, said: str, tmp_path: Path) -> None:
    json_file = file_of(tmp_path, exported(*((n, 0.5) for n in "abc"), runs=runs), "prof.json")
    for found in (with_table(runs), engine_of(ABC, json_file, facts=True)):
        costs = Costs(found)
        assert how_measured(costs) == said
        assert {la.time and la.time.n for la in found.layers} == {runs}
        assert said in list(sentences.facts(costs))
        assert sentences.heading(costs)[-1].endswith(" in one run") == (runs == 1)
        assert f"s, {said}." in words(found)
        (first, *_) = layer_values.times(found.layers[0], costs)
        assert ("in one run" in first) == (runs == 1) != ("on average" in first)


def test_sums_over_an_unknown_number_of_runs_are_shares(tmp_path: Path) -> None:
    """As Torch-TensorRT's profiler writes them: 300 ms of `a` are so in how many runs?"""
    trace = tmp_path / "prof.trace"
    events = [{"name": one, "ph": "X", "ts": 0, "dur": us} for one, us in (("a", 3e5), ("b", 1e5))]
    trace.write_text(json.dumps(events))
    found = engine_of(HEADER + chain(("Pooling", "a"), ("Convolution", "b")), trace, facts=True)
    costs = Costs(found)
    a, b = found.layers
    assert (costs.total, costs.whole, costs.of(a), costs.sum_of_runs) == (None, None, None, 400)
    assert (costs.share(a), costs.part([b]), costs.ranking) == (0.75, 0.25, (a, b))
    assert costs.now.timed == 2 and costs.ranked and not costs.missing(a)
    time = engine_time(found)
    assert (time.kind, time.total_ms, time.of_profile_ms) == ("measured", None, None)
    assert sentences.heading(costs)[-1] == "400.000 ms in an unknown number of runs"
    assert sentences.outline(found).endswith("2 of 2 timed in an unknown number of runs")
    (told,) = layer_values.times(a, costs)
    assert told == "time: 300 ms in an unknown number of runs, 75.0 % of all"
    said = words(found)
    assert "400 ms, measured over an unknown number of runs." in said
    assert "75.0 %" in said and "300 ms" not in said
    assert {one.ms for one in findings_of(subject.Subject(costs))} <= {None}
    assert selection.selected(costs).header == (
        "2 layers · 400 ms in layers (2 of 2 layers timed, measured over an unknown number of "
        "runs)",
    )
    assert "the times of A and B are sums over an unknown number of runs" in (
        compare(costs, costs).unknown or ""
    )
    assert of_engine([costs], ()).profiles == ()


@pytest.mark.slow
def test_shares_of_many_layers_take_linear_time(tmp_path: Path) -> None:
    def prepared(size: int) -> Callable[[], object]:
        names = [f"l{at}" for at in range(size)]
        times = profile(tmp_path, *((name, 0.01) for name in names))
        costs = Costs(engine_of(HEADER + chain(*(("Conv", name) for name in names)), times))
        assert costs.share(costs.engine.layers[0])
        return lambda: [costs.share(layer) for layer in costs.engine.layers]

    budget.linear(prepared, 1 << 11, 1 << 14)
