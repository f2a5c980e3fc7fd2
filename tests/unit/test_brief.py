"""`summary --brief` and `--sections`: short pages that say what they leave out."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from logtext import file_of
from paths import FIXTURES

from engine_layer_visualize.commands.cli import main
from engine_layer_visualize.core import options
from engine_layer_visualize.core.text import milliseconds
from engine_layer_visualize.reports.summary import SECTIONS

CENTERNET = FIXTURES / "classic" / "8.0-centernet.log"
TIMES = FIXTURES / "classic" / "8.0-centernet.profile.json"
INPUTS = ("--log_file", str(CENTERNET), "--profile_file", str(TIMES))
LIMIT = 65_536  # characters of a comment on GitHub


def summary(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["summary", *arguments]) == 0
    return capsys.readouterr().out


def log_of(engines: int, folder: Path, name: str = "conv") -> str:
    """A log of so many engines, each with a reformat, and its path."""
    listing = (
        "[V] [TRT] Engine Layer Information:\n"
        f"Layer(Reformat): {name} reformat, Tactic: 1, x[Float(1,3,8,8)] -> r[Half(1,3,8,8)]\n"
        f"Layer(CaskConvolution): {name}, Tactic: 5, r[Half(1,3,8,8)] -> y[Half(1,4,8,8)]\n"
        "[V] [TRT] Total Activation Memory: 4096\n"
    )
    path = file_of(folder, listing * engines)
    return str(path)


@pytest.mark.parametrize("width", ["80", "140"])
def test_a_brief_page_fits_a_screen(capsys: pytest.CaptureFixture[str], width: str) -> None:
    text = summary(capsys, *INPUTS, "--brief", "--width", width)
    assert text.count("\n") <= 32
    for words in ("54 of 54 layers timed", "Slowest layers", "ConvTranspose", "15.3 %"):
        assert words in text
    assert "What to try" in text and "H04" in text, "transposed convolutions take 22.7 %"
    assert "without it there is more" in text


def test_what_to_try_is_what_counts_the_most(capsys: pytest.CaptureFixture[str]) -> None:
    log = str(FIXTURES / "classic" / "8.5-new-descriptors.log")
    full = json.loads(summary(capsys, log, "--format", "json"))["engines"][0]
    shown = [one for one in full["findings"] if one["shown"]]
    assert len(shown) > 3
    text = summary(capsys, log, "--brief", "--width", "140")
    _, _, table = text.partition("What to try")
    codes = re.findall(r" ([A-Z]\d\d) ", table)
    assert codes == [one["code"] for one in shown[:3]]
    assert f"… and {len(shown) - 3} more things to try." in table
    for one in shown[:3]:
        assert one["touches_ms"] is None or milliseconds(one["touches_ms"]) in table


def test_many_engines_have_a_row_each(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    log = log_of(12, tmp_path)
    text = summary(capsys, "--log_file", log, "--brief", "--width", "140")
    assert "12 engines of " in text
    for number in range(12):
        assert [line for line in text.split("\n") if line.startswith(f"  {number:6} ")]
    assert text.count("\n") <= 12 * 3 + 12
    assert "With --engine N it is about one of them" in text
    one = summary(capsys, "--log_file", log, "--brief", "--engine", "7")
    assert "\nEngine 7 of " in one


@pytest.mark.slow
@pytest.mark.parametrize(
    ("engines", "name"),
    [(1, "conv"), (11, "conv"), *((number, "a_|_*`[x](y) @you #1 " * 9) for number in (1, 2, 900))],
)
def test_brief_markdown_fits_a_comment(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, engines: int, name: str
) -> None:
    text = summary(
        capsys, "--log_file", log_of(engines, tmp_path, name), "--brief", "--format", "markdown"
    )
    assert len(text) <= LIMIT
    assert ("The report ends here" in text) == (engines == 900)
    bars = {line.count("|") for line in text.split("\n") if line.startswith("| ")}
    assert engines < 3 or len(bars) == 1, "no row is cut"


HEADS = {"precisions": "By precision", "memory": "Memory", "slowest": "Slowest layers"}


@pytest.mark.parametrize("format", ["text", "markdown"])
@pytest.mark.parametrize("keys", [["precisions", "slowest"], ["slowest", "memory", "precisions"]])
def test_sections_are_those_that_were_named_in_their_order(
    capsys: pytest.CaptureFixture[str], format: str, keys: list[str]
) -> None:
    text = summary(capsys, *INPUTS, "--sections", ",".join(keys), "--format", format)
    places = [text.find(HEADS[key]) for key in keys]
    assert -1 not in places and places == sorted(places)
    assert text.index("Engine 0 of ") < places[0], "which engine they are of"
    assert not [head for key, head in HEADS.items() if key not in keys and head in text]
    assert "layers timed" not in text, "that is the section `engine`"


def test_a_section_that_is_named_says_that_it_has_nothing(
    capsys: pytest.CaptureFixture[str],
) -> None:
    text = summary(capsys, *INPUTS, "--sections", "foreign_nodes")
    assert "`foreign_nodes`: this log has nothing for this section." in text


def test_sections_and_brief_do_not_change_data(capsys: pytest.CaptureFixture[str]) -> None:
    for format in ("json", "csv"):
        whole = summary(capsys, *INPUTS, "--format", format)
        assert summary(capsys, *INPUTS, "--format", format, "--brief") == whole
        assert summary(capsys, *INPUTS, "--format", format, "--sections", "memory") == whole


def test_the_sections_of_the_command_line_are_those_of_the_report() -> None:
    """It has them as words: the report is not imported to print a help."""
    assert tuple(section.key for section in SECTIONS) == options.SECTIONS
