"""The site builds without a network and without a warning, loads nothing from other hosts, and is
whole: every link, picture and public name is there."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import pytest
from paths import ROOT

import engine_layer_visualize as elv

DOCS = ROOT / "docs"
# A build that asks the network for anything fails.
OFFLINE = """
import runpy, socket, sys
def refused(*words): raise OSError("the build asked for the network")
socket.socket.connect = socket.getaddrinfo = refused
sys.argv = sys.argv[1:]
runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
"""


class Page(HTMLParser):
    """A page of the site: its ids, where its links lead, and what the browser loads for it."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.links: set[str] = set()
        self.loaded: set[str] = set()
        self.feed(path.read_text("utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        words = {name: value or "" for name, value in attrs}
        self.ids |= {words[name] for name in ("id", "name") if name in words}
        if "src" in words:
            self.loaded.add(words["src"])
        if tag == "a" and "href" in words:
            self.links.add(words["href"])
        if tag == "link" and words["rel"] not in ("author", "index", "next", "prev", "search"):
            self.loaded.add(words["href"])


def build(target: Path, environment: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    """Runs the command of CONTRIBUTING.md, as CI does."""
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    (command,) = re.findall(r"^python -m (sphinx .*)$", text, re.MULTILINE)
    assert f"python -m {command}" in (ROOT / ".ci" / "run").read_text("utf-8")
    *words, folder = shlex.split(command)
    assert folder == "out/site"
    return subprocess.run(
        [sys.executable, "-c", OFFLINE, *words, str(target)],
        cwd=ROOT, env={**environment, "PYTHONWARNINGS": "ignore"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip


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
