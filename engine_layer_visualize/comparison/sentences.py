"""Says what a comparison found out: how much faster B is, and why."""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.comparison import causes, result
from engine_layer_visualize.comparison.accounting import counted
from engine_layer_visualize.comparison.result import CauseTime, Comparison, Difference, Inputs
from engine_layer_visualize.core.problems import Place, Problem
from engine_layer_visualize.core.text import count, milliseconds, percent, visible

_ALIKE: Final = 0.01  # ratios that differ by less are one
_FEW_PERCENT: Final = 1.1  # a smaller ratio is told in per cent
_CONDITIONS: Final = ("TensorRT", "device", "compute clock in GHz", "memory clock in GHz")
_OTHER_NETWORK: Final = "another network than A: few or none of their layers match"


def remarks(comparison: Comparison) -> Iterator[Problem]:
    """Warnings about two engines that cannot be compared in everything."""
    place = Place(comparison.b.engine.source.file, comparison.b.engine.source.first_line)
    if not comparison.same_network:
        yield Problem(place, "ELV703", f"it seems to be {_OTHER_NETWORK}")
    if comparison.delta_ms is None:
        yield Problem(place, "ELV704", f"no difference of times: {comparison.unknown}")
    mine, yours = (costs.engine.profile for costs in comparison.sides)
    is_other = engine(comparison.a) != engine(comparison.b)
    whole = [one and (one.every_ms, one.sum_ms) for one in (mine, yours)]
    if is_other and mine and mine.every_ms and whole[0] == whole[1]:
        message = "its times are those of A: one run stands for both engines"
        yield Problem(place, "ELV704", message)


def engine(costs: Costs) -> str:
    """`engine 0 of fp16.log`."""
    return f"engine {costs.engine.index} of {visible(costs.engine.source.file)}"


def title(comparison: Comparison) -> str:
    """`B, engine 0 of int8.log, against A, engine 0 of fp16.log`."""
    return f"{comparison.called}, {engine(comparison.b)}, against A, {engine(comparison.a)}"


def first(comparison: Comparison) -> str:
    """What matters most, in a few sentences."""
    said, (a, b), called = [], comparison.outputs, comparison.called
    if other_outputs := bool(a and b and a != b):
        said.append(f"A has {count(a or 0, 'output')}, {called} {b}: they compute other things.")
    if not comparison.same_network:
        said.append(f"{called} seems to be {_OTHER_NETWORK}.")
    if whole := _of_run(comparison):
        said.append(f"{_faster(comparison, whole)}.")
    if comparison.delta_ms is None:
        if not whole and (other := _elsewhere(comparison)):
            said.append(f"{called} has {other}.")
        said.append(f"{comparison.unknown[:1].upper()}{comparison.unknown[1:]}.")
        if comparison.same_network:
            said.append(_structure(comparison))
        return " ".join(said)
    row = result.measured(comparison, "gpu_compute")
    if whole and row and _contradicts(comparison, row):
        took = " and ".join(map(milliseconds, comparison.ms))
        otherwise = "say otherwise" if is_noise(comparison) else "do not explain the difference"
        said.append(f"The estimates ({took}) {otherwise}.")
    else:
        why = "" if other_outputs else ", ".join(_causes(comparison))
        of = ". Of one sample: " if comparison.per_sample else ": "
        said.append(f"{_layers(comparison, bool(whole))}{why and of}{why}.")
    return " ".join([*said, *_unknown_inputs(comparison)])


def _causes(comparison: Comparison) -> Iterator[str]:
    """The largest causes; none where inputs differ in more than samples."""
    other_inputs = comparison.no_ratio and result.inputs_differ(comparison.inputs)
    if other_inputs or not comparison.same_network:
        return
    is_elsewhere = _differs(comparison, "device") and comparison.factor is None
    yield from causes.spread(comparison) if is_elsewhere else causes.because(comparison)


def steps(comparison: Comparison) -> Sequence[CauseTime]:
    """The steps of the waterfall; none of two networks, nor where all are what runs vary."""
    return comparison.waterfall if comparison.same_network and causes.large(comparison) else ()


# ---- how much faster ---------------------------------------------------------------------------


def is_noise(comparison: Comparison) -> bool:
    """Whether what the runs vary is more than the difference."""
    speed = _of_run(comparison) or _of_layers(comparison)
    return speed is not None and not speed.words


class _Speed(NamedTuple):
    """How much faster B is, by what trtexec measured of it or by its layers."""

    took: tuple[float, float]  # ms of a run
    each: tuple[float, float]  # the same, of a sample where the runs differ in their samples
    samples: tuple[int, int] | None
    words: str  # `is 1.31 × faster`, `takes 1.2 % longer`; empty where they take as long
    what: str  # `GPU compute time, median`; empty: the sum of the layers


def headline(comparison: Comparison) -> tuple[str, str]:
    """What a page shows large of B; both are empty where the times have no ratio.

    Such as `is 1.31 × faster`, and `GPU compute time, median: 2.60 ms → 1.98 ms`.
    """
    speed = _of_run(comparison) or _of_layers(comparison)
    if speed is None:
        return "", ""
    ratio, what = speed.words or "is as fast as A", speed.what or "sum of the layers"
    if comparison.a.estimated and not speed.what:
        what += ", as the builder estimates"
        ratio = ratio.replace(" ", " ≈ ", 1) if speed.words else ratio
    times = f"{what}: {' → '.join(map(milliseconds, speed.took))}"
    return ratio + (" per sample" if speed.samples else ""), times


def as_run(comparison: Comparison) -> str:
    """`takes 8.1 % longer (GPU compute time, median: …)`; empty where its layers say the same."""
    ratio, times = headline(comparison) if _of_run(comparison) else ("", "")
    return f"{ratio} ({times})" if ratio else ""


def _of_run(comparison: Comparison) -> _Speed | None:
    """As trtexec measured both; None where measured times of the layers say the same."""
    row, speedup = result.measured(comparison, "gpu_compute"), comparison.speedup
    if row is None or not comparison.same_network:
        return None
    if speedup is not None and not comparison.a.estimated and row.b:
        is_told = abs(speedup * row.b - row.a) <= _ALIKE * row.a
        sure, known = (_are_same(row.a, row.b, noise) for noise in (result.RUNS_VARY, row.noise))
        if is_told and sure == known:
            return None
    a, b = (result.input_shapes(costs, estimated=False) for costs in comparison.sides)
    return _speed((row.a, row.b), (a, b), row.noise, f"GPU compute time, {row.statistic}")


def _of_layers(comparison: Comparison) -> _Speed | None:
    if comparison.delta_ms is None or comparison.no_ratio:
        return None
    noise = result.noise_of_layers(comparison.a)
    return _speed(comparison.ms, comparison.inputs, noise, "")


def _speed(took: tuple[float, float], inputs: Inputs, same: float, what: str) -> _Speed | None:
    """None where the inputs differ in more than samples."""
    samples = result.numbers_of_samples(*inputs)
    if samples is None and result.inputs_differ(inputs):
        return None
    a, b = (ms / by for ms, by in zip(took, samples or (1, 1)))
    return _Speed(took, (a, b), samples, "" if _are_same(a, b, same) else _how_fast(a, b), what)


def _how_fast(a: float, b: float) -> str:
    if min(a, b) < result.MIN_MS:
        return f"is {'faster' if a > b else 'slower'}"
    ratio = max(a, b) / min(a, b)
    if ratio < _FEW_PERCENT:
        return f"takes {percent(abs(b - a) / a)} {'less time' if a > b else 'longer'}"
    return f"is {ratio:.2f} × {'faster' if a > b else 'slower'}"


def _are_same(a: float, b: float, within: float) -> bool:
    return abs(b - a) <= within * max(a, b)


def _faster(comparison: Comparison, speed: _Speed, how: str = "") -> str:
    """`B is 1.31 × faster (2.60 ms → 1.98 ms)`; of a sample where the runs differ in these."""
    subject, called, of_runs = _subject(comparison), comparison.called, ""
    if speed.samples is not None:
        subject, (a, b) = f"Per sample {subject}", speed.samples
        of_runs = f"; a run of A is {count(a, 'sample')} and takes {milliseconds(speed.took[0])}, "
        of_runs += f"one of {called} {b:,} and {milliseconds(speed.took[1])}"
    before, after = map(milliseconds, speed.each)
    vary = ""
    if before != after and not speed.words:
        vary = f", within what {'its timing varies' if how else 'runs vary'}"
    words = f"{speed.words or 'takes as long as A'}{how}{vary}"
    what = f"{speed.what}: " if speed.what else ""
    return f"{subject} {words} ({what}{before} → {after}){of_runs}"


def _layers(comparison: Comparison, told: bool) -> str:
    """How much faster B is by its layers. `told`: how much it is as a whole was said before."""
    how = " by the builder's estimates" if comparison.a.estimated else ""
    if not told and (speed := _of_layers(comparison)):
        return _faster(comparison, speed, how)
    a, b = map(milliseconds, comparison.ms)
    subject = comparison.called if told else _subject(comparison)
    words = f"The layers of {subject} take {b}{how}, those of A {a}"
    return f"{words} (no ratio: {comparison.no_ratio})" if comparison.no_ratio else words


def _subject(comparison: Comparison) -> str:
    """`B, with another TensorRT (8.4.1 → 8.2.3),`."""
    other = _elsewhere(comparison)
    return f"{comparison.called}, with {other}," if other else comparison.called


def _contradicts(comparison: Comparison, row: result.WholeTimes) -> bool:
    """Whether the builder's estimates of the layers go another way than what was measured."""
    if not comparison.a.estimated or comparison.delta_ms is None:
        return False
    more = 0.0 if _are_same(row.a, row.b, row.noise) else row.b - row.a
    is_same = _are_same(*comparison.ms, result.BUILDS_VARY)
    expected = 0.0 if is_same else comparison.delta_ms
    return more * expected < 0 or (more == 0) != (expected == 0)


# ---- what else differs -------------------------------------------------------------------------


def told_first(comparison: Comparison) -> list[Difference]:
    """What differs of what a time depends on, too; of another device not its clocks."""
    told = [one for one in comparison.builds if one.what in _CONDITIONS]
    if _differs(comparison, "device"):
        return [one for one in told if "clock" not in one.what]
    return told


def _elsewhere(comparison: Comparison) -> str:
    """`another TensorRT (8.4.1 → 8.2.3)`; empty where nothing is known to differ."""
    return " and ".join(
        f"another {what.replace('device', 'GPU')} ({visible(a or '')} → {visible(b or '')})"
        for what, a, b in told_first(comparison)
    )


def _differs(comparison: Comparison, what: str) -> bool:
    return any(difference.what == what for difference in comparison.builds)


def _unknown_inputs(comparison: Comparison) -> Iterator[str]:
    """Where the inputs of one side alone are known."""
    unknown = [name for name, shapes in zip(comparison.names, comparison.inputs) if shapes is None]
    if comparison.same_network and len(unknown) == 1:
        of = f"of the inputs of {unknown[0]}"
        yield f"The shapes {of} are not known: its run may be of more samples."


def _structure(comparison: Comparison) -> str:
    """How much changed, where no times say how much it matters."""
    groups = causes.counted_groups(comparison)
    changed = sum(bool(group.changes) for group in groups)
    alone = sum(len(counted(costs, own)) for costs, own in zip(comparison.sides, comparison.alone))
    rest = f"; {count(alone, 'layer')} without a counterpart" if alone else ""
    return f"{changed:,} of {count(len(groups), 'group')} of layers changed{rest}."
