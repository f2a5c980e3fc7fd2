"""What README.md and docs/ say: their code blocks run on fixtures, their links lead somewhere, and
their lists of flags and keys are the program's."""

import configparser
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from html import unescape
from itertools import pairwise
from pathlib import Path
from urllib.parse import unquote

import generate
import pytest
from gate.made_runs import printed
from markdown_it import MarkdownIt
from markdown_it.token import Token
from model_files import write_harbour
from paths import FIXTURES, ROOT
from program import ran

import engine_layer_visualize as elv
from engine_layer_visualize.commands.arguments import Parser
from engine_layer_visualize.linting.rules import all_rules

DOCS = ROOT / "docs"
SKILL = ROOT / "skills" / "engine-layer-visualize" / "SKILL.md"
PAGES = [ROOT / "README.md", *sorted(DOCS.glob("*.md")), SKILL]
OTHERS = [ROOT / name for name in ("CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md")]
OTHERS += [ROOT / folder / "README.md" for folder in ("fixtures", "fuzz")]
COMMANDS = ["draw", "layers", "summary", "table", "lint", "compare", "gate"]
COMMANDS += ["collect", "cut", "anonymise", "record", "mcp"]

# The files that the pages' commands read, under the names that they have there.
GIVEN = {
    "build.log": "classic/8.0-centernet.log",
    "prof.json": "classic/8.0-centernet.profile.json",
    "other.log": "classic/8.5-new-descriptors.log",
    "layers.json": "inspector_json/trtexec-pretty.json",
    "build.log.gz": "broken/gzip-good.log.gz",
    "fp16.log": "comparison/fp16.log",
    "int8.log": "comparison/int8.log",
    "old.log": "comparison/fp16.log",
}
UNRUN = ("text", "yaml", "sql")  # tests/fleet runs the queries


@cache
def tokens(page: Path) -> list[Token]:
    return MarkdownIt("commonmark").enable("table").parse(page.read_text("utf-8"))


def named(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


# ---- code blocks -------------------------------------------------------------------------------


def blocks() -> Iterator[object]:
    """(language, code, what the page says that it prints) of each block that can be run.

    Not run: a block that says what it `# needs`; the two under `## Install`, which CI runs;
    directives (`{include} …`), which Sphinx runs for the site.
    """
    for page in PAGES:
        under, parsed = "", tokens(page)
        for at, token in enumerate(parsed):
            if token.type == "heading_open" and token.tag == "h2":
                under = parsed[at + 1].content
            if token.type != "fence" or (page.name == "README.md" and under == "Install"):
                continue
            if token.info.startswith("{"):
                continue
            assert token.info in ("sh", "python", *UNRUN), f"{named(page)}: {token.info!r}"
            if token.info in UNRUN or token.content.startswith("# needs "):
                continue
            after = parsed[at + 1 : at + 2]  # none at the end of a page
            printed = "".join(x.content for x in after if x.type == "fence" and x.info == "text")
            line = token.map[0] + 1 if token.map else 0
            yield pytest.param(token.info, token.content, printed, id=f"{named(page)}:{line}")


@pytest.fixture
def folder(tmp_path: Path, environment: dict[str, str]) -> tuple[Path, dict[str, str]]:
    """Where a reader stands: with a log, a profile, the checkout's files, the installed program."""
    home, programs = tmp_path / "home", tmp_path / "programs"
    home.mkdir()
    programs.mkdir()
    for name, fixture in GIVEN.items():
        shutil.copyfile(FIXTURES / fixture, home / name)
    again = (home / "old.log").read_text("utf-8").replace(" 0.496", " 0.497")
    (home / "new.log").write_text(again.replace(" 0.0610", " 0.0615"))  # of another run
    for number, name in enumerate(("old1", "old2", "new1", "new2")):
        (home / f"{name}.json").write_text(printed(number))
    write_harbour(home / "model.onnx")
    for name in ("docs", "fixtures"):
        (home / name).symlink_to(ROOT / name)
    (home / "out").mkdir()
    started = f"from {elv.__name__}.__main__ import main\nraise SystemExit(main())\n"
    (programs / "elv").write_text(f"#!{sys.executable}\n{started}")
    (programs / "python").write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} "$@"\n')
    for program in programs.iterdir():
        program.chmod(0o755)
    return home, {**environment, "PATH": f"{programs}{os.pathsep}{environment['PATH']}"}


@pytest.mark.slow
@pytest.mark.parametrize(("language", "code", "printed"), list(blocks()))
def test_a_code_block_of_the_pages_runs(
    language: str,
    code: str,
    printed: str,
    folder: tuple[Path, dict[str, str]],
    pytestconfig: pytest.Config,
    request: pytest.FixtureRequest,
) -> None:
    """`--update-golden` writes what is printed into the page: look at what git says of it."""
    home, environment = folder
    before = set(home.glob("**/*"))
    words = ["bash", "-e", "-o", "pipefail"] if language == "sh" else [sys.executable, "-"]
    done = ran(words, input=code, cwd=home, env=environment)
    assert done.returncode == 0, done.stderr
    told = re.sub(r"\d+ words and paths replaced, .*\n", "", done.stderr)  # `anonymise` says that
    assert told == ""
    if printed and pytestconfig.getoption("update_golden"):
        page = ROOT / re.findall(r"\[(.*):\d+\]", request.node.name)[0]
        above, both, below = page.read_text("utf-8").partition(f"{code}```\n\n```text\n{printed}")
        assert both
        page.write_text(f"{above}{both.removesuffix(printed)}{done.stdout}{below}", "utf-8")
    elif printed:
        assert done.stdout == printed
    assert done.stdout or set(home.glob("**/*")) > before, "it did nothing"


def test_every_command_of_the_skill_is_run() -> None:
    """It stands in a block that is run; and an assistant reads the page in one go."""
    text = SKILL.read_text("utf-8")
    run = [token.content for token in tokens(SKILL) if token.info == "sh"]
    assert text.count("elv ") == "".join(run).count("elv ") > 9
    assert not any("elv " in block for block in run if "# needs" in block)
    assert text.startswith("---\nname: engine-layer-visualize\ndescription: ")
    assert len(text.encode()) < 6_000


def test_a_block_that_is_not_run_reads_no_log() -> None:
    """`# needs` is for other programs and for builders."""
    for page in PAGES:
        for token in tokens(page):
            if token.type == "fence" and token.content.startswith("# needs "):
                assert "--log_file" not in token.content, named(page)


def commands(page: Path) -> Iterator[list[str]]:
    """The words of each command of the program that stands in a sentence, a table or a block."""
    parsed = tokens(page)
    texts = [token.content for token in parsed if token.type in ("fence", "code_block")]
    for token in parsed:
        texts += [child.content for child in token.children or () if child.type == "code_inline"]
    start = r"\b(?:python -m engine_layer_visualize|engine-layer-visualize|elv)[ ]"
    for text in texts:
        for found in re.findall(rf"{start}(.*)", text.replace("\\\n", " ")):
            yield re.split(r"[|>]", found)[0].split()


def flags_of_commands() -> dict[str, set[str]]:
    helps = {name: Parser(name).format_help() for name in COMMANDS}
    return {name: set(re.findall(r"--[a-z][\w-]*", text)) for name, text in helps.items()}


def test_every_command_on_every_page_has_flags_that_exist() -> None:
    """Also where it is not run: in a sentence, in a block that needs a builder."""
    known, count = flags_of_commands(), 0
    for page in (*PAGES, *OTHERS):
        for words in commands(page):
            name = words[0] if words[:1] and words[0] in COMMANDS else "draw"
            for flag in re.findall(r"--[a-z]\w*", " ".join(words)):
                assert flag in known[name], f"{named(page)}: {name} {flag}"
                count += 1
    assert count > 40


MOST_WORDS = 30  # of a cell


@pytest.mark.parametrize("page", [*PAGES, *OTHERS[:3]], ids=named)
def test_a_cell_of_a_table_is_short(page: Path) -> None:
    """On a phone a table is two columns wide. What is made from the program has its own words."""
    text = generate.MADE.sub("", page.read_text("utf-8"))
    found = MarkdownIt("commonmark").enable("table").parse(text)
    for before, token in pairwise(found):
        if before.type == "td_open" and page != generate.FINDINGS:
            words = "".join(child.content for child in token.children or ()).split()
            assert len(words) <= MOST_WORDS, token.content


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


@cache
def anchors(page: Path) -> set[str]:
    """The ids that a host gives to the page's headings."""
    parsed = tokens(page)
    titles = [parsed[at + 1].content for at, one in enumerate(parsed) if one.type == "heading_open"]
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", [*PAGES, *OTHERS], ids=named)
def test_links_lead_somewhere(page: Path) -> None:
    for link in links(page):
        if page.name == "index.md" and link.startswith(("../out/", "web/")):
            continue  # a test below looks whether the commands make it; `web/build.py` makes web/
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link


def test_every_page_is_in_the_index() -> None:
    found = {(DOCS / link.partition("#")[0]).resolve() for link in links(DOCS / "README.md")}
    assert set(DOCS.glob("*.md")) - {DOCS / "README.md", DOCS / "index.md"} <= found


# ---- lists -------------------------------------------------------------------------------------


def test_every_flag_is_explained() -> None:
    page = (DOCS / "reference.md").read_text("utf-8")
    explained = set(re.findall(r"`[^`]*?(--[a-z][\w-]*)", page))
    others = {"--exportProfile", "--loadEngine", "--profilingVerbosity"}  # of trtexec
    others |= {"--report", "--trace", "--open", "--port"}  # of nsys; of serve, which has no log
    assert explained == set().union(*flags_of_commands().values()) | others


def test_what_is_made_from_the_program_is_up_to_date() -> None:
    """`python docs/generate.py` writes it."""
    made = dict(generate.files())
    assert {path for path, text in made.items() if path.read_text("utf-8") != text} == set()
    marks = re.findall(r"<!-- made: (.+) -->", "".join(made.values()))
    assert sorted(marks) == sorted(generate.PARTS)
    assert all(f"\n## {code} " in made[generate.FINDINGS] for code in all_rules())


def test_contributing_shows_the_floors() -> None:
    """Its table has the rooms of import-linter's contract, floor by floor."""
    contract = configparser.ConfigParser()
    contract.read(ROOT / "setup.cfg", "utf-8")
    layers = contract["importlinter:contract:floors"]["layers"].split("\n")
    floors = [{room.strip() for room in line.split("|")} for line in layers if line.strip()]
    shown: dict[str, set[str]] = {}
    for floor, room in re.findall(
        r"^\| (\d) \| `(\w+)` \|", (ROOT / "CONTRIBUTING.md").read_text("utf-8"), re.M
    ):
        shown.setdefault(floor, set()).add(room)
    assert [shown[floor] for floor in sorted(shown, reverse=True)] == floors[1:]


@pytest.mark.parametrize("page", [*PAGES, *OTHERS], ids=named)
def test_files_that_a_page_names_exist(page: Path) -> None:
    """Paths in code, from the root, from the package or from the page's own folder."""
    bases = ROOT, ROOT / elv.__name__, page.parent
    made = {line.strip("/") for line in (ROOT / ".gitignore").read_text("utf-8").split("\n")}
    for path in re.findall(r"`((?:[a-z_]+/)+(?:\w+\.\w+)?)`", page.read_text("utf-8")):
        assert any((base / path).exists() for base in bases) or path.strip("/") in made, path


def test_every_public_name_is_explained() -> None:
    explained = set(re.findall(r"`([A-Za-z_]+)[`(]", (DOCS / "python.md").read_text("utf-8")))
    assert set(elv.__all__) <= explained


# ---- the site builds offline, loads nothing from other hosts, and is whole -----------------------


# A build that asks the network for anything fails.
OFFLINE = """
import runpy, socket, sys
def refused(*words): raise OSError("the build asked for the network")
socket.socket.connect = socket.getaddrinfo = refused
sys.argv = sys.argv[1:]
runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
"""


OTHER_PAGES = "author|index|next|prev|search"


class Page:
    """A page of the site: its ids, where its links lead, and what the browser loads for it."""

    def __init__(self, path: Path) -> None:
        text = path.read_text("utf-8")

        def values(pattern: str) -> set[str]:
            return {unescape(value) for value in re.findall(pattern, text)}

        self.ids = values(r' (?:id|name)="([^"]*)"')
        self.links = values(r'<a [^>]*href="([^"]*)"')
        sheets = values(rf'<link (?![^>]*rel="(?:{OTHER_PAGES})")[^>]*href="([^"]*)"')
        self.loaded = sheets | values(r' src="([^"]*)"')


def build(target: Path, environment: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    """Runs the command of CONTRIBUTING.md, as CI does."""
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    (command,) = re.findall(r"^python -m (sphinx .*)$", text, re.MULTILINE)
    assert f"python -m {command}" in (ROOT / ".ci" / "run").read_text("utf-8")
    *words, folder = shlex.split(command)
    assert folder == "out/site"
    own = {**environment, "PYTHONWARNINGS": "ignore"}
    return ran([sys.executable, "-c", OFFLINE, *words, str(target)], cwd=ROOT, env=own)


OF_BROWSER = "web/index.html"  # `web/build.py` makes it, and `.ci/run` puts it there


@pytest.mark.slow
def test_the_site_builds_offline_and_is_whole(environment: dict[str, str]) -> None:
    site = ROOT / "out" / "site"  # where `.ci/run` finds all of it that it need not build again
    shutil.rmtree(site, ignore_errors=True)
    done = build(site, environment)
    assert done.returncode == 0, done.stderr

    pages = {path: Page(path) for path in site.glob("**/*.html")}
    sources = {path.relative_to(DOCS).with_suffix(".html") for path in DOCS.glob("**/*.md")}
    assert {site / name for name in sources if name.name != "README.html"} <= set(pages)

    for path, page in pages.items():
        for link in page.loaded:
            assert not re.match(r"(?:[a-z]+:)?//", link), f"{path.name} loads {link}"
            assert link.startswith("data:") or _target(path, link).exists(), f"{path.name}: {link}"
        for link in page.links:
            if re.match(r"[a-z]+:", link) or link == OF_BROWSER:
                continue
            target, anchor = _target(path, link), unquote(link.partition("#")[2])
            assert target.exists(), f"{path.name}: {link}"
            assert not anchor or anchor in pages[target].ids, f"{path.name}: {link}"
    for style in site.glob("**/*.css"):
        assert not re.search(r"(?:url\(|@import)\s*[\"']?(?:https?:)?//", style.read_text("utf-8"))

    ids = pages[site / "python.html"].ids
    assert {f"{elv.__name__}.{name}" for name in elv.__all__} <= ids
    assert "engines[].reformats[].sources[]" in (site / "reference.html").read_text("utf-8")
    assert {"engine.schema.json", "summary.schema.json"} <= {p.name for p in site.iterdir()}
    assert "reformats" in (site / "searchindex.js").read_text("utf-8")

    costs = (site / "project" / "benchmarks.html").read_text("utf-8")
    assert ">--version<" in re.sub(r"\s*(?=<)|(?<=>)\s*", "", costs), "two hyphens became a dash"

    assert "Engine 0 of" in (site / "EngineLayers_0.html").read_text("utf-8")
    assert "Which layers run INT8?" in (site / "index.html").read_text("utf-8")


def _target(page: Path, link: str) -> Path:
    """The file that a relative link leads to."""
    path = unquote(re.split(r"[?#]", link)[0])
    return (page.parent / path).resolve() if path else page
