"""Random facts, spelled as each generation of TensorRT spells them, are read back."""

from collections.abc import Sequence
from dataclasses import dataclass

import pytest
from factories import layer_facts
from hypothesis import given
from hypothesis import strategies as st

from engine_layer_visualize.assembly.build_info import attribute
from engine_layer_visualize.core.layer_facts import Memory
from engine_layer_visualize.core.model import Layer, Tensor
from engine_layer_visualize.core.problems import Place
from engine_layer_visualize.reading.build_context import BuildContext
from engine_layer_visualize.reading.markers import Stretch
from engine_layer_visualize.reading.segments import Segment, Splitter

HOSTS = (
    "[V] [TRT] ",
    "[11/20/2026-18:04:09] [V] [TRT] ",
    "[TensorRT] VERBOSE: ",
    "web-1  | [TRT]    ",
)
FORMATS = ("Float(8,1)", "Half(8,1)", "Half(1,1:8,1)", "Int8((* 3 E0),E0:32,1)")
RUNNERS = ("CaskConvolution", "CudnnConvolution", "PointWiseV2")

# Names as they are printed: raw. What ends a line ends a name.
PIECES = (
    *(" + ", " || ", ", ", " -> ", "(", ")", "[", "]", "PWN(", "{ForeignNode[", "]}", "...", ": "),
    *("Conv_1", "/a/b", "(Unnamed Layer* 3) [Shuffle]"),
    *("Host Persistent: 1 ", "Weights: 2 b", "層"),
    *("Tactic: 1 Time: 2", " Time: ", "Fastest Tactic: 3", "<script>", '"', "'", "\x1e", "\u2028"),
    *(" (Reformat)", " with ", "Fusing ", " metadata:", "a", "Z", "0", " [profile 1]", "[V]"),
    "[W] ",
)
_JOINED = st.lists(st.sampled_from(PIECES), min_size=1, max_size=6).map("".join).map(str.strip)
NAMES = _JOINED.filter(lambda name: name and "Optimizer Reformat" not in name)
MS = st.integers(1, 10**7).map(lambda number: number / 10**6)
TACTICS = st.integers(0, 2**64 - 1)
BYTES = st.integers(0, 2**40)


@dataclass(frozen=True)
class Trial:
    """One runner with one combination of formats."""

    runner: str
    formats: str
    times: tuple[tuple[int, float], ...]
    skipped: tuple[int, ...]


@dataclass(frozen=True)
class Written:
    """A layer: what was tried, which of the trials was taken, and its memory."""

    name: str
    trials: tuple[Trial, ...]
    memory: tuple[int, int, int, int]


def _trials(number: int) -> st.SearchStrategy[Trial]:
    return st.builds(
        Trial,
        st.sampled_from(RUNNERS),
        st.just(f"{FORMATS[number % len(FORMATS)]} -> {FORMATS[number // len(FORMATS)]}"),
        st.lists(st.tuples(TACTICS, MS), max_size=5, unique_by=lambda one: one[0]).map(tuple),
        st.lists(TACTICS, max_size=2).map(tuple),
    )


def _has_each_tactic_once(trials: Sequence[Trial]) -> bool:
    """Of a tactic in two formats the listing does not tell which one was taken."""
    numbers = [number for trial in trials for number, _ in trial.times]
    return len(numbers) == len({*numbers})


LAYERS = st.lists(
    st.builds(
        Written,
        NAMES,
        st.integers(1, 4)
        .flatmap(lambda n: st.tuples(*(_trials(number) for number in range(n))))
        .filter(_has_each_tactic_once),
        st.tuples(BYTES, BYTES, BYTES, BYTES),
    ),
    min_size=1,
    max_size=4,
    unique_by=lambda layer: layer.name,
)


def tactic(number: int, version: str) -> str:
    if version in ("8.6", "10"):
        return f"0x{number:016x}"
    return str(number - (1 << 64) if number >> 63 else number)


def printed(layers: Sequence[Written], version: str, host: str) -> str:
    """A build's log, but for its listing."""
    lines = []
    new, mark = version in ("8.6", "10"), "[0x80000009]" if version in ("8.6", "10") else ""
    for layer in layers:
        if version != "7":
            lines.append(f"=============== Computing costs for {layer.name if new else ''}")
        for trial in layer.trials:
            head = f"{layer.name} ({trial.runner}{mark})"
            stars = "*" * 15
            lines.append(f"{stars} Autotuning format combination: {trial.formats} {stars}")
            lines.append(f"--------------- Timing Runner: {head}")
            for number, ms in trial.times:
                shown = tactic(number, version)
                if version == "7":
                    lines.append(f"Tactic: {shown} time {ms}")
                elif new:
                    lines.append(f"Tactic Name: quay_{number} Tactic: {shown} Time: {ms}")
                else:
                    lines.append(f"{layer.name} Set Tactic Name: quay_{number} Tactic: {shown}")
                    lines.append(f"Tactic: {shown} Time: {ms}")
            lines += [
                f"Tactic: {tactic(number, version)} skipped. Scratch requested: 9, available: 1"
                for number in trial.skipped
            ]
            if not trial.times:
                if version == "10":
                    lines.append(f"Skipping {trial.runner}: No valid tactics for {layer.name}")
                else:
                    lines.append(f"{trial.runner} has no valid tactics for this config, skipping")
                continue
            best, ms = min(trial.times, key=lambda one: one[1])
            told = f"Fastest Tactic: {tactic(best, version)} Time: {ms}"
            lines.append(f"{head} profiling completed in 0.5 seconds. {told}" if new else told)
            lines.append(
                f">>>>>>>>>>>>>>> Chose Runner Type: {trial.runner} Tactic: {tactic(best, version)}"
            )
    lines.append("Formats and tactics selection completed in 1.5 seconds.")
    for layer in layers:
        host_bytes, device, scratch, weights = layer.memory
        unit = " bytes" if version == "10" else ""
        blank = "" if version in ("7", "8.0") else " "
        line = f"Layer: {layer.name} " + (f"Weights: {weights} " if version == "7" else "")
        line += f"Host{blank}Persistent: {host_bytes}{unit} Device{blank}Persistent: {device}{unit}"
        lines.append(line + (f" Scratch Memory: {scratch}{unit}" if blank else ""))
    return "".join(f"{host}{line}\n" for line in lines)


def account_of(log: bytes, cuts: Sequence[int]) -> Segment:
    """Reads it in stretches of whole lines, as it comes out of a file."""
    splitter = Splitter()
    ends = sorted({log.find(b"\n", cut % (len(log) or 1)) + 1 or len(log) for cut in cuts})
    at, line = 0, 1
    for end in (*ends, len(log)):
        if end > at:
            splitter.read(Stretch(log, at, end, line))
            line += log.count(b"\n", at, end)
            at = end
    return splitter.listed(line)


def listed(layers: Sequence[Written], version: str) -> list[Layer]:
    """Each layer as the listing has it: with the fastest tactic of its fastest trial."""
    found = []
    for index, layer in enumerate(layers):
        times = [(ms, n, trial.runner) for trial in layer.trials for n, ms in fastest(trial)]
        _, number, runner = min(times, default=(0, 0, RUNNERS[0]))
        found.append(
            Layer(
                index=index,
                place=Place("build.log", 1),
                type=runner,
                name=layer.name,
                tactic=tactic(number, version),
                # No two are equal: equal ones have each other's times. No two share a tensor: it
                # has one layout, which decides between timings.
                inputs=(Tensor(f"x{index}", None, str(index), (index,)),),
                outputs=(Tensor(f"y{index}", None, "8", (8,)),),
            )
        )
    return found


def fastest(trial: Trial) -> list[tuple[int, float]]:
    return [min(trial.times, key=lambda one: one[1])] if trial.times else []


@pytest.mark.parametrize("version", ("7", "8.0", "8.2", "8.6", "10"))
@given(layers=LAYERS, host=st.sampled_from(HOSTS), cuts=st.lists(st.integers(0, 10**4), max_size=4))
def test_facts_come_back(version: str, layers: list[Written], host: str, cuts: list[int]) -> None:
    log = printed(layers, version, host).encode()
    segment = account_of(log, cuts)
    found, _ = attribute(listed(layers, version), segment, segment.definition, BuildContext())
    text = log.decode().split("\n")
    for written, layer in zip(layers, found):
        facts = layer_facts(layer)
        host_bytes, device, scratch, weights = written.memory
        more = (None if version in ("7", "8.0") else scratch, weights if version == "7" else None)
        assert facts.memory == Memory(host_bytes, device, *more)
        assert facts.candidates.tried == sum(len(trial.times) for trial in written.trials)
        assert facts.candidates.skipped == sum(len(trial.skipped) for trial in written.trials)
        expected: dict[int, float] = {}
        for trial in written.trials:
            for number, ms in trial.times:
                expected[number] = min(ms, expected.get(number, ms))
        assert [one.ms for one in facts.candidates.best] == sorted(expected.values())[:3]
        for one in facts.candidates.best:
            assert one.formats in {trial.formats for trial in written.trials}
            number = int(one.tactic, 16 if one.tactic.startswith("0x") else 10) % (1 << 64)
            assert expected[number] == one.ms
        chosen = [ms for trial in written.trials for _, ms in fastest(trial)]
        assert facts.build_ms == (min(chosen) if chosen else None)
        if chosen:
            lines = dict(facts.lines)
            assert text[lines["build_ms"] - 1].endswith(f"Time: {facts.build_ms}")
            assert f"Timing Runner: {written.name} (" in text[lines["candidates"] - 1]
            own = facts.candidates.chosen
            assert own is not None
            told = (facts.build_ms, facts.formats, facts.runner)
            assert (own.ms, own.formats, own.runner) == told
            assert facts.formats in {trial.formats for trial in written.trials}
