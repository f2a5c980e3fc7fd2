"""`elv.gate`: the same verdicts as the command, as values."""

import json
from pathlib import Path
from typing import Any

import pytest

import engine_layer_visualize as elv
from gate.conftest import Gate, Kept
from gate.made_runs import FP16, INT8, ITERATIONS, again, times


def read(path: Path, *profiles: str) -> Any:
    return elv.read(path, profiles, facts=True).engines[0]


def test_a_verdict_is_that_of_the_command(tmp_path: Path, gated: Gate) -> None:
    before, after = times(tmp_path, "a", 1.5, 1.5, 1.5), times(tmp_path, "b", 2.0, 2.0, 2.0)
    found = elv.gate(
        read(INT8), read(FP16), baseline_times=before[1::2], times=after[1::2], max_memory="5%"
    )
    words = ["--baseline", INT8, *before, "--log_file", FP16, *after, "--max_memory", "5%"]
    said = gated.found(*words, code=5)
    assert json.loads(found.to("json"))["gate"] == found.data == said
    total = found.data["total"]
    assert (found.verdict, found.exit_code, total["runs"]) == ("fail", 5, [3, 3])
    assert total["slowdown"] == pytest.approx(1 / 3, rel=0.05)
    assert total["interval"][0] < total["slowdown"] < total["interval"][1]
    assert found.reasons == tuple(said["reasons"])


def test_it_shows_itself() -> None:
    found = elv.gate(read(INT8), read(FP16), name="resnet")
    assert repr(found) == "<Verdict: failed: 285 µs → 446 µs (+56.5 %), 1 run each>"
    assert "Gate resnet failed: 285 µs" in str(found)
    assert found._repr_markdown_().startswith("<!-- elv-gate:resnet -->\n### Gate resnet failed")
    assert "<testsuites" in found.to("junit")
    with pytest.raises(ValueError, match="no format 'xml'"):
        found.to("xml")
    with pytest.raises(AttributeError):
        found.verdict = "pass"


def test_a_snapshot_is_a_baseline(tmp_path: Path, kept: Kept) -> None:
    path = kept(FP16)
    for baseline in (path, str(path)):
        assert elv.gate(baseline, read(again(FP16, tmp_path))).exit_code == 0
    with pytest.raises(elv.ReadError, match="ELV705"):
        elv.gate(FP16, read(FP16))
    with pytest.raises(elv.ReadError, match="ELV401"):
        elv.gate(tmp_path / "none.json", read(FP16))
    with pytest.raises(elv.ReadError, match="ELV208"):
        elv.gate(path, read(FP16), times=[path])
    with pytest.raises(ValueError, match="a run counts once"):
        elv.gate(path, read(FP16), times=[ITERATIONS, str(ITERATIONS)])


def test_several_engines_are_several_runs() -> None:
    def slower(path: Path, by: float) -> Any:
        engine = read(path)
        layers = tuple(
            one._replace(time=one.time and one.time._replace(average_ms=one.time.average_ms * by))
            for one in engine.layers
        )
        return engine._replace(layers=layers)

    before = [slower(INT8, by) for by in (1.0, 1.001)]
    after = [slower(FP16, by) for by in (1.0, 1.001, 1.002)]
    with pytest.raises(ValueError, match="hold the same times; a run counts once"):
        elv.gate(before, [*after, after[0]])
    found = elv.gate(before, after, unsure="fail")
    assert (found.verdict, found.exit_code) == ("fail", 5)


def test_several_engines_are_one() -> None:
    with pytest.raises(ValueError, match="one engine with several profiles"):
        elv.gate(read(FP16), [read(FP16), read(INT8)])


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"max_slowdown": "3"}, "3%"),
        ({"max_slowdown": 1}, "1 is 1 times the baseline; write 1%, or 100%"),
        ({"max_slowdown": -0.1}, "a limit is a fraction from 0 on"),
        ({"max_memory": float("nan")}, "a limit is a fraction from 0 on"),
        ({"unsure": "maybe"}, "no unsure 'maybe'; there are pass, fail"),
    ],
)
def test_wrong_words(wrong: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        elv.gate(read(FP16), read(FP16), **wrong)
