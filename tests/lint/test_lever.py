"""What is worth most for an engine, in one sentence; and of which cause a layer is."""

import json
from pathlib import Path

import pytest
from factories import chain, costs_of
from logtext import A100, HEADER, device, measured
from paths import FIXTURES
from program import Program

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.core.model import Timing
from engine_layer_visualize.linting import decided, lever, selection
from engine_layer_visualize.linting.rules import Evidence, Finding, Rule, saved
from engine_layer_visualize.linting.subject import Subject
from lint.cases import Case, cases

CONV = "Layer(CaskConvolution): c, Tactic: 0x1, x[{0}(8,64,64,64)] -> y[{0}(8,64,64,64)]\n"
POINTWISE = "Layer(PointWiseV2): p, Tactic: 0x1, y[Half(8,64,64,64)] -> z[Half(8,64,64,64)]\n"
RAN = "&&&& RUNNING TensorRT.trtexec [TensorRT v{}] # trtexec {}\n"
SHAPES = (
    "[W] [TRT] Dynamic dimensions required for input: x, but no shapes were provided. "
    "Automatically overriding shape to: 1x3x224x224\n"
)
HALF = HEADER + CONV.format("Half")
SUMMARY = measured(H2D_Latency=3, GPU_Compute_Time=1, D2H_Latency=1)


@pytest.mark.parametrize(
    ("log", "ms", "words"),
    [
        # what the log says of itself
        (
            RAN.format("100300", "--memPoolSize=workspace:4GiB")
            + "[I] === Build Options ===\n[I] Memory Pools: workspace: 3.8147e-06 MiB\n"
            + HALF,
            {"c": 1.0},
            "trtexec read workspace:4GiB as 4 bytes: build again with workspace:4096, which is "
            "in MiB.",
        ),
        (
            HALF + SHAPES,
            {"c": 1.0},
            "trtexec chose the shapes (1x3x224x224), as none were given: measure with --shapes.",
        ),
        # a measurement that is missing, by the log's own flags
        (
            RAN.format("8601", "--onnx=a.onnx --saveEngine=out/a.plan --shapes=x:8x64x64x64")
            + HALF,
            {},
            "Measure the layers: `trtexec --loadEngine=out/a.plan --shapes=x:8x64x64x64 "
            "--exportProfile=prof.json --separateProfileRun`, then add `--profile_file prof.json`.",
        ),
        (
            "[I] === Build Options ===\n[I] Precision: FP32\n" + HEADER + CONV.format("Float"),
            {"c": 1.0},
            "Try FP16 on a GPU with tensor cores (see `--device`), else INT8: 1 convolution or "
            "product computes in Float.",
        ),
        # what a finding saves, and what is copied
        (
            HALF + POINTWISE + SUMMARY,
            {"c": 0.9, "p": 0.1},
            "Copying inputs and outputs takes 4 times as long as computing: keep them on the GPU.",
        ),
        # what is left: 2 * 8 * 64**3 * 64 FMA = no filter's size is known
        (HALF, {"c": 1.0}, "Layer 0 `c` takes 100.0 %: a smaller model or INT8."),
        (
            device(A100 | {"Compute Capability": "7.0"}) + HALF,  # it multiplies no INT8
            {"c": 1.0},
            "Layer 0 `c` takes 100.0 %: a smaller model.",
        ),
        # 64 MiB (67.1 MB) at 1,555 GB/s are 43.2 µs of 60
        (
            device(A100) + HEADER + POINTWISE.replace("(8,", "(64,"),
            {"p": 0.06},
            "Memory-bound at 71.9 % of the bandwidth: a smaller model or fewer bits.",
        ),
    ],
)
def test_the_largest_lever(tmp_path: Path, log: str, ms: dict[str, float], words: str) -> None:
    assert lever.of(Subject(costs_of(log, tmp_path, **ms))) == words


@pytest.mark.parametrize("case", [*cases()], ids=lambda case: f"{case.code}: {case.why}")
def test_every_engine_has_one_short_sentence(case: Case, tmp_path: Path) -> None:
    text = lever.of(Subject(Costs(case.engine(tmp_path)))) or ""
    assert text.endswith(".") and 3 < len(text.split()) <= 20, text


LOGS = sorted((FIXTURES / "facts").glob("*.log")) + sorted((FIXTURES / "classic").glob("*.log"))


@pytest.mark.parametrize("log", LOGS, ids=lambda log: log.stem)
def test_lint_the_summary_and_both_short_forms_have_the_same(log: Path, here: Program) -> None:
    def printed(*words: str) -> str:
        return here(*words, log).stdout

    told = json.loads(printed("lint", "-f", "json"))["engines"]
    levers = [one["largest_lever"] for one in told]
    others = json.loads(printed("summary", "-f", "json"))["engines"]
    assert [one["engine"]["largest_lever"] for one in others] == levers
    for command in ("lint", "summary"):
        brief = json.loads(printed(command, "-f", "brief"))["engines"]
        assert brief and len(brief) >= min(len(levers), 3)
        for one in brief:  # of many engines the first, and those with times
            assert one["largest_lever"] == levers[one["engine"]]
    for words in (("lint", "--width", "500"), ("summary", "--brief", "--width", "500")):
        text = " ".join(printed(*words).split())
        assert all(lever is None or " ".join(lever.split()) in text for lever in levers), words


# ---- which layer is of which cause ---------------------------------------------------------------


NAMES = ("conv1", "conv2", "pool [profile 1]", "fc")
MS = (1.0, 2.0, 3.0, 4.0)


@pytest.fixture
def costs() -> Costs:
    engine = chain(*NAMES, timed=True)
    timed = (layer._replace(time=Timing(ms)) for layer, ms in zip(engine.layers, MS))
    return Costs(engine._replace(layers=tuple(timed)))


def finding(layers: tuple[int, ...], ms: float | None, code: str = "F02") -> Finding:
    evidence = tuple(Evidence(NAMES[index], 10 + index) for index in layers)
    return Finding(
        Rule(code, "x"), layers, ms, "why", "do", evidence, None if ms is None else "measured"
    )


# ---- causes ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("seen", "told"),
    [
        ([], []),
        ([finding((0,), None)], [((0,), None, 1.0)]),
        # Two causes: the first of the table has the layer, the other what is left.
        ([finding((0,), 1.0), finding((0, 1), 3.0, "H04")], [((1,), 2.0, 2.0), ((0,), 1.0, 1.0)]),
        ([finding((0,), 1.0), finding((0,), 1.0, "H04")], [((0,), 1.0, 1.0)]),
        # One cause, seen by two rules.
        ([finding((0,), 1.0), finding((3,), 4.0, "F03")], [((0, 3), 5.0, 5.0)]),
        ([finding((0, 1), 3.0), finding((1,), 2.0, "F03")], [((0, 1), 3.0, 3.0)]),
        # Of a layer that both see, what the one of them saves that saves more.
        ([finding((1, 3), 3.0), finding((1,), 1.5, "F03")], [((1, 3), 3.5, 6.0)]),
        ([finding((1,), None), finding((3,), 1.0, "F03")], [((3,), 1.0, 4.0), ((1,), None, 2.0)]),
        # Without layers of its own, and what stays where others have its layers.
        ([finding((), None, "H07")], [((), None, None)]),
        ([finding((3,), 4.0), finding((3,), None, "T04")], [((), None, None), ((3,), 4.0, 4.0)]),
    ],
)
def test_a_layer_is_of_one_cause(
    costs: Costs, seen: list[Finding], told: list[tuple[tuple[int, ...], float | None, float]]
) -> None:
    found = decided(seen, Subject(costs))
    assert [(one.layers, one.ms, one.touches_ms) for one in found] == told
    assert [one.rank for one in found] == [*range(1, len(found) + 1)]
    assert saved(found) == (sum(ms for _, ms, _ in told if ms) or None)


def test_a_second_cause_of_a_layer_is_a_clause_of_the_first(costs: Costs) -> None:
    second = finding((3,), None, "H09")._replace(advice="use a larger batch")
    (one,) = decided([finding((0, 3), 5.0), second], Subject(costs))
    assert one.also == ("use a larger batch",) and one.message == "why; also: use a larger batch"
    little = second._replace(layers=(0,))  # 1 ms of 10 ms is a tenth, less is not said
    (one,) = decided([finding((0, 3), 5.0), little], Subject(costs))
    assert one.also == ("use a larger batch",)
    (one,) = decided([finding((0, 3), 5.0), little], Subject(costs.without(costs.layers[0], 0.5)))
    assert one.also == ()


def test_a_cause_has_the_most_severe_of_its_rules(costs: Costs) -> None:
    """As `--fail_on` asks for it, whatever it costs."""
    slow, severe = finding((3,), 4.0, "F02"), finding((0,), 1.0, "F03")
    severe = severe._replace(rule=Rule("F03", "y", "warning"))
    (one,) = decided([slow, severe], Subject(costs))
    assert (one.code, one.layers) == ("F03", (0, 3))


def test_a_finding_that_is_cut_has_the_time_of_its_layers(costs: Costs) -> None:
    several = [finding((0, 3), 2.5), finding((0,), None, "P15")]
    (less,) = (one for one in decided(several, Subject(costs)) if one.code == "F02")
    assert (less.layers, less.touches_ms, less.saves_ms) == ((3,), 4.0, 2.0)
    assert less.message == "why (1 of its 2 layers in other findings)"


def test_what_is_not_known_to_be_small_is_shown(costs: Costs) -> None:
    """A layer without a time counts as an average one."""
    untimed = costs.engine.layers[0]._replace(time=None)
    engine = costs.engine._replace(layers=(untimed, *costs.engine.layers[1:]))
    several = [finding((0,), None), finding((3,), 0.01, "H04")]
    found = decided(several, Subject(Costs(engine)))
    told = [("F02", None, True), ("H04", 4.0, False)]
    assert [(one.code, one.touches_ms, one.shown) for one in found] == told


# ---- names of other builds -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("conv1 [profile 0]", "conv1 [profile 1]"),
        ("(Unnamed Layer* 4) [Conv]", "(Unnamed Layer* 9) [Conv]"),
        ("Copy for Input Tensor 0 to c", "Copy for Input Tensor 1 to c"),
    ],
)
def test_a_layer_is_known_by_its_name_without_the_builder_s_numbers(old: str, new: str) -> None:
    assert selection.lasting_name(old) == selection.lasting_name(new)
