"""`elv.toml`: the limits of `gate` and the look of drawings; flags are stronger."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from paths import ROOT

from engine_layer_visualize.cli import main
from engine_layer_visualize.commands import settings
from engine_layer_visualize.commands.arguments import command

LOG = ROOT / "fixtures" / "classic" / "8.0-centernet.log"
PROFILE = LOG.with_suffix(".profile.json")
Capture = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def gated(*words: str) -> int:
    """Gates a log by itself with slower layers."""
    slower = json.loads(PROFILE.read_text("utf-8"))
    for row in slower:
        for key in ("averageMs", "timeMs", "medianMs"):
            if key in row:
                row[key] *= 1.1
    Path("slower.json").write_text(json.dumps(slower), "utf-8")
    logs = ("--baseline", str(LOG), "--profile_file", str(PROFILE))
    return main(["gate", *logs, "--log_file", str(LOG), "--profile_file", "slower.json", *words])


def test_limits_of_the_gate_stand_in_the_file(capsys: Capture) -> None:
    assert gated() == 5
    capsys.readouterr()
    Path("elv.toml").write_text('[gate]\nmax_slowdown = "20%"\n', "utf-8")
    assert gated() == 0
    assert "settings of " in capsys.readouterr().err
    assert gated("--max_slowdown", "3%") == 5  # a flag is stronger, also with its default value
    Path("elv.toml").unlink()
    table = '[tool.engine_layer_visualize.gate]\nmax_slowdown = 0.2\nforbid = ["P"]\n'
    Path("pyproject.toml").write_text(table, "utf-8")
    assert gated() == 0


def test_the_look_of_drawings_stands_in_the_file(capsys: Capture) -> None:
    main(["draw", str(LOG), "--format", "svg", "--theme", "dark", "--name", "dark"])
    main(["draw", str(LOG), "--format", "svg", "--name", "light"])
    Path("elv.toml").write_text('[draw]\ntheme = "dark"\nunfold = true\n', "utf-8")
    assert main(["draw", str(LOG), "--format", "svg", "--name", "file"]) == 0
    assert main(["draw", str(LOG), "--format", "svg", "--theme", "light", "--name", "flag"]) == 0
    dark, light, file, flag = (
        Path(f"{name}_0.svg").read_bytes() for name in ("dark", "light", "file", "flag")
    )
    assert file == dark != light == flag


def test_other_commands_do_not_ask_for_the_tables_of_others(capsys: Capture) -> None:
    Path("elv.toml").write_text('[gate]\nmax_slowdown = "very"\n[draw]\nthem = 1\n', "utf-8")
    assert main(["lint", str(LOG)]) == 0
    assert main(["summary", str(LOG)]) == 0


@pytest.mark.parametrize(
    ("text", "words", "told"),
    [
        ("[gate]\nmax_slow = 3", "gate", "2:1: error[ELV701]: no key 'max_slow'; did you mean "),
        ("[gate]\nmax_slowdown = 'x'", "gate", "2:1: error[ELV701]: max_slowdown: "),
        ("[gate]\nmax_reformats = true", "gate", "2:1: error[ELV701]: max_reformats: "),
        ("[gate]\nunsure = 'maybe'", "gate", "2:1: error[ELV701]: unsure: no value 'maybe'; there"),
        ("[gate]\nper_sample = 'yes'", "gate", "2:1: error[ELV701]: per_sample: true or false is"),
        ("[gate]\nforbid = ['Q9']", "gate", "2:1: error[ELV701]: forbid: no rule 'Q9'"),
        ("gate = 3", "gate", "1:1: error[ELV701]: a table is wanted: max_slowdown, "),
        ("[draw]\ntheme = 'drak'", "draw", "2:1: error[ELV701]: theme: no value 'drak'; did you"),
        ("[draw]\nformat = 'svg'", "draw", "2:1: error[ELV701]: no key 'format'"),
        ("[drawing]\ntheme = 'dark'", "draw", "error[ELV701]: no key 'drawing'; did you mean"),
        ("schema = 2", "draw", "1:1: error[ELV701]: settings of schema 2, and this version reads"),
        ("schema = 2", "lint", "1:1: error[ELV701]: settings of schema 2, and this version reads"),
    ],
)  # fmt: skip
def test_a_mistake_is_told_with_its_place(
    capsys: Capture, folder: Path, text: str, words: str, told: str
) -> None:
    Path("elv.toml").write_text(text, "utf-8")
    code = gated() if words == "gate" else main([words, str(LOG)])
    said = capsys.readouterr()
    assert (code, said.out) == (2, "")
    assert said.err.startswith(f"{folder / 'elv.toml'}:") and told in said.err
    assert [path.name for path in folder.glob("EngineLayers*")] == []


def test_a_schema_of_this_version_is_read(capsys: Capture) -> None:
    Path("elv.toml").write_text("schema = 1\nmin_ms = 1000\n", "utf-8")
    assert main(["lint", str(LOG), "--format", "json"]) == 0


@pytest.mark.parametrize("name", settings.OF_COMMANDS)
def test_every_key_is_a_flag(name: str) -> None:
    assert set(settings.OF_COMMANDS[name]) <= set(command(name).Options.__dataclass_fields__)
