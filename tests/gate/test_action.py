"""The GitHub Action: its shell with stand-ins for the program and for `gh`, and its inputs."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from paths import ROOT
from program import ran as run

from gate.made_runs import again

yaml = pytest.importorskip("yaml")

SCRIPT = ROOT / ".ci" / "gate"
ACTION = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
REPORT = '<!-- elv-gate:engine -->\n### Gate engine failed\n\n* `x` "y" @z\n'
OURS = "github-actions[bot]"
# Keeps what it is told, prints what the test says.
PROGRAM = """
import os, pathlib, sys
assert sys.argv[1:4] == ["-I", "-m", "engine_layer_visualize"]
assert not {"GH_TOKEN", "GATE_TOKEN", "GITHUB_TOKEN"} & os.environ.keys()
pathlib.Path("words").write_text("\\n".join(sys.argv[4:]))
sys.stderr.write(os.environ.get("PROBLEMS", ""))
sys.stdout.write(os.environ["REPORT"])
sys.exit(int(os.environ["CODE"]))
"""
# Answers from a file, with the filter that it is given; keeps what is sent.
GH = """
import os, pathlib, subprocess, sys
words = sys.argv[1:]
assert os.environ["GH_TOKEN"] == "secret"
body = next((word[6:] for word in words if word.startswith("body=@")), "")
text = pathlib.Path(body).read_text() if body else ""
with open("calls", "a") as file:
    print(*(word for word in words if word.startswith(("P", "repos/"))), repr(text), file=file)
if "--jq" in words:
    code = subprocess.run(["jq", words[words.index("--jq") + 1], "comments.json"]).returncode
    sys.exit(code)
sys.exit(int(os.environ["GH_CODE"]))
"""

pytestmark = pytest.mark.skipif(
    os.name == "nt" or not shutil.which("jq"), reason="its shell and the stand-in need bash and jq"
)


def comment(number: int, author: str, body: str) -> dict[str, Any]:
    return {"id": number, "user": {"login": author}, "body": body}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    programs = tmp_path / "programs"
    programs.mkdir()
    for name, code in (("python", PROGRAM), ("gh", GH)):
        (programs / name).write_text(f"#!{sys.executable}\n{code}")
        (programs / name).chmod(0o755)
    (tmp_path / "comments.json").write_text("[]")
    return tmp_path


def ran(folder: Path, **given: str) -> subprocess.CompletedProcess[str]:
    environment = {
        "PATH": f"{folder / 'programs'}{os.pathsep}{os.environ['PATH']}",
        "GATE_NAME": "engine", "GATE_BASELINE": "base line.json", "GATE_LOG_FILE": "new.log",
        "GATE_AUTHOR": OURS, "GATE_PULL_REQUEST": "7", "GITHUB_REPOSITORY": "owner/engines",
        "GITHUB_OUTPUT": "output", "GITHUB_STEP_SUMMARY": "summary", "RUNNER_TEMP": str(folder),
        "REPORT": REPORT, "CODE": "5", "GH_CODE": "0", "GATE_TOKEN": "secret",
        "GATE_PYTHON": str(folder / "programs" / "python"), **given,
    }  # fmt: skip
    return run([SCRIPT], cwd=folder, env=environment)


def calls(folder: Path) -> list[str]:
    path = folder / "calls"
    return path.read_text("utf-8").splitlines() if path.exists() else []


COMMENTS = "repos/owner/engines/issues/7/comments"


def shown(stdout: str) -> str:
    """What stands where no line is a command."""
    first, rest = stdout.split("\n", 1)
    token = first.removeprefix("::stop-commands::")
    assert re.fullmatch("[0-9a-f]{32}", token) and token != first
    inside, end, _ = rest.partition(f"::{token}::\n")
    assert end
    return inside


def test_no_line_of_a_log_is_a_command(folder: Path) -> None:
    """Runners read `##[` anywhere in a line, and `::` at its start."""
    wrong = "::error::of a name\n/head/##[error]Softmax\n"
    done = ran(folder, REPORT=REPORT + wrong, PROBLEMS=wrong)
    assert shown(done.stdout).count(wrong) == 2
    assert done.stdout.count(wrong) == 2
    assert ran(folder).stdout.split("\n")[0] != done.stdout.split("\n")[0]


@pytest.mark.parametrize("code", [0, 5, 6, 7])
def test_the_first_verdict_is_a_new_comment(code: int, folder: Path) -> None:
    done = ran(folder, CODE=str(code))
    assert (done.returncode, done.stderr) == (code, "")
    assert shown(done.stdout) == REPORT.partition("\n")[2] + "\n"
    assert calls(folder) == [f"{COMMENTS}?per_page=100 ''", f"POST {COMMENTS} {REPORT!r}"]
    assert (folder / "summary").read_text("utf-8") == REPORT
    written = dict(line.split("=") for line in (folder / "output").read_text().splitlines())
    assert written["exit_code"] == str(code)
    assert Path(written["report"]).read_text("utf-8") == REPORT


def test_the_next_verdict_replaces_it(folder: Path) -> None:
    marker = REPORT.partition("\n")[0]
    comments = [
        comment(1, "somebody", f"{marker}\nall is well"),
        comment(2, OURS, "another"),
        comment(3, OURS, "<!-- elv-gate:engine 2 -->\nof another gate"),
        comment(4, OURS, f"{marker}\r\nbefore"),
        comment(5, OURS, f"{marker}\r\nonce more"),
    ]
    (folder / "comments.json").write_text(json.dumps(comments))
    assert ran(folder).returncode == 5
    assert calls(folder)[1:] == [f"PATCH repos/owner/engines/issues/comments/4 {REPORT!r}"]


def test_the_words_are_given_as_they_are(folder: Path) -> None:
    ran(
        folder,
        GATE_BASELINE_TIMES="b1.json",
        GATE_PROFILE_FILES="a profile.json\r\n",
        GATE_TIMES="\n  $(touch x);.json  \n*.json",
        GATE_OPTIONS="--max_slowdown=3%\n--unsure\nfail",
    )
    assert (folder / "words").read_text("utf-8").split("\n") == [
        "gate", "--format", "markdown", "--name", "engine",
        "--baseline", f"{folder}/base line.json", "--times", f"{folder}/b1.json",
        "--log_file", f"{folder}/new.log", "--profile_file", f"{folder}/a profile.json",
        "--times", f"{folder}/$(touch x);.json", "--times", f"{folder}/*.json",
        "--max_slowdown=3%", "--unsure", "fail",
    ]  # fmt: skip


@pytest.mark.parametrize("given", [{"GATE_COMMENT": "false"}, {"GATE_PULL_REQUEST": ""}])
def test_no_comment_where_none_is_wanted(given: dict[str, str], folder: Path) -> None:
    assert ran(folder, **given).returncode == 5
    assert calls(folder) == []
    assert (folder / "summary").exists()


def test_a_comment_that_fails_changes_no_verdict(folder: Path) -> None:
    done = ran(folder, GH_CODE="1", CODE="0")
    assert done.returncode == 0
    assert "::warning title=Gate::No comment could be written." in done.stdout
    (folder / "comments.json").write_text("no json")
    assert ran(folder).returncode == 5
    assert [one for one in calls(folder) if one.startswith("P")] == [f"POST {COMMENTS} {REPORT!r}"]


@pytest.mark.parametrize(("code", "exit_"), [("2", 2), ("3", 3), ("0", 2)])
def test_no_verdict_is_no_comment_and_no_pass(code: str, exit_: int, folder: Path) -> None:
    done = ran(folder, CODE=code, REPORT="")
    assert done.returncode == exit_
    assert "\n::error title=Gate::There is no verdict" in done.stdout
    assert not [call for call in calls(folder) if call.startswith("P")]
    assert not (folder / "summary").exists()


def test_no_verdict_replaces_the_verdict_before(folder: Path) -> None:
    comments = [comment(4, OURS, "<!-- elv-gate:engine -->\r\n### Gate engine passed")]
    (folder / "comments.json").write_text(json.dumps(comments))
    assert ran(folder, CODE="3", REPORT="").returncode == 3
    (sent,) = (call for call in calls(folder) if call.startswith("P"))
    assert sent.startswith("PATCH repos/owner/engines/issues/comments/4 '<!-- elv-gate:engine -->")
    assert "no verdict" in sent and "Exit code 3" in sent
    (folder / "calls").unlink()
    assert ran(folder, CODE="2", REPORT="", GATE_NAME="a-->b").returncode == 2
    assert calls(folder) == []


def test_the_program_itself_gives_the_verdict(folder: Path) -> None:
    for module in ("json", "venv", "lark"):  # of the checkout
        (folder / f"{module}.py").write_text("raise SystemExit(99)")
    logs = ROOT / "fixtures" / "comparison"
    words = {
        "GATE_BASELINE": str(logs / "int8.log"),
        "GATE_LOG_FILE": str(logs / "fp16.log"),
        "GATE_OPTIONS": "--max_memory=90%\n--unsure=pass",
        "GATE_PYTHON": sys.executable,
    }
    done = ran(folder, **words)
    assert (done.returncode, done.stderr) == (5, "")
    (posted,) = (call for call in calls(folder) if call.startswith("POST"))
    assert "<!-- elv-gate:engine -->\\n### Gate engine failed: 285 µs → 446 µs" in posted
    new = str(again(logs / "fp16.log", folder))
    both = {"GATE_BASELINE": str(logs / "fp16.log"), "GATE_LOG_FILE": new}
    assert ran(folder, **{**words, **both}).returncode == 0


def test_inputs_are_variables_never_a_part_of_the_shell() -> None:
    steps = ACTION["runs"]["steps"]
    assert not [step for step in steps if "${{" in step["run"]]
    given = {name: value for step in steps for name, value in step["env"].items()}
    used = {name for value in given.values() for name in re.findall(r"inputs\.(\w+)", value)}
    assert used == set(ACTION["inputs"])
    read = set(re.findall(r"\$\{?(GATE_\w+)", SCRIPT.read_text("utf-8")))
    assert read == {name for name in given if name.startswith("GATE_")}
    assert all(one.get("description") for one in ACTION["inputs"].values())
