"""The files of `--exportTimes`, as versions of trtexec print them, and what is none."""

import gzip
from pathlib import Path

import pytest
from logtext import file_of
from paths import FIXTURES
from program import Patch

from engine_layer_visualize.comparison.verdict import of_iterations
from engine_layer_visualize.core.problems import ReadError
from engine_layer_visualize.reading import profile_json

# As TensorRT 7 to 8.2 print them, and since 8.4.
OLD = '{ "startInMs" : 0.1, "endInMs" : 0.2, "startComputeMs" : 0.2, "endComputeMs" : 2.4'
OLD += ', "startOutMs" : 2.4, "endOutMs" : 2.5, "inMs" : 0.1, "computeMs" : %s, "outMs" : 0.1'
OLD += ', "latencyMs" : 2.4, "endToEndMs" : 2.6 }\n'
NEW = '{ "startEnqMs" : 1, "endEnqMs" : 2, "startH2dMs" : 1, "endH2dMs" : 2, "startComputeMs" : 2'
NEW += ', "endComputeMs" : 3.25, "startD2hMs" : 4, "endD2hMs" : 5, "h2dMs" : 1, "computeMs" : %s'
NEW += ', "d2hMs" : 1, "latencyMs" : 3.25 }\n'


def printed(row: str, *values: object) -> str:
    """As trtexec lays it out: commas begin the lines."""
    return "[\n  " + ", ".join(row % value for value in values) + "]\n"


@pytest.mark.parametrize("row", [OLD, NEW])
@pytest.mark.parametrize("packed", [False, True])
def test_a_file_is_read(row: str, packed: bool, tmp_path: Path) -> None:
    data = printed(row, 2.25, 1, "3e-1").encode()
    path = file_of(tmp_path, gzip.compress(data) if packed else data, "times.json")
    found, problems = profile_json.read_iterations(path)
    assert (list(found.compute_ms), problems) == ([2.25, 1.0, 0.3], [])
    assert found.file == str(path)


@pytest.mark.parametrize("path", sorted((FIXTURES / "times").iterdir()))
def test_the_fixtures(path: Path) -> None:
    found, problems = profile_json.read_iterations(path)
    assert (len(found.compute_ms), problems) == (20, [])
    assert 1.25 < max(found.compute_ms[:2]) / of_iterations(found).ms < 1.35


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("", 1, "no list"),
        ("[]", 1, "no iteration"),
        ("[1]", 1, "iteration 0 has no time as `computeMs`"),
        (printed(NEW, 1, "NaN"), 3, "iteration 1 has no time as `computeMs`"),
        (printed(NEW, "-1"), 2, "no time"),
        (printed(NEW, "1" + "0" * 5000), 2, "not JSON"),
        (printed(NEW, 1, 2)[:-9], 3, "not JSON"),
        ("[" * 100_000, 1, "not JSON"),
        ('[{"count": 3}, {"name": "a", "averageMs": 1}]', 1, "no time"),
        ("[V] [TRT] Engine Layer Information:\nLayer(x)", 1, "not JSON"),
    ],
)
def test_another_file_is_one_problem(text: str, line: int, words: str, tmp_path: Path) -> None:
    path = file_of(tmp_path, text, "times.json")
    with pytest.raises(ReadError) as caught:
        profile_json.read_iterations(path)
    problem = caught.value.problem
    assert (problem.code, problem.place.line) == ("ELV208", line)
    assert words in problem.message
    assert "--exportTimes" in caught.value.hint


def test_a_damaged_archive_is_not_judged_by_its_first_half(tmp_path: Path) -> None:
    packed = gzip.compress(printed(NEW, *range(500)).encode())
    path = file_of(tmp_path, packed[:200], "times.json.gz")
    with pytest.raises(ReadError, match="ELV208"):
        profile_json.read_iterations(path)


def test_iterations_are_bounded(tmp_path: Path, monkeypatch: Patch) -> None:
    monkeypatch.setattr(profile_json, "MOST", 3)
    path = file_of(tmp_path, printed(NEW, 1, 2, 3), "times.json")
    profile_json.read_iterations(path)
    path.write_text(printed(NEW, 1, 2, 3, 4))
    with pytest.raises(ReadError, match="more than 3 iterations"):
        profile_json.read_iterations(path)
    with pytest.raises(ReadError, match="ELV401"):
        profile_json.read_iterations(tmp_path / "none.json")
