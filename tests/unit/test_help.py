"""Helps, explanations, colours and completions: what a user who asks is told."""

import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from paths import CENTERNET, FIXTURES, TIMES
from program import Capture, Patch, Printed, Program, ran

import engine_layer_visualize as elv
from engine_layer_visualize.api import draw
from engine_layer_visualize.commands import cli
from engine_layer_visualize.commands.arguments import COMMANDS, GROUPS, SHELLS, Parser
from engine_layer_visualize.commands.cli import main
from engine_layer_visualize.commands.words import GONE
from engine_layer_visualize.core.problems import explanations
from engine_layer_visualize.linting.rules import all_rules

BROKEN = FIXTURES / "broken"


# ---- helps ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("words", [(), *((name,) for name in COMMANDS)], ids=str)
@pytest.mark.parametrize("columns", [60, 80, 120])
def test_a_help_has_the_width_of_the_terminal(
    monkeypatch: Patch, words: tuple[str, ...], columns: int, printed: Printed
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    lines = printed(*words, "--help").split("\n")
    # A usage is one line; a list of choices is one word.
    wide = [line for line in lines[1:] if len(line) > columns and len(line.split()) > 2]
    assert wide == []
    assert max(map(len, lines[1:])) > columns * 0.8


def test_the_examples_work(folder: Path, printed: Printed, here: Program) -> None:
    shutil.copyfile(CENTERNET, folder / "build.log")
    shutil.copyfile(TIMES, folder / "prof.json")
    lines = printed("--help").partition("\nexamples:\n")[2].partition("\n\n")[0].split("\n")
    assert len(lines) == 2
    for line in lines:
        said = here(*shlex.split(line)[1:], code=0)
        assert said.stdout and said.stderr == ""


@pytest.mark.parametrize(("command", "typed"), [("compare", "A B…"), ("gate", "BASE NEW [TIMES…]")])
def test_a_usage_says_what_is_typed(command: str, typed: str, printed: Printed) -> None:
    usage = printed(command, "--help").partition("\n")[0]
    assert usage == f"usage: engine-layer-visualize {command} {typed} [flags]"


@pytest.mark.parametrize(
    ("words", "same"),
    [
        (["help"], ["--help"]),
        (["help", "lint"], ["lint", "--help"]),
        (["-V"], ["--version"]),
        (["explain", "elv102"], ["--explain", "ELV102"]),
    ],
)
def test_a_word_asks_as_a_flag_does(words: list[str], same: list[str], printed: Printed) -> None:
    assert printed(*words) == printed(*same) != ""


@pytest.mark.parametrize("command", COMMANDS)
def test_the_groups_of_a_help_are_in_the_order_of_need(command: str, printed: Printed) -> None:
    groups = re.findall(r"^([a-z][\w ,]*):$", printed(command, "--help"), re.MULTILINE)
    assert groups[0] == ("the model" if command == "record" else "what is read")
    assert groups[-2:] == ["messages", "help"]
    assert "options" not in groups, "every flag is in a group that says what it is for"


def test_the_first_help_fits_a_screen(monkeypatch: Patch, printed: Printed) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    text = printed("--help")
    assert text.count("\n") <= 40
    assert re.findall(r"^([a-z][\w ]*):$", text, re.MULTILINE) == ["examples", *GROUPS, "more"]
    for words in ("COMMAND --help", "explain CODE", *COMMANDS):
        assert words in text


# ---- explanations --------------------------------------------------------------------------------


def test_every_code_is_explained(here: Program) -> None:
    for code, known in explanations().items():
        said = here("--explain", code, code=0)
        assert said.stdout.startswith(f"{code} ({known.severity}): {known.title}\n\n")
        assert f": {known.severity}[{code}]: " in said.stdout
        assert "\nwhat to do: " in said.stdout
        assert said.stderr == ""


@pytest.mark.parametrize("words", [["102"], ["elv102"], ["ELV102", "--log_file", "x"]])
def test_a_code_may_be_spelled_shorter(words: list[str], printed: Printed) -> None:
    assert printed("--explain", *words).startswith("ELV102 ")
    assert printed("summary", f"--explain={words[0]}").startswith("ELV102 ")


@pytest.mark.parametrize("word", ["F02", "f02"])
def test_a_rule_is_explained(word: str, printed: Printed) -> None:
    page = printed("lint", "--explain", word)
    assert page.startswith("F02 reformat-at-input\n\nA reformat stands between an input of the")
    assert "**Why it costs**" in page and "**Sources**" in page


@pytest.mark.parametrize("word", ["T02", "t02"])
def test_the_code_of_a_rule_that_is_no_more_is_explained(here: Program, word: str) -> None:
    said = here("--explain", word, code=0)
    assert said.stdout.startswith("T02 near-tie: retired in 1.0: ")
    assert said.stderr == ""


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("ELV1022", "no code ELV1022; did you mean ELV102?"),
        ("EVL505", "no code EVL505; did you mean ELV505?"),
        ("F99", "no code F99; did you mean F09?"),
        ("zzz", "no code zzz; `explain` alone lists all codes"),
    ],
)
def test_an_unknown_code_has_a_near_one(here: Program, word: str, said: str) -> None:
    told = here("--explain", word, code=2)
    assert (told.stdout, told.stderr) == ("", f"engine_layer_visualize: error: {said}\n")


def test_no_code_lists_all(printed: Printed) -> None:
    said = [line.split()[:2] for line in printed("--explain").strip().split("\n")]
    rules = [entry.rule for entry in all_rules().values()]
    codes = [[code, known.severity] for code, known in explanations().items()]
    assert said == codes + [[rule.code, rule.severity] for rule in rules]


def without_place(text: str) -> str:
    return re.sub(r"^\S+:\d+:\d+: ", "", text)


def told() -> Iterator[tuple[str, str]]:
    """Problems of the broken logs: code, and the text without its place."""
    for log in sorted(BROKEN.glob("*.log*")):
        times = sorted(BROKEN.glob(f"{log.name.partition('.log')[0]}.profile.*"))
        try:
            problems = elv.read(log, times).problems
        except elv.ReadError as error:
            problems = (error.problem,)
        yield from ((problem.code, without_place(str(problem))) for problem in problems)


def test_the_examples_are_messages_of_the_program() -> None:
    """Of the codes that a log or a profile of the fixtures has."""
    said = list(told())
    codes = {code for code, _ in said}
    assert len(codes) >= 15
    known = explanations()
    for code in codes:
        example = without_place(known[code].example)
        assert [text for of, text in said if of == code and text.startswith(example)], code


# ---- colours -------------------------------------------------------------------------------------

WARNED = BROKEN / "no-header.log"


@pytest.mark.parametrize(
    ("set_to", "coloured"),
    [
        ({}, False),
        ({"FORCE_COLOR": "1"}, True),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
        ({"FORCE_COLOR": "1", "TERM": "dumb"}, False),
        ({"NO_COLOR": "1"}, False),
        ({"FORCE_COLOR": ""}, False),
    ],
    ids=str,
)
def test_colours_of_a_pipe(
    here: Program, monkeypatch: Patch, set_to: dict[str, str], coloured: bool
) -> None:
    """Those of a terminal are in `escaping/test_terminal_names.py`."""
    for name in ("FORCE_COLOR", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {"TERM": "xterm", **set_to}.items():
        monkeypatch.setenv(name, value)
    said = here("summary", "--log_file", WARNED, code=0)
    assert ("\x1b[" in said.stdout) == coloured
    assert ("\x1b[33mwarning[ELV106]\x1b[0m: records" in said.stderr) == coloured
    plain = re.sub(r"\x1b\[[\d;]*m", "", said.stderr)
    assert plain.startswith(f"{WARNED}:2:1: warning[ELV106]: records")


# ---- what is silenced ----------------------------------------------------------------------------


def test_quiet_keeps_the_report_that_was_asked_for(here: Program) -> None:
    loud = here("summary", "--log_file", WARNED, code=0)
    assert "ELV106" in loud.stderr
    quiet = here("summary", "--log_file", WARNED, "--quiet", code=0)
    assert (quiet.stdout, quiet.stderr) == (loud.stdout, "")


# ---- what 1.0 no longer has says what to use -----------------------------------------------------


VALUES = [(*kind.split(), value) for kind, known in GONE.items() if " " in kind for value in known]


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("", "history sweep watch snapshot"),
        ("flag", "--plan --upgrade --numbers --facts --direction --compact"),
        (
            "draw format",
            "pdf poster poster-png roofline build-trace speedscope model-explorer onnx-overlay",
        ),
        ("compare format", "svg csv"),
        ("summary format", "csv"),
        ("gate format", "bmf"),
        ("summary sections", "higher_precision sources"),
    ],
)
def test_what_is_gone_is_known(kind: str, words: str) -> None:
    assert {*words.split()} <= GONE[kind].keys()


@pytest.mark.parametrize(
    "words", [[], [CENTERNET], ["--format", "json", CENTERNET], ["-o", "out", CENTERNET]]
)
@pytest.mark.parametrize("command", GONE[""])
def test_a_command(command: str, words: list[str], here: Program) -> None:
    assert command not in COMMANDS
    said = here(command, *words, code=2)
    assert said.stdout == "" and f"error: {command} is gone: {GONE[''][command]}\n" in said.stderr


def test_a_file_of_that_name_is_a_log(folder: Path) -> None:
    (folder / "history").write_bytes(CENTERNET.read_bytes())
    assert main(["history", "--quiet"]) == 0
    assert (folder / "EngineLayers_0.dot").exists()


@pytest.mark.parametrize("flag", GONE["flag"])
@pytest.mark.parametrize("command", ["draw", "compare", "collect"])
def test_a_flag(command: str, flag: str, here: Program) -> None:
    said = here(command, CENTERNET, CENTERNET, flag, code=2).stderr
    assert f"error: {flag} is gone: {GONE['flag'][flag]}\n" in said


@pytest.mark.parametrize(("command", "flag", "value"), VALUES)
def test_a_value(command: str, flag: str, value: str, here: Program) -> None:
    said = here(command, CENTERNET, f"--{flag}", f"json,{value}", code=2).stderr
    assert f"{value} is gone: " in said


def test_nothing_that_is_there_is_told_to_be_gone() -> None:
    formats = {"draw": draw.DRAWINGS, "compare": draw.COMPARISONS, "gate": draw.GATES}
    for command, flag, value in VALUES:
        assert flag != "format" or value not in formats.get(command, {})
    for command in COMMANDS:
        assert not Parser(command).flags.keys() & GONE["flag"].keys()


# ---- what the shells complete, asked of the real ones: bash, zsh and fish ------------------------


# SCRIPT WORD…: what bash would propose for the last word.
BASH = """
source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}
compopt() { :; }  # there is no line that is edited
_shtab_elv
printf '%s\\n' "${COMPREPLY[@]}"
"""
# INNER SCRIPT LINE: what zsh proposes at the end of the line, asked in a terminal of its own.
ZSH = r"""
zmodload zsh/zpty
zpty z zsh -f -i
zpty -w z "source $1; eval \"\$(cat $2)\"; echo REA''DY"
while zpty -r z out; do [[ $out == *READY* ]] && break; done
zpty -w -n z "$3"$'\t'
while zpty -r z out; do
  [[ $out == *$'\2'* ]] && break
  [[ $out == *$'\1'* ]] && print -r -- ${${out%$'\r\n'}#*$'\1'}
done
zpty -d z
"""
ZSH_INNER = r"""
PROMPT=
autoload -Uz compinit && compinit -u -D
compadd () {
  if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then builtin compadd "$@"; return $?; fi
  typeset -a __hits
  builtin compadd -A __hits "$@"
  [[ -n $__hits ]] && printf '\1%s\r\n' "${__hits[@]}"
  builtin compadd "$@"
}
propose () { _main_complete; compstate[insert]=''; compstate[list]='' }
zle -C propose complete-word propose
ask () { zle propose; printf '\2\r\n' }
zle -N ask
bindkey '^I' ask
"""


@pytest.fixture(scope="module")
def scripts(tmp_path_factory: pytest.TempPathFactory, program: Program) -> Path:
    """A folder with the script of each shell, beside files that can be completed."""
    pytest.importorskip("shtab")
    folder = tmp_path_factory.mktemp("completion")
    for shell in SHELLS:
        done = program("--print-completion", shell)
        assert (done.returncode, done.stderr) == (0, "")
        (folder / shell).write_text(done.stdout, "utf-8")
    (folder / "ask.bash").write_text(BASH)
    (folder / "ask.zsh").write_text(ZSH)
    (folder / "inner.zsh").write_text(ZSH_INNER)
    files = folder / "files"
    (files / "folder").mkdir(parents=True)
    for name in ("build.log", "prof.json", "model.onnx"):
        (files / name).touch()
    return folder


def proposed(shell: str, line: str, scripts: Path) -> set[str]:
    """What the shell proposes after `elv LINE`; lists by their last word."""
    if shutil.which(shell) is None:
        pytest.skip(f"there is no {shell}")
    line = f"elv {line}"
    words = {
        "bash": ["bash", "--norc", str(scripts / "ask.bash"), str(scripts / "bash")],
        "zsh": ["zsh", "-f", str(scripts / "ask.zsh"), str(scripts / "inner.zsh")],
        "fish": ["fish", "--no-config", "-c", f"source {scripts}/fish; complete -C '{line}'"],
    }[shell]
    words += {"bash": line.split(" "), "zsh": [str(scripts / "zsh"), line], "fish": []}[shell]
    home = {"HOME": str(scripts), "PATH": "/usr/local/bin:/usr/bin:/bin", "TERM": "xterm"}
    done = ran(words, cwd=scripts / "files", env=home, stdin=subprocess.DEVNULL, timeout=60)
    lines = (line.partition("\t")[0].strip() for line in done.stdout.split("\n"))
    return {line.rpartition(",")[2].rstrip("/") for line in lines if line}


CASES = {
    "": set(COMMANDS),
    "--fo": {"--force", "--format"},
    "--theme ": {"light", "dark"},
    "--log_file b": {"build.log"},
    "--log_file build.log --profile_file p": {"prof.json"},
    "--output_dir f": {"folder"},
    "summary --se": {"--sections"},
    "table --tables engi": {"engines"},
    "record m": {"model.onnx"},
    "lint b": {"build.log"},
    "layers build.log --so": {"--sort"},
}


@pytest.mark.slow
@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("line", CASES, ids=str)
def test_a_word_is_completed(shell: str, line: str, scripts: Path) -> None:
    assert proposed(shell, line, scripts) == CASES[line]


@pytest.mark.slow
@pytest.mark.parametrize("shell", SHELLS)
def test_a_command_has_its_own_flags(shell: str, scripts: Path) -> None:
    flags = proposed(shell, "summary --", scripts)
    assert {"--log_file", "--top", "--brief", "--help"} <= flags
    assert not flags & {"--query", "--theme", "--builder"}


def test_without_the_library(capsys: Capture, monkeypatch: Patch) -> None:
    monkeypatch.setitem(sys.modules, "shtab", None)
    assert cli.main(["--print_completion", "bash"]) == 2
    told = "completion needs the package shtab: pip install shtab"
    assert tuple(capsys.readouterr()) == ("", f"engine_layer_visualize: error: {told}\n")
