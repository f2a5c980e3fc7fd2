"""Pictures by real Graphviz, in its own process, with and without fonts, and when it fails."""

from __future__ import annotations

import os
import re
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest
from factories import HOSTILE_NAMES, chain
from rendered import png_size, shows

from engine_layer_visualize.analysis.subgraph import whole
from engine_layer_visualize.core.problems import ReadError
from engine_layer_visualize.core.text import visible
from engine_layer_visualize.display import Engine
from engine_layer_visualize.outputs.dot import graphviz

pytest.importorskip("pygraphviz")
posix = pytest.mark.skipif(os.name != "posix", reason="the stand-in for dot is a shell script")
SVG = "{http://www.w3.org/2000/svg}"
TIP = "{http://www.w3.org/1999/xlink}title"


@pytest.fixture(autouse=True)
def _no_dot(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Without a `dot` on the PATH, pygraphviz draws."""
    monkeypatch.setenv("PATH", str(tmp_path))


@pytest.fixture
def no_system_fonts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    empty = tmp_path / "empty.conf"
    empty.write_text('<?xml version="1.0"?><fontconfig></fontconfig>')
    monkeypatch.setenv("FONTCONFIG_FILE", str(empty))


def stand_in(folder: Path, script: str) -> None:
    """A `dot` that is not Graphviz."""
    program = folder / "dot"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)


def picture(of: Engine, format: str) -> bytes:
    return b"".join(graphviz.render(whole(of), format))


def svg(of: Engine) -> ElementTree.Element:
    return ElementTree.fromstring(picture(of, "svg"))


def groups(picture: ElementTree.Element, kind: str) -> dict[str, ElementTree.Element]:
    """Nodes or edges of the picture by their ids."""
    found = picture.iter(f"{SVG}g")
    return {g.findtext(f"{SVG}title") or "": g for g in found if g.get("class") == kind}


def texts(element: ElementTree.Element) -> str:
    words = ("".join(text.itertext()) for text in element.iter(f"{SVG}text"))
    return " ".join(words).replace("\xa0", " ")


def tips(element: ElementTree.Element) -> Iterator[str]:
    return (a.get(TIP, "").replace("\xa0", " ") for a in element.iter(f"{SVG}a"))


def test_svg_shows_nodes_lines_and_text() -> None:
    picture = svg(chain("Conv_1 + Relu_2", "MaxPool_3"))
    nodes = groups(picture, "node")
    assert set(nodes) == {"input_0", "layer_0", "layer_1", "output_0"}
    assert set(groups(picture, "edge")) == {
        "input_0->layer_0",
        "layer_0->layer_1",
        "layer_1->output_0",
    }
    assert "Conv + Relu" in texts(nodes["layer_0"])
    assert "Conv_1 + Relu_2" in texts(nodes["layer_0"])
    assert "1×64×56×56" in texts(groups(picture, "edge")["layer_0->layer_1"])
    assert "Engine 0 of build · 2 layers · no profile" in texts(picture)


@pytest.mark.parametrize("format", ["png", "pdf"])
def test_png_and_pdf_show_the_engine(format: str) -> None:
    assert shows(picture(chain("Conv_1"), format), format, "Conv_1")


def test_another_format_is_refused() -> None:
    with pytest.raises(ValueError, match="dot"):
        graphviz.render(whole(chain("a")), "dot")


def test_hostile_names_are_drawn_as_themselves() -> None:
    picture = svg(chain(*HOSTILE_NAMES))
    nodes = groups(picture, "node")
    for index, name in enumerate(HOSTILE_NAMES):
        node = nodes[f"layer_{index}"]
        assert next(tips(node)).split("\n")[0] == (visible(name) or "(no name)")
        shown = visible(name) or "(no name)"
        if len(shown) <= 58:
            squeezed = re.sub(r"\s+", "", texts(node))
            assert re.sub(r"\s+", "", shown) in squeezed, name
    assert not list(picture.iter(f"{SVG}script"))


@pytest.mark.usefixtures("no_system_fonts")
def test_letters_are_letters_without_system_fonts() -> None:
    pytest.importorskip(graphviz.FONT_PACKAGE)
    # Boxes instead of letters would all be equally wide.
    narrow, wide = chain("i" * 40), chain("W" * 40)
    assert png_size(picture(wide, "png"))[0] > 1.5 * png_size(picture(narrow, "png"))[0]
    assert "W" * 40 in texts(svg(wide))
    assert "IBM Plex Sans" in {
        (text.get("font-family") or "").split(",")[0] for text in svg(wide).iter(f"{SVG}text")
    }


@posix
def test_the_dot_on_the_path_is_asked_first(tmp_path: Path) -> None:
    stand_in(tmp_path, 'echo "$@"; while read -r line; do echo "$line"; done')
    drawn = picture(chain("Conv_1"), "svg").decode()
    assert drawn.startswith("-Tsvg\ndigraph EngineLayers_0 {")


@posix
def test_where_the_dot_on_the_path_fails_the_library_draws(tmp_path: Path) -> None:
    stand_in(tmp_path, "echo 'Format: \"svg\" not recognized' >&2; exit 1")
    assert "Conv" in texts(svg(chain("Conv_1")))


@posix
@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("echo 'syntax error in line 3' >&2; exit 1", "exit code 1.*syntax error in line 3"),
        ("exit 0", "no output"),
        ("kill -SEGV $$", "SIGSEGV"),
    ],
)
def test_a_failure_is_told_with_graphviz_own_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, words: str
) -> None:
    stand_in(tmp_path, script)
    monkeypatch.setitem(sys.modules, "pygraphviz", None)
    with pytest.raises(ReadError, match=words) as caught:
        graphviz.render(whole(chain("a")), "svg")
    assert caught.value.problem.code == "ELV503"


@posix
def test_a_hanging_dot_is_ended_with_its_children(tmp_path: Path) -> None:
    stand_in(tmp_path, f"'{sys.executable}' -c 'import time; time.sleep(60)'")
    begin = time.monotonic()
    with pytest.raises(ReadError, match=r"longer than 0\.5 s") as caught:
        graphviz.render(whole(chain("a")), "svg", seconds=0.5)
    assert caught.value.problem.code == "ELV503"
    assert time.monotonic() - begin < 20


@pytest.mark.parametrize("death", ["os.abort()", "os._exit(7)", "raise MemoryError('too large')"])
def test_a_crash_of_the_library_ends_only_the_child(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, death: str
) -> None:
    fake = tmp_path / "fakes" / "pygraphviz"
    fake.mkdir(parents=True)
    (fake / "__init__.py").write_text(f"import os\ndef AGraph():\n    {death}\n")
    monkeypatch.syspath_prepend(str(fake.parent))
    with pytest.raises(ReadError) as caught:
        graphviz.render(whole(chain("a")), "svg")
    assert caught.value.problem.code == "ELV503"


def test_without_any_graphviz_it_says_what_to_install(tmp_path: Path) -> None:
    script = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from engine_layer_visualize.core.problems import ReadError\n"
        "from engine_layer_visualize.core.model import Graph, Listing\n"
        "from engine_layer_visualize.display import Engine\n"
        "from engine_layer_visualize.analysis.subgraph import whole\n"
        "from engine_layer_visualize.outputs.dot import graphviz\n"
        "try:\n"
        "    graphviz.render(whole(Engine(0, Listing('b', 1, 1), (), Graph((), (), ()))), 'svg')\n"
        "except ReadError as error:\n"
        "    print(error.problem)\n"
    )
    root = Path(graphviz.__file__).parents[3]
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", script, str(root)],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PATH": str(tmp_path)},
    )
    assert "error[ELV502]" in done.stdout
    assert "pip install pygraphviz, or" in done.stdout


def test_nothing_in_the_working_directory_is_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trap = tmp_path / "trap"
    trap.mkdir()
    for name in ("json", "pygraphviz", "subprocess"):
        (trap / f"{name}.py").write_text("raise SystemExit('trapped')\n")
    monkeypatch.chdir(trap)
    monkeypatch.setattr(sys, "path", [p for p in sys.path if p not in ("", ".")])
    assert graphviz.render(whole(chain("a")), "svg")
