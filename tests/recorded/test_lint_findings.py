"""Every finding of every recorded log is a cause that owns its layers, so that times add up."""

import re
from collections.abc import Iterator
from math import fsum
from pathlib import Path

import pytest
import recorded_logs
from paths import recorded
from recorded_logs import LOGS, build_of

from engine_layer_visualize.analysis import origin, reformat_reasons, times, trtexec
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.analysis.origin import ONNX, UNKNOWN
from engine_layer_visualize.analysis.reformat_reasons import Reason
from engine_layer_visualize.api.read import read
from engine_layer_visualize.core.model import Engine
from engine_layer_visualize.linting import header, lever, of_profiles, seen
from engine_layer_visualize.linting.causes import SHOWN
from engine_layer_visualize.linting.rules import Finding
from engine_layer_visualize.linting.selection import Selected, selected
from engine_layer_visualize.linting.subject import Subject
from engine_layer_visualize.reports.lint import in_few_lines

ROUNDED = 1 + 1e-9
PRINTED = 0.00005  # ms: trtexec prints its rows to 0.1 µs, and their total, too


@pytest.mark.parametrize("path", LOGS, ids=lambda path: str(path.name))
def test_causes_own_their_layers(path: Path) -> None:
    for engine in build_of(path).engines:
        for costs, found in of_profiles(Costs(engine)):
            told = "\n".join(map(repr, found))
            owned = [index for one in found for index in one.layers]
            assert len({*owned}) == len(owned), f"a layer in two findings:\n{told}"
            assert {*owned} <= {layer.index for layer in costs.layers}, told
            # What is to be done at inputs and at outputs may be two rows.
            rows = {(one.cause, one.code == "F03", one.saves_ms is None) for one in found}
            assert len(rows) == len(found), told
            assert all(one.layers == tuple(sorted(one.layers)) for one in found), told
            assert [one.rank for one in found] == [*range(1, len(found) + 1)], told
            assert sum(one.shown for one in found) <= SHOWN, told
            _times_add_up(costs, found)


def _times_add_up(costs: Costs, found: tuple[Finding, ...]) -> None:
    touched = fsum(one.touches_ms or 0.0 for one in found)
    whole = times.inference(costs)
    least = PRINTED * (len(costs.layers) + 1)
    assert touched == 0.0 if whole is None else touched <= whole + least
    assert fsum(one.saves_ms or 0.0 for one in found) <= touched * ROUNDED
    for one in found:
        if one.saves_ms is not None:
            assert one.touches_ms is not None, f"{one!r}: about the whole engine no log says that"
            assert 0.0 <= one.saves_ms <= one.touches_ms * ROUNDED, repr(one)


def of_log(number: str, engine: int = 0) -> Selected:
    return selected(Costs(recorded_logs.engine(number, engine)))


def test_shares_have_the_digits_of_the_table() -> None:
    assert of_log("306").costly[0].startswith("98.4 % in layer 2 ")  # line 4
    (fp16,) = (one := of_log("128")).findings
    part = times.share_touched(fp16.layers, one.costs)
    assert part == pytest.approx(1081.03 / 1871.88)  # lines 1437 and 1440: 57.8 %


def test_short_layers_are_counted() -> None:
    (short,) = of_log("032").findings
    # Lines 89 to 104: the longest takes 0.0099 ms, line 96.
    assert "16 of 16 layers take less than 10.0 µs each" in short.message
    assert "100.0 %" in short.message


def test_a_no_op_wants_no_workspace() -> None:
    findings = of_log("027").findings  # line 4442: the layer whose tactics were skipped
    assert [each.code for each in findings] == ["F02"]


def test_a_share_says_of_what_it_is() -> None:
    # Lines of engine 2: its ForeignNode is timed as a whole.
    told = lever.of(Subject(of_log("012", 2).costs))
    assert told is not None and told.endswith(" % of the timed layers.")


@pytest.mark.parametrize(
    ("number", "engine", "code", "words"),
    [
        # Lines 462 and 436: the tactic 0x10383a… that was chosen is one of TF32.
        ("012", 0, "P15", "compute in TF32: no layer"),
        ("014", 0, "P15", "compute in TF32: no layer"),  # lines 1036, 646 and 687
        # Lines 132 to 135: two layers, and a reformat on both sides.
        ("076", 1, "U05", "1 of 2 layers that run a kernel besides reformats"),
        ("303", 0, "U05", "all that runs besides reformats"),  # line 3
        # Records 2 and 3; record 18 computes in Float, too, and reads what 17 writes.
        ("334", 0, "P06", "1 layer converts between quantised layers and `/feature_layers.3/Conv"),
        ("032", 0, "H07", "76.0 µs together, 100.0 %"),  # the row Total, line 105
        ("056", 0, "H07", "42 layers take 244 µs"),
    ],
)
def test_what_a_finding_says_is_so(number: str, engine: int, code: str, words: str) -> None:
    (found,) = (each for each in of_log(number, engine).findings if each.code == code)
    assert words in found.message


def test_the_normalisation_of_an_input_is_found_without_its_edges() -> None:
    (found,) = (each for each in of_log("331").findings if each.code == "U13")
    assert len(found.layers) == 6


def test_evidence_is_of_the_statistic_that_is_told() -> None:
    # Line 75: mean = 0.244098 ms, median = 0.234619 ms.
    (short,) = (each for each in of_log("056").findings if each.code == "H07")
    assert [str(each) for each in short.evidence] == ["log line 75: GPU Compute Time: mean 244 µs"]


def test_what_could_be_saved_is_not_measured() -> None:
    one = of_log("079")
    (output,) = (each for each in one.findings if each.code == "F03")  # it took 0.007168 ms
    told = in_few_lines(output, one.costs).partition("\n")[0]
    assert told == "touches 7.17 µs, 0.7 % (measured, one run); could save 7.17 µs"


def test_a_drift_is_between_medians_of_two_halves() -> None:
    # Lines 138 to 157: the middle two of the first ten are 6.682 and 6.703 ms.
    words = "GPU time went from 6.69 ms to 8.50 ms within the run: "
    assert any(text.startswith(words) for text in of_log("329").header)


def test_lower_precision_was_faster_for_some() -> None:
    (engine,) = read(recorded("321"), facts=True).engines
    # Such as MatMul_284, lines 22771 and 22776: 0.034944 ms in Float, 0.029952 ms in Half. With
    # their equal layers they are 233, 278, 284, four of 334's kind and five of 593's.
    assert [*lever.faster_in_float(Subject(Costs(engine)))] == [
        "lower precision was timed for 80 of 80 convolutions and products in Float, and was "
        "faster only for 12"
    ]


# ---- advice names no flag that the log's version lacks or that its command line has --------------


COMMAND = re.compile(r"RUNNING TensorRT\S* .*?# (.*)")


def advice(engine: Engine) -> Iterator[str]:
    """What is told of an engine."""
    for costs, findings in of_profiles(Costs(engine)):
        yield from (finding.advice for finding in findings)
        yield from header.of(Subject(costs))


@pytest.mark.parametrize("path", LOGS, ids=lambda path: str(path.name))
def test_advice_names_flags_that_can_be_added(path: Path) -> None:
    given = " ".join(COMMAND.findall(path.read_text("utf-8", errors="replace")))
    for engine in build_of(path).engines:
        for text in advice(engine):
            for flag in re.findall(r"(?<!polygraphy surgeon sanitize )--[A-Za-z]\w+", text):
                assert trtexec.has_flag(engine, flag), f"{engine.tensorrt} lacks it: {text}"
                assert not re.search(rf"{flag}\b", given), f"it is given: {text}"


# ---- advice on reformats and on the model keeps its conditions -----------------------------------


WHOLE = {"F02", "F03"}  # not about what writes a part of a tensor


def found(path: Path) -> list[tuple[Costs, Finding]]:
    """What each rule sees by itself: a cause may have layers of several."""
    costs = [Costs(engine) for engine in build_of(path).engines]
    each = [own.of_profile(number) for own in costs for number in own.profiles]
    return [(own, one) for own in each for one in seen(Subject(own))]


@pytest.mark.parametrize("path", LOGS, ids=lambda path: str(path.name))
def test_advice_fits_the_network_and_is_about_its_reformats(path: Path) -> None:
    for own, one in found(path):
        if one.code in WHOLE:
            reasons = reformat_reasons.of(own)
            about = [reasons[index] for index in one.layers if index in reasons]
            parts = [each for each in about if each.in_part]
            assert about, one.message
            assert all(each.cause == "quantiser" or strided(own, each) for each in parts)
            assert not {"concat", "network", "cast"}.intersection(each.cause for each in about)
        frontend = origin.frontend_of(own)
        told = f"{one.code}: {one.message}; {one.advice}"
        assert one.message.strip() and one.advice.strip(), told
        if frontend not in (ONNX, UNKNOWN):
            assert "ONNX" not in told and ".onnx" not in one.advice
            assert one.code not in ("F02", "F03") or "IOFormats" not in one.advice
        if "the ONNX model" in one.advice:
            assert frontend is ONNX, told
        assert one.code[0] not in "FU" or "leave it" not in one.advice, told


def strided(costs: Costs, reason: Reason) -> bool:
    """Whether all writers of an output's parts were timed as such: with longer strides."""
    layers, names = costs.engine.layers, {side.tensor for side in reason.targets}
    written = [edge.source for edge in costs.engine.graph.edges if edge.tensor in names]
    computing = {*written, *(side.layer for side in reason.sources)} - {reason.layer, None}
    facts = [layers[index].facts for index in computing if index is not None]
    return len(facts) > 1 and all(
        own is not None
        and any(
            (tried.formats or "").endswith("long-strided") for tried in own.candidates.combinations
        )
        for own in facts
    )
