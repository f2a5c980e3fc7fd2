"""Packages that add rules and formats: what they give is used, what is wrong in them is told."""

from __future__ import annotations

import json
import shutil
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from paths import ROOT

import engine_layer_visualize as elv
from engine_layer_visualize.cli import main
from engine_layer_visualize.commands import mcp_answers
from engine_layer_visualize.commands.allowed_folders import Folders
from engine_layer_visualize.commands.mcp_answers import Answers
from engine_layer_visualize.inputs import formats
from engine_layer_visualize.io import extensions
from engine_layer_visualize.linting import added_rules

EXAMPLE = ROOT / "examples" / "acme_rules"
LOG = ROOT / "fixtures" / "classic" / "8.0-centernet.log"
RULE = """\
from engine_layer_visualize.extending import Evidence, Finding, Rule
RULE = Rule("XBAD01", "bad", "hint", "Is a rule.")
def check(subject):
"""
PROFILES = """\
from engine_layer_visualize.extending import Format
def sniff(head):
    {}
FORMAT = Format("bad", sniff, print)
"""
Install = Callable[..., None]


def forget() -> None:
    for cached in (
        extensions._loaded, extensions._are_installed, added_rules._usable, formats._added
    ):  # fmt: skip
        cached.cache_clear()


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Puts packages on the path as pip would: modules, and entry points of one kind."""
    site = tmp_path / "site"
    site.mkdir()
    monkeypatch.syspath_prepend(site)
    before = set(sys.modules)

    def installed(kind: str, name: str = "bad", package: str = "bad-rules", **files: str) -> None:
        folder = site / f"{package.replace('-', '_')}-1.0.dist-info"
        folder.mkdir()
        (folder / "METADATA").write_text(f"Name: {package}\nVersion: 1.0\n", "utf-8")
        points = "".join(f"{module} = {module}\n" for module in files)
        (folder / "entry_points.txt").write_text(
            f"[engine_layer_visualize.{kind}]\n{points}", "utf-8"
        )
        for module, text in files.items():
            (site / f"{module}.py").write_text(text, "utf-8")
        forget()

    yield installed
    for module in set(sys.modules) - before:
        if getattr(sys.modules[module], "__file__", None) and str(site) in str(
            sys.modules[module].__file__
        ):
            del sys.modules[module]
    forget()


@pytest.fixture
def example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The example of docs/extending.md, on the path as pip would put it; its files of tests."""
    site = tmp_path / "example"
    shutil.copytree(EXAMPLE / "acme_rules", site / "acme_rules")
    info = site / "acme_rules-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Name: acme-rules\nVersion: 1.0\n", "utf-8")
    groups = {
        "rules": "slow-pooling = acme_rules.slow_pooling",
        "profiles": "csv-times = acme_rules.csv_times",
        "listings": "layer-table = acme_rules.layer_table",
    }
    project = (EXAMPLE / "pyproject.toml").read_text("utf-8")
    assert all(line.replace("= ", '= "') + '"' in project for line in groups.values())
    text = "".join(f"[engine_layer_visualize.{kind}]\n{line}\n" for kind, line in groups.items())
    (info / "entry_points.txt").write_text(text, "utf-8")
    monkeypatch.syspath_prepend(site)
    forget()
    yield EXAMPLE / "tests"
    for module in [name for name in sys.modules if name.split(".")[0] == "acme_rules"]:
        del sys.modules[module]
    forget()


# ---- the example ---------------------------------------------------------------------------------


def test_files_of_added_formats_are_read_without_flags(
    example: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["lint", f"{example / 'engine.layers'}", f"{example / 'engine.times'}"]
    assert main([*words, "--format", "json"]) == 0
    (engine,) = json.loads(capsys.readouterr().out)["engines"]
    assert engine["engine"]["dialect"] == "acme-layers"
    assert engine["engine"]["time"]["total_ms"] == pytest.approx(0.1)
    (finding,) = engine["findings"]
    assert (finding["code"], finding["cause"], finding["layers"]) == ("XACME01", "XACME01", [1])
    assert finding["touches_ms"] == 0.08


def test_times_of_an_added_format_are_an_answer_alone(
    example: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["summary", str(example / "engine.times")]) == 0
    assert "3 of 3 layers timed, 100 µs together" in capsys.readouterr().out


def test_an_added_rule_is_listed_and_explained(
    example: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["lint", "--rules", "--format", "json"]) == 0
    rules = {rule["code"]: rule for rule in json.loads(capsys.readouterr().out)}
    assert rules["XACME01"]["package"] == "acme-rules 1.0"
    assert {rule["package"] for code, rule in rules.items() if code != "XACME01"} == {""}
    assert main(["--explain", "xacme01"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("XACME01 slow-pooling\n\nPooling takes more than a tenth of the time.")
    assert "**Package**: acme-rules 1.0." in out


@pytest.mark.parametrize("format", ["text", "markdown", "sarif", "github"])
def test_every_report_has_the_added_rule(
    example: Path, capsys: pytest.CaptureFixture[str], format: str
) -> None:
    words = [
        "lint",
        str(example / "engine.layers"),
        "--profile_file",
        str(example / "engine.times"),
    ]
    assert main([*words, "--format", format]) == 0
    assert "XACME01" in capsys.readouterr().out


def test_the_page_has_the_added_rule(example: Path, tmp_path: Path) -> None:
    engine = elv.read(example / "engine.layers", example / "engine.times").engines[0]
    elv.draw(engine, tmp_path / "engine.html")
    assert "XACME01" in (tmp_path / "engine.html").read_text("utf-8")


def test_an_added_rule_can_be_chosen_and_left_out(
    example: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["lint", str(example / "engine.layers"), str(example / "engine.times")]
    for more, found in ((["--select", "X"], 1), (["--ignore", "XACME01"], 0)):
        assert main([*words, *more, "--format", "json"]) == 0
        (engine,) = json.loads(capsys.readouterr().out)["engines"]
        assert len(engine["findings"]) == found


def test_a_broken_file_of_an_added_format_is_told_with_its_line(
    example: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    times = tmp_path / "broken.times"
    times.write_text("acme-times 1\nconv1,12.5\npool1,soon\n", "utf-8")
    assert main(["lint", str(example / "engine.layers"), "--profile_file", str(times)]) == 1
    assert "broken.times:3:7: error[ELV204]: `pool1` has an unreadable time" in (
        capsys.readouterr().err
    )


# ---- rules that cannot be used -------------------------------------------------------------------


def linted(capsys: pytest.CaptureFixture[str]) -> tuple[list[str], str]:
    """The codes of findings about a log, and what was told; the exit code says so, too."""
    code = main(["lint", str(LOG), "--format", "json"])
    said = capsys.readouterr()
    assert code == (1 if "ELV708" in said.err else 0)
    found = json.loads(said.out)["engines"][0]["findings"]
    return [finding["code"] for finding in found], said.err


def heading(rule: str) -> str:
    return f"from engine_layer_visualize.extending import Rule\nRULE = {rule}\ndef check(s): ...\n"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("import nothing_of_that_name", "its import failed: ModuleNotFoundError: No module named"),
        ("def check(:", "its import failed: SyntaxError"),
        ("raise SystemExit(3)", "its import failed: SystemExit: 3 (site/bad.py"),
        ("", "no rule: its RULE is of the type NoneType, not Rule"),
        (heading('Rule("F02", "other")'), "its code is 'F02'; a code of another package is X, one"),
        (heading('Rule("XB01", "plugin")'), "its name plugin is that of another rule"),
        (heading('Rule("XB01", "No good")'), "its name is 'No good'"),
        (heading('Rule("XB01", "bad", "fatal")'), "its severity is 'fatal'; there are hint, warn"),
        (heading("7"), "its RULE is of the type int"),
        (RULE + "    return 7", "XBAD01: check failed: TypeError"),
        (RULE + "    yield 7", "gave no finding that can be told: it is of the type int"),
        (RULE + "    1 / 0; yield", "check failed: ZeroDivisionError: division by zero (site/bad."),
        (RULE + "    raise SystemExit(0); yield", "XBAD01: check failed: SystemExit: 0"),
        (RULE + "    raise GeneratorExit; yield", "XBAD01: check failed: GeneratorExit"),
        (RULE + "    raise BaseException('x'); yield", "check failed: BaseException: x (site/bad"),
        (RULE + "    yield from check(subject)", "XBAD01: check failed: RecursionError"),
        (RULE + "    yield Finding(RULE, (999999,), None, '', '')", "its layers are no tuple of"),
        (RULE + "    yield Finding(RULE, [0], None, '', '')", "its layers are no tuple of indices"),
        (RULE + "    yield Finding(RULE, (0,), float('nan'), '', '')", "its ms is nan"),
        (RULE + "    yield Finding(RULE, (0,), -1.0, '', '')", "its ms is -1.0"),
        (RULE + "    yield subject.finding(RULE, [], '', '', ms=float('nan'))", "(site/bad.py:4)"),
        (RULE + "    class Odd(Exception): __str__ = None\n    raise Odd", "Odd (site/bad.py:5)"),
        (RULE + "    yield Finding(RULE, (0,), None, 7, '')", "its why is no text"),
        (RULE + "    yield Finding(RULE, (0,), None, '', None)", "its advice is no text"),
        (RULE + "    yield Finding(RULE, (0,), None, '', '', ('x',))", "its evidence is no tuple"),
        (RULE + "    yield Finding(Rule('F02', ''), (0,), None, '', '')", "it is of another rule"),
    ],
)  # fmt: skip
def test_a_rule_that_cannot_be_used_takes_no_finding_of_others(
    install: Install, capsys: pytest.CaptureFixture[str], text: str, told: str
) -> None:
    alone, _ = linted(capsys)
    install("rules", bad=text)
    found, said = linted(capsys)
    assert found == alone and found
    assert said.count("ELV708") == 1
    assert "the extension bad of bad-rules 1.0: error[ELV708]: " in said and told in said


def test_what_a_rule_found_before_its_error_is_told(
    install: Install, capsys: pytest.CaptureFixture[str]
) -> None:
    install("rules", bad=RULE + "    yield Finding(RULE, (0,), 1e9, 'odd', 'look')\n    1 / 0\n")
    found, said = linted(capsys)
    assert "XBAD01" in found and "ZeroDivisionError" in said


def test_a_rule_that_finds_without_end_is_stopped(
    install: Install, capsys: pytest.CaptureFixture[str]
) -> None:
    install("rules", bad=RULE + "    while True: yield Finding(RULE, (), None, 'odd', 'look')\n")
    _, said = linted(capsys)
    assert "it gives more of them than there are layers" in said


@pytest.mark.parametrize(
    ("kind", "text", "doing"),
    [
        ("rules", RULE + "    raise KeyboardInterrupt", "XBAD01: check"),
        ("rules", "raise KeyboardInterrupt", "import"),
        ("profiles", PROFILES.format("raise KeyboardInterrupt"), "sniff"),
    ],
)
def test_what_ctrl_c_meets_is_named(
    install: Install, capsys: pytest.CaptureFixture[str], kind: str, text: str, doing: str
) -> None:
    install(kind, bad=text)
    code = main(["lint", str(LOG), str(LOG.with_suffix(".profile.json"))])
    said = capsys.readouterr().err
    assert code == 130
    assert f"the extension bad of bad-rules 1.0: error[ELV708]: {doing} had not ended" in said


def test_an_assistant_reads_that_a_rule_failed(install: Install) -> None:
    install("rules", bad=RULE + "    1 / 0; yield")
    text = Answers(Folders([str(LOG.parent)])).brief("summary", LOG.name, [], None)
    assert "ZeroDivisionError" in json.loads(text)["problems"][0]["message"]


def test_who_asks_behind_a_rule_that_hangs_is_told_of_it(
    install: Install, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mcp_answers, "_PATIENCE", 0.1)
    install(
        "rules",
        bad="import threading\nhung, end = threading.Event(), threading.Event()\n"
        + RULE
        + "    hung.set(); end.wait(); return []",
    )
    answers = Answers(Folders([str(LOG.parent)]))
    first = threading.Thread(target=answers.brief, args=("lint", LOG.name, [], None), daemon=True)
    extensions.of_kind("rules")
    bad = sys.modules["bad"]
    first.start()
    assert bad.hung.wait(60)
    with pytest.raises(ValueError, match=r"XBAD01: check of the extension bad .* has not ended"):
        answers.lines(LOG.name, 1, 1)
    bad.end.set()
    first.join(60)
    assert answers.lines(LOG.name, 1, 1)


def test_a_stake_of_an_added_rule_is_at_most_the_time_of_its_layers(install: Install) -> None:
    install("rules", bad=RULE + "    yield Finding(RULE, (0,), 1e9, 'odd', 'look')\n")
    (engine,) = elv.read(LOG, LOG.with_suffix(".profile.json")).engines
    (found,) = [one for one in elv.findings(engine) if one.code == "XBAD01"]
    assert found.saves_ms == found.touches_ms == engine.layers[0].time.average_ms  # type: ignore[union-attr]


def test_two_rules_of_one_code_are_told_and_the_first_is_used(
    install: Install, capsys: pytest.CaptureFixture[str]
) -> None:
    rule = RULE + "    yield Finding(RULE, (0,), None, '{}', 'look')\n"
    install("rules", package="a-rules", one=rule.format("first"))
    install("rules", package="b-rules", two=rule.format("second"))
    found, said = linted(capsys)
    assert found.count("XBAD01") == 1
    assert "the extension two of b-rules 1.0" in said
    assert "XBAD01 is the code of a rule of a-rules 1.0, too" in said


def test_python_is_warned_of_a_broken_rule(install: Install) -> None:
    (engine,) = elv.read(LOG).engines
    alone = [finding.message for finding in elv.findings(engine)]
    install("rules", bad=RULE + "    1 / 0; yield")
    with pytest.warns(UserWarning, match="ELV708.*ZeroDivisionError"):
        assert [finding.message for finding in elv.findings(engine)] == alone


def test_a_rule_that_explain_asks_for_in_vain_is_told(
    install: Install, capsys: pytest.CaptureFixture[str]
) -> None:
    install("rules", bad="import nothing_of_that_name")
    assert main(["--explain", "XBAD01"]) == 2
    said = capsys.readouterr().err
    assert "no code XBAD01" in said and "its import failed: ModuleNotFoundError" in said


# ---- formats that cannot be used -----------------------------------------------------------------

FORMAT = """\
from engine_layer_visualize.extending import *
def sniff(head): return head.startswith(b"bad")
def read(source, *more): {}
FORMAT = Format("bad", sniff, read)
"""


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("import nothing_of_that_name", "its import failed: ModuleNotFoundError"),
        ("FORMAT = 7", "no format: its FORMAT is of the type int, not Format"),
        (FORMAT.format("return []").replace("return head", "return 1 / 0 #"), "sniff failed: Zero"),
        (
            FORMAT.format("1 / 0"),
            "read failed: ZeroDivisionError: division by zero (site/bad.py:3)",
        ),
        (FORMAT.format("return 7"), "read gave nothing that can be used"),
        (FORMAT.format("return [], []"), "read gave nothing that can be used"),
        (FORMAT.format("return [Profile(Place('x'), (7,))], []"), "a row is no ProfileRow"),
        (
            FORMAT.format("return [Profile(Place('x'), (ProfileRow('a', Timing('b')),))], []"),
            "the time of `a` is no number of milliseconds",
        ),
    ],
)
def test_times_of_a_broken_format_are_told_and_the_log_is_read(
    install: Install, capsys: pytest.CaptureFixture[str], tmp_path: Path, text: str, told: str
) -> None:
    install("profiles", bad=text)
    times = tmp_path / "bad.times"
    times.write_text("bad times", "utf-8")
    code = main(["lint", str(LOG), "--profile_file", str(times), "--format", "json"])
    said = capsys.readouterr()
    assert code == 1 and "ELV708" in said.err and told in said.err
    assert len(json.loads(said.out)["engines"]) == 1


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (FORMAT.format("1 / 0"), "read failed: ZeroDivisionError"),
        (FORMAT.format("return 7"), "it is of the type int, not ListingFile"),
        (FORMAT.format("return ListingFile()"), "it has no layers"),
        (
            FORMAT.format(
                "return ListingFile(layers=[Layer(3, Place('x'), 'a', 'b', None, (), ())])"
            ),
            "layer 0 is no Layer with that index and position",
        ),
        (
            FORMAT.format(
                "return ListingFile(layers=[Layer(0, Place('x'), 'a', 'b', None, (7,), (), "
                "position=0)])"
            ),
            "an input or output of layer 0 is no Tensor",
        ),
    ],
)
def test_a_listing_of_a_broken_format_is_told_and_other_logs_are_read(
    install: Install, capsys: pytest.CaptureFixture[str], tmp_path: Path, text: str, told: str
) -> None:
    install("listings", bad=text)
    listing = tmp_path / "bad.layers"
    listing.write_text("bad layers", "utf-8")
    words = ["--log_file", str(listing), "--log_file", str(LOG)]
    assert main(["lint", *words, "--format", "json"]) == 3
    said = capsys.readouterr()
    assert "bad.layers:1:1: error[ELV708]: the extension bad of bad-rules 1.0: " in said.err
    assert told in said.err
    assert len(json.loads(said.out)["engines"]) == 1


def test_added_formats_take_no_file_of_ours(install: Install) -> None:
    greedy = FORMAT.format("1 / 0").replace("head.startswith", "True or head.startswith")
    install("profiles", bad=greedy)
    (engine,) = elv.read(LOG, LOG.with_suffix(".profile.json")).engines
    assert engine.time.timed == 54
    assert [problem.code for problem in engine.problems if problem.code == "ELV708"] == []


def test_what_an_extension_prints_stands_in_no_report(
    install: Install, capsys: pytest.CaptureFixture[str]
) -> None:
    rule = RULE + "    print('checking')\n    yield subject.finding(RULE, [], 'odd', 'look')\n"
    install("rules", bad=f"print('importing')\n{rule}    print('checked')\n")
    found, said = linted(capsys)  # as JSON
    assert "XBAD01" in found
    assert said.split("\n") == ["importing", "checking", "checked", ""]


# ---- nothing is installed ------------------------------------------------------------------------


def test_entry_points_are_not_looked_up_where_no_package_has_any(
    monkeypatch: pytest.MonkeyPatch, install: Install
) -> None:
    def never(**_: object) -> None:
        raise AssertionError("looked up")

    forget()
    monkeypatch.setattr("importlib.metadata.entry_points", never)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert elv.findings(elv.read(LOG).engines[0])
