"""PNG of our own picture; Graphviz where the extra is missing, and a clear word else."""

from __future__ import annotations

import importlib.util
import os
import shutil
from importlib.machinery import ModuleSpec
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from factories import chain
from logtext import file_of
from rendered import png_size

from engine_layer_visualize.api.engine import Engine
from engine_layer_visualize.core.options import DEFAULT, Options
from engine_layer_visualize.core.problems import ReadError
from engine_layer_visualize.drawing import png, svg
from engine_layer_visualize.facts.subgraph import whole

needs_resvg = pytest.mark.skipif(
    importlib.util.find_spec("resvg_py") is None, reason="needs the extra `render`"
)


def drawn(of: Engine, options: Options = DEFAULT) -> bytes:
    return b"".join(png.render(whole(of), options))


@needs_resvg
def test_png_has_two_pixels_for_each_of_the_svg() -> None:
    of = chain("Conv_1", "Conv_2")
    found = drawn(of)
    root = ElementTree.fromstring(svg.draw(whole(of)))
    wide, tall = int(root.get("width", "")), int(root.get("height", ""))
    assert png_size(found) == (2 * wide, 2 * tall)
    assert found != drawn(of, Options(theme="dark"))


@needs_resvg
def test_png_bears_letters_without_fonts_of_the_system(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip(png.FONT_PACKAGE)
    import resvg_py

    draw = resvg_py.svg_to_bytes

    def alone(**options: Any) -> bytes:
        return draw(skip_system_fonts=True, **options)

    monkeypatch.setattr(resvg_py, "svg_to_bytes", alone)
    with_words = drawn(chain("Conv_1"))
    monkeypatch.setattr(png, "_fonts", list)
    assert len(with_words) > 1.5 * len(drawn(chain("Conv_1")))


def without(monkeypatch: pytest.MonkeyPatch, missing: str) -> None:
    find = importlib.util.find_spec

    def found(name: str, package: str | None = None) -> ModuleSpec | None:
        return None if name == missing else find(name, package)

    monkeypatch.setattr(png, "find_spec", found)


def test_without_the_extra_graphviz_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    if shutil.which("dot") is None:
        pytest.skip("no Graphviz here")
    without(monkeypatch, "resvg_py")
    assert min(png_size(drawn(chain("Conv_1")))) > 100


@pytest.mark.skipif(os.name != "posix", reason="the stand-in for dot is a shell script")
@pytest.mark.parametrize(
    ("script", "told"),
    [
        ("echo 'syntax error in line 3' >&2; exit 1", "exit code 1.*syntax error in line 3"),
        ("exit 0", "failed"),
        ("kill -SEGV $$", "exit code -11"),
        ("exec sleep 60", r"longer than 0\.5 s"),
        ('cat; echo "$@"', ""),
    ],
)
def test_what_graphviz_gives_or_why_it_gives_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, script: str, told: str
) -> None:
    without(monkeypatch, "resvg_py")
    file_of(tmp_path, f"#!/bin/sh\n{script}\n", "dot").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr(png, "_SECONDS", (0.5, 0.0))
    if not told:
        found = drawn(chain("Conv_1")).decode()
        assert found.startswith("digraph EngineLayers_0 {")
        assert found.endswith("}\n-Tpng -Gdpi=144\n")
        return
    with pytest.raises(ReadError, match=told) as caught:
        drawn(chain("a"))
    assert caught.value.problem.code == "ELV503"


def test_without_anything_it_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    without(monkeypatch, "resvg_py")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ReadError, match=r"pip install resvg-py fontpkg") as caught:
        drawn(chain("Conv_1"))
    assert caught.value.problem.code == "ELV502"
    assert "svg" in caught.value.hint


@needs_resvg
def test_a_failure_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    import resvg_py

    def fails(**options: object) -> bytes:
        raise ValueError("no such thing")

    monkeypatch.setattr(resvg_py, "svg_to_bytes", fails)
    with pytest.raises(ReadError, match="no such thing") as caught:
        drawn(chain("Conv_1"))
    assert caught.value.problem.code == "ELV503"
