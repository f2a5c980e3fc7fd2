"""Files that repeat the version or the dependencies agree with the package's own."""

from __future__ import annotations

import re
from configparser import ConfigParser

import pytest
from paths import ROOT

from engine_layer_visualize import __version__


@pytest.mark.parametrize(
    ("file", "line"),
    [
        ("CITATION.cff", "version: {}"),
        ("conda/recipe.yaml", "  version: {}"),
        ("CHANGELOG.md", "## {}"),
    ],
)
def test_the_version_is_the_same_everywhere(file: str, line: str) -> None:
    text = (ROOT / file).read_text("utf-8")
    pattern = re.escape(line).replace(r"\{\}", r"([0-9]+\.[0-9]+\S*)")
    found = re.search(f"^{pattern}", text, re.MULTILINE)
    assert found is not None
    assert found[1] == __version__


def test_conda_has_the_dependencies_of_the_wheel() -> None:
    setup = ConfigParser(interpolation=None)
    setup.read(ROOT / "setup.cfg", "utf-8")
    wanted = [
        line.partition(";")[0].replace(">= ", ">=")  # one recipe serves every Python
        for line in setup["options"]["install_requires"].split("\n")
    ]
    recipe = (ROOT / "conda" / "recipe.yaml").read_text("utf-8")
    run = recipe.partition("\n  run:\n")[2].partition("\ntests:")[0]
    found = [line.removeprefix("    - ") for line in run.split("\n") if line]
    python = setup["options"]["python_requires"]
    assert found == [f"python {python}", *filter(None, wanted)]
