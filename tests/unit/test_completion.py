"""What the shells complete, asked of the real ones: bash, zsh and fish."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import TypeAlias

import pytest
from program import Program

from engine_layer_visualize.commands import cli
from engine_layer_visualize.commands.arguments import COMMANDS, SHELLS

Capture: TypeAlias = "pytest.CaptureFixture[str]"

# SCRIPT WORD…: what bash would propose for the last word.
BASH = """
source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}
compopt() { :; }  # there is no line that is edited
_shtab_engine_layer_visualize
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
    """What the shell proposes after `engine-layer-visualize LINE`; lists by their last word."""
    if shutil.which(shell) is None:
        pytest.skip(f"there is no {shell}")
    line = f"engine-layer-visualize {line}"
    words = {
        "bash": ["bash", "--norc", str(scripts / "ask.bash"), str(scripts / "bash")],
        "zsh": ["zsh", "-f", str(scripts / "ask.zsh"), str(scripts / "inner.zsh")],
        "fish": ["fish", "--no-config", "-c", f"source {scripts}/fish; complete -C '{line}'"],
    }[shell]
    words += {"bash": line.split(" "), "zsh": [str(scripts / "zsh"), line], "fish": []}[shell]
    home = {"HOME": str(scripts), "PATH": "/usr/local/bin:/usr/bin:/bin", "TERM": "xterm"}
    done = subprocess.run(
        words,
        cwd=scripts / "files",
        env=home,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    lines = (line.partition("\t")[0].strip() for line in done.stdout.split("\n"))
    return {line.rpartition(",")[2].rstrip("/") for line in lines if line}


CASES = {
    "": set(COMMANDS),
    "--fo": {"--force", "--format"},
    "--out": {"--output_dir"},
    "--format s": {"svg"},
    "--theme ": {"light", "dark"},
    "--log_file b": {"build.log"},
    "--log_file build.log --profile_file p": {"prof.json"},
    "--log_file build.log --unf": {"--unfold"},
    "--output_dir f": {"folder"},
    "draw --theme d": {"dark"},
    "summary --se": {"--sections"},
    "table --tables engi": {"engines"},
    "summary --format m": {"markdown"},
    "lint --format sa": {"sarif"},
    "record m": {"model.onnx"},
    "record --builder trt": {"trtexec"},
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


def test_without_the_library_a_message_says_what_to_install(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "shtab", None)
    assert cli.main(["--print_completion", "bash"]) == 2
    told = "completion needs the package shtab: pip install shtab"
    assert tuple(capsys.readouterr()) == ("", f"engine_layer_visualize: error: {told}\n")
