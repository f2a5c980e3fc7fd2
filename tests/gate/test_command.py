"""The command `gate`: every verdict with its exit code, and what cannot be judged."""

from pathlib import Path

import pytest
from logtext import file_of
from paths import CENTERNET, FIXTURES, TIMES

from gate.conftest import Gate, Kept
from gate.made_runs import FP16, INT8, ITERATIONS, again, profile, scaled, times

# ---- verdicts ------------------------------------------------------------------------------------


@pytest.mark.parametrize("as_snapshot", [False, True])
@pytest.mark.parametrize("timed", ["baseline", "new"])
def test_times_of_two_kinds_are_not_judged_as_one(
    as_snapshot: bool, timed: str, tmp_path: Path, gated: Gate, kept: Kept
) -> None:
    """Iterations of 1 ms, and trtexec's summary of 0.446 ms: one engine."""
    own = times(tmp_path, "a", 1.0, 1.0, 1.0)
    base: list[object] = [FP16, *(own if timed == "baseline" else [])]
    if as_snapshot:
        base = [kept(*base)]
    log = again(FP16, tmp_path)
    words = ["--baseline", *base, "--log_file", log, *(own if timed == "new" else [])]
    found = gated.found(*words, code=0)
    assert (found["total"]["baseline_ms"], found["total"]["new_ms"]) == (0.446, 0.4464)
    which = "the baseline" if timed == "baseline" else "the new engine"
    wanted = "Compared is what both have, the median of trtexec's summary: "
    assert f"{wanted}only {which} has times of iterations." in found["reasons"]


def test_a_flag_tells_the_device_that_a_log_does_not_name(
    tmp_path: Path, gated: Gate, kept: Kept
) -> None:
    text = FP16.read_text("utf-8").replace("Orchard GA10", "NVIDIA A100-SXM4-40GB")
    lines = text.replace("max = 0.496", "max = 0.497").split("\n")  # of another run
    other = "\n".join(line for line in lines if "Selected Device" not in line)
    before, after = file_of(tmp_path, text), file_of(tmp_path, other, "after.log")
    said, _ = gated(before, after, code=7)
    assert "The device of the new engine is not known: give --device NAME." in said
    assert "not known: --device" not in gated(before, after, "--device", "A100", code=0)[0]
    gated(kept(after), before, "--device", "A100", code=0)
    said, _ = gated(before, after, "--device", "T4", code=6)
    assert "The device differs" in said


def test_that_one_of_several_shapes_is_judged_is_told(tmp_path: Path, gated: Gate) -> None:
    log = FIXTURES / "comparison" / "two-shapes.log"
    _, told = gated(log, again(log, tmp_path), code=0)
    assert told.count("has runs of several shapes, of which one is judged") == 2


def test_no_times_at_all(tmp_path: Path, gated: Gate) -> None:
    """Limits that need none are judged all the same."""
    words = ["--baseline", CENTERNET, CENTERNET]
    said, _ = gated(*words, "--max_memory", "0", code=6)
    assert "The time cannot be judged: both sides have no measured time" in said
    assert "The memory cannot be judged" in said
    assert gated.found(*words, "--unsure", "pass", code=6)["verdict"] == "not comparable"
    runs = times(tmp_path, "b", 1.0)
    said, _ = gated("--baseline", CENTERNET, TIMES, CENTERNET, *runs, code=6)
    assert "the baseline has times of its layers alone, not of whole runs" in said


def test_memory(gated: Gate) -> None:
    """INT8 to FP16."""
    words = ["--baseline", INT8, FP16, "--max_slowdown", "100%"]
    for limit, code in (("50%", 5), ("60%", 0)):
        gated(*words, "--max_memory", limit, code=code)


def test_several_profiles_are_several_runs(tmp_path: Path, gated: Gate) -> None:
    factors = (1.0, 1.001, 1.002, 1.2, 1.201, 1.202)
    files = [profile(tmp_path, f"{by}.json", scaled(by)) for by in factors]
    words = ["--baseline", CENTERNET, *files[:3], "--log_file", CENTERNET, *files[3:]]
    found = gated.found(*words, code=5)
    assert found["total"]["runs"] == [3, 3]
    assert found["total"]["slowdown"] == pytest.approx(0.2, abs=1e-3)
    low, high = found["total"]["interval"]
    assert 0.19 < low < 0.2 < high < 0.21
    assert len(found["groups"]) > 40


# ---- formats and files -----------------------------------------------------------------------


def test_a_code_host_is_told_the_path_of_the_log(gated: Gate) -> None:
    for format in ("sarif", "github"):
        said, _ = gated("--baseline", INT8, FP16, "-f", format, code=5)
        assert "comparison/fp16.log" in said
    assert "comparison" not in gated("--baseline", INT8, FP16, "-f", "json", code=5)[0]


# ---- what cannot be judged -------------------------------------------------------------------


def test_times_that_are_none(gated: Gate) -> None:
    for sides in (("--baseline", "--log_file"), ("--log_file", "--baseline")):
        given = [word for side in sides for word in (side, FP16)] + ["--times", TIMES]
        said, problems = gated(*given, code=6)
        assert "Something could not be read (ELV208)" in said
        assert "error[ELV208]: " in problems
        assert "iteration 0 has no time as `computeMs`" in problems
        assert gated(*given, "--strict", code=3)[0] == ""


@pytest.mark.parametrize("flag", ["--times", "--profile_file"])
def test_a_run_or_its_copy_counts_once(flag: str, tmp_path: Path, gated: Gate) -> None:
    file = ITERATIONS if flag == "--times" else TIMES
    again = FIXTURES / "lint" / ".." / file.relative_to(FIXTURES)
    copy = file_of(tmp_path, file.read_text("utf-8") + "\n", "copy.json")
    for other in (again, copy):
        words = f"{file.name} and {other.name} hold the same times"
        twice = [flag, file, flag, other]
        for given in ([*twice, CENTERNET], [CENTERNET, *twice]):
            said, problems = gated("--baseline", CENTERNET, *given, code=2)
            assert said == "" and words in problems and "a run counts once" in problems


@pytest.mark.parametrize("as_snapshot", [False, True])
def test_a_copy_tells_nothing(as_snapshot: bool, tmp_path: Path, gated: Gate, kept: Kept) -> None:
    """Of the baseline's run."""
    base: list[object] = [FP16, "--times", ITERATIONS]
    if as_snapshot:
        base = [kept(*base)]
    copy = file_of(tmp_path, ITERATIONS.read_text("utf-8"), "copy.json")
    words = ["--baseline", *base, FP16, "--times", copy]
    found = gated.found(*words, code=6)
    assert found["verdict"] == "not comparable"
    wanted = f"`{ITERATIONS.name}` of the baseline and `copy.json` of the new engine hold the same"
    assert any(reason.startswith(wanted) for reason in found["reasons"])


def test_what_cannot_be_read_in_part_is_never_green(tmp_path: Path, gated: Gate) -> None:
    words = ["--baseline", FP16, "--log_file", again(FP16, tmp_path), "--profile_file", ITERATIONS]
    said, problems = gated(*words, code=7)
    assert "Gate engine unsure" in said and "error[ELV201]: no profile: these are" in problems
    assert "Something could not be read (ELV201): no profile: these are the times" in said
    gated(*words, "--unsure", "pass", code=0)


def test_without_flags_the_first_log_is_the_baseline(gated: Gate, kept: Kept) -> None:
    """Files of times go to the new engine's log, wherever they stand."""
    base, both = kept(INT8), ["--baseline", INT8, "--log_file", FP16]
    wanted = gated.found(*both, "--times", ITERATIONS)
    for words in (
        [INT8, FP16, ITERATIONS],
        [INT8, ITERATIONS, FP16],
        [ITERATIONS, INT8, FP16],
        [base, FP16, ITERATIONS],
        [base, ITERATIONS, "--log_file", FP16],
        ["--log_file", FP16, base, ITERATIONS],
        [INT8, FP16, "--times", ITERATIONS],
        [base, f"--log_file={FP16}", ITERATIONS],
    ):
        assert gated.found(*words) == wanted
    of_base = gated.found(*both[:2], "--times", ITERATIONS, *both[2:])
    assert gated.found(INT8, "--times", ITERATIONS, FP16) == of_base
    assert gated(FP16, "--baseline", INT8, "-f", "json") == gated(*both, "-f", "json")


def test_a_profile_alone_is_a_side(tmp_path: Path, gated: Gate) -> None:
    wanted = gated("--baseline", CENTERNET, "--log_file", TIMES, "-f", "json")
    assert gated(CENTERNET, TIMES, "-f", "json") == wanted
    assert gated.found(TIMES, profile(tmp_path, "again.json", scaled(1.01)))["groups"]


def test_a_profile_of_another_engine(tmp_path: Path, gated: Gate) -> None:
    times = file_of(tmp_path, '[{"count": 1}, {"name": "nobody", "averageMs": 1.0}]', "p.json")
    words = ["--baseline", CENTERNET, TIMES, CENTERNET, times]
    said, problems = gated(*words, code=6)
    assert "error[ELV202]" in problems
    assert "The new engine cannot be judged (ELV202): no row bears" in said
    assert gated(*words, "--strict", code=7)[0] == ""


@pytest.mark.parametrize(
    ("words", "code", "problem"),
    [
        (["--baseline", "none.log", FP16], 2, "ELV401"),
        (["--baseline", CENTERNET, TIMES, CENTERNET, "-p", "none.json"], 2, "ELV401"),
        (["--baseline", FIXTURES / "broken" / "info-level.log", FP16], 3, "ELV402"),
        (["--baseline", FP16, FIXTURES / "broken" / "info-level.log"], 3, "ELV402"),
        (["--baseline", FP16, FP16, "--engine", "7"], 3, "ELV406"),
        (["--baseline", FP16, FP16, "--optimization_profile", "4"], 3, "ELV408"),
        (["--baseline", INT8, FP16, "-o", FP16], 5, "ELV501"),  # the highest of 4 and 5
    ],
)
def test_what_is_not_there(words: list[object], code: int, problem: str, gated: Gate) -> None:
    assert f"error[{problem}]" in gated(*words, code=code)[1]
