"""What README.md and docs/ say: their code blocks run on fixtures, their links lead somewhere, and
their lists of flags and keys are the program's."""

from __future__ import annotations

import configparser
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

import engine_layer_visualize as elv
from engine_layer_visualize.core.problems import CODES

ROOT = Path(__file__).resolve().parents[2]
FIXTURES = ROOT / "fixtures"
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", *sorted(DOCS.glob("*.md"))]
OTHERS = [ROOT / name for name in ("CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md")]
OTHERS += [ROOT / folder / "README.md" for folder in ("fixtures", "fuzz")]
COMMANDS = ("draw", "summary", "record")

# The files that the pages' commands read, under the names that they have there.
GIVEN = {
    "build.log": "classic/8.0-centernet.log",
    "prof.json": "classic/8.0-centernet.profile.json",
    "other.log": "classic/8.5-new-descriptors.log",
    "layers.json": "inspector_json/trtexec-pretty.json",
    "build.log.gz": "broken/gzip-good.log.gz",
}


def tokens(page: Path) -> list[Token]:
    return MarkdownIt("commonmark").enable("table").parse(page.read_text("utf-8"))


def named(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


# ---- code blocks -------------------------------------------------------------------------------


def blocks() -> Iterator[object]:
    """(language, code, what the page says that it prints) of each block that can be run.

    Not run: a block that says what it `# needs`; the two under `## Install`, which CI runs.
    """
    for page in PAGES:
        under, parsed = "", tokens(page)
        for at, token in enumerate(parsed):
            if token.type == "heading_open" and token.tag == "h2":
                under = parsed[at + 1].content
            if token.type != "fence" or (page.name == "README.md" and under == "Install"):
                continue
            assert token.info in ("sh", "python", "text"), f"{named(page)}: {token.info!r}"
            if token.info == "text" or token.content.startswith("# needs "):
                continue
            after = parsed[at + 1]
            printed = after.content if after.type == "fence" and after.info == "text" else ""
            line = token.map[0] + 1 if token.map else 0
            yield pytest.param(token.info, token.content, printed, id=f"{named(page)}:{line}")


@pytest.fixture
def folder(tmp_path: Path, environment: dict[str, str]) -> tuple[Path, dict[str, str]]:
    """Where a reader stands: with a log, a profile, and the installed program."""
    home, programs = tmp_path / "home", tmp_path / "programs"
    home.mkdir()
    programs.mkdir()
    for name, fixture in GIVEN.items():
        shutil.copyfile(FIXTURES / fixture, home / name)
    python = shlex.quote(sys.executable)
    for name, words in (("python", ""), ("engine-layer-visualize", "-m engine_layer_visualize ")):
        (programs / name).write_text(f'#!/bin/sh\nexec {python} {words}"$@"\n')
        (programs / name).chmod(0o755)
    return home, {**environment, "PATH": f"{programs}{os.pathsep}{environment['PATH']}"}


@pytest.mark.slow
@pytest.mark.parametrize(("language", "code", "printed"), list(blocks()))
def test_a_code_block_of_the_pages_runs(
    language: str, code: str, printed: str, folder: tuple[Path, dict[str, str]]
) -> None:
    home, environment = folder
    words = ["bash", "-e", "-o", "pipefail"] if language == "sh" else [sys.executable, "-"]
    done = subprocess.run(
        words, input=code, cwd=home, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    if printed:
        assert done.stdout == printed
    assert done.stdout or set(os.listdir(home)) > set(GIVEN), "it did nothing"


def test_a_block_that_is_not_run_reads_no_log() -> None:
    """`# needs` is for other programs and for builders."""
    for page in PAGES:
        for token in tokens(page):
            if token.type == "fence" and token.content.startswith("# needs "):
                assert "--log_file" not in token.content, named(page)


# ---- links -------------------------------------------------------------------------------------


def links(page: Path) -> Iterator[str]:
    """Where the page's links and images lead, those in HTML too, without other hosts."""
    for token in tokens(page):
        if token.type not in ("inline", "html_block"):
            continue
        found = re.findall(r'(?:src|href)="([^"]*)"', token.content)
        for child in token.children or ():
            found += [str(child.attrs[name]) for name in ("href", "src") if name in child.attrs]
        yield from (link for link in found if link and "://" not in link)


def anchors(page: Path) -> set[str]:
    """The ids that a host gives to the page's headings."""
    parsed = tokens(page)
    titles = [
        parsed[at + 1].content for at, token in enumerate(parsed) if token.type == "heading_open"
    ]
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", [*PAGES, *OTHERS], ids=named)
def test_links_lead_somewhere(page: Path) -> None:
    for link in links(page):
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link


def test_every_page_is_in_the_index() -> None:
    found = {(DOCS / link).resolve() for link in links(DOCS / "README.md")}
    assert set(DOCS.glob("*.md")) - {DOCS / "README.md"} <= found


# ---- lists -------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", COMMANDS)
def test_every_flag_is_explained_and_exists(
    command: str, program: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    flags = set(re.findall(r"--[a-z][\w-]*", program(command, "--help").stdout))
    flags -= {"--exportProfile"}  # trtexec's
    page = (DOCS / "command-line.md").read_text("utf-8")
    explained = set(re.findall(r"--[a-z][\w-]*", page)) - {"--exportProfile"}
    assert flags
    assert flags <= explained
    others = {
        flag
        for other in COMMANDS
        for flag in re.findall(r"--[a-z][\w-]*", program(other, "--help").stdout)
    }
    assert explained <= others


def keys(value: object) -> Iterator[str]:
    """All keys of a JSON value, without those that are words of the log."""
    if isinstance(value, list):
        for one in value:
            yield from keys(one)
    elif isinstance(value, dict):
        yield from value
        totals = {"memory"} if "device" in value else set()  # an engine's, by the log's names
        for key in value.keys() - totals - {"attributes", "lines", "percentiles", "joined"}:
            yield from keys(value[key])


@pytest.mark.parametrize(
    "log", ["classic/8.0-centernet.log", "detailed/rtx-io-tensors.log", "facts/8.6-runs.log"]
)
def test_every_key_of_the_json_is_explained(
    log: str, program: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    program("--log_file", FIXTURES / log, "--format", "json", "--output_dir", tmp_path)
    page = (DOCS / "json.md").read_text("utf-8")
    for path in sorted(tmp_path.glob("*.json")):
        for key in set(keys(json.loads(path.read_text("utf-8")))):
            assert re.search(rf"\b{re.escape(key)}\b", page), key
    assert list(tmp_path.glob("*.json"))


def test_contributing_shows_the_allowed_imports() -> None:
    """The drawing of layers is that of import-linter's contract, line by line."""
    contract = configparser.ConfigParser()
    contract.read(ROOT / "setup.cfg", "utf-8")
    layers = contract["importlinter:contract:layers"]["layers"].strip("\n")
    drawings = [token.content for token in tokens(ROOT / "CONTRIBUTING.md")
                if token.type == "code_block"]  # fmt: skip
    assert layers + "\n" in drawings


@pytest.mark.parametrize("page", [*PAGES, *OTHERS], ids=named)
def test_files_that_a_page_names_exist(page: Path) -> None:
    """Paths in code, from the root, from the package or from the page's own folder."""
    bases = ROOT, ROOT / elv.__name__, page.parent
    made = {line.strip("/") for line in (ROOT / ".gitignore").read_text("utf-8").split("\n")}
    for path in re.findall(r"`((?:[a-z_]+/)+(?:\w+\.\w+)?)`", page.read_text("utf-8")):
        assert any((base / path).exists() for base in bases) or path.strip("/") in made, path


def test_every_code_of_a_problem_is_explained() -> None:
    page = (DOCS / "problems.md").read_text("utf-8")
    explained = re.findall(r"^\| `(ELV\d+)` \| (\w+) \| [A-Z`].*\. \|$", page, re.MULTILINE)
    assert sorted(explained) == sorted((code, CODES[code][0]) for code in CODES)
    assert page.count("| `ELV") == len(CODES)


def test_every_code_of_a_finding_is_explained() -> None:
    page = (DOCS / "findings.md").read_text("utf-8")
    rules = list((ROOT / elv.__name__ / "analysis" / "findings").glob("*.py"))
    codes = {
        code for path in rules for code in re.findall(r'"([A-Z]\d\d)"', path.read_text("utf-8"))
    }
    assert codes
    assert not [code for code in codes if f"`{code}`" not in page]


def test_every_public_name_is_explained() -> None:
    explained = set(re.findall(r"`([A-Za-z_]+)[`(]", (DOCS / "python.md").read_text("utf-8")))
    assert set(elv.__all__) <= explained
