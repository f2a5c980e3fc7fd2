"""Draws PNG with the packages of the extra `render`, else with Graphviz's `dot`.

The extra has its own font: none of the system is needed.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from engine_layer_visualize.core.options import DEFAULT, Options
from engine_layer_visualize.core.problems import Place, Problem, ReadError
from engine_layer_visualize.core.text import visible
from engine_layer_visualize.documents import marks
from engine_layer_visualize.drawing import dot, svg
from engine_layer_visualize.drawing.picture import EnginePicture
from engine_layer_visualize.facts.subgraph import View
from engine_layer_visualize.io.processes import install_extra

_RENDERER: Final = "resvg_py"
FONT_PACKAGE: Final = "fontpkg_ibm_plex_sans"  # of the extra `render`
_FAMILY: Final = "IBM Plex Sans"
_ZOOM: Final = 2.0  # pixels of the PNG for each of the SVG
_LONGEST_SIDE: Final = 16_000.0  # pixels
_INSTEAD: Final = ", or install Graphviz so that `dot` is on the PATH"
_SECONDS: Final = (120.0, 0.05)  # that Graphviz may take: at least, and for each layer


def render(view: View, options: Options = DEFAULT) -> Iterable[bytes]:
    """Returns the drawing of `view` as PNG.

    Raises:
        ReadError: ELV502 where there is nothing to draw it with, ELV503 where that failed.
    """
    return (marks.in_png(_drawn(view, options), view.engine.source),)


def substitute() -> str:
    """Says that Graphviz draws it, because the extra is not there; else it is empty."""
    if find_spec(_RENDERER) is not None or shutil.which("dot") is None:
        return ""
    return (
        "png is drawn by Graphviz, as one long strip: the packages that draw it as the svg "
        f"are not here; {install_extra('render')}"
    )


def _drawn(view: View, options: Options) -> bytes:
    program = shutil.which("dot")
    if find_spec(_RENDERER) is None:
        if program is not None:
            return _by_graphviz(program, view, options)
        message = f"nothing here can draw png: {install_extra('render')}{_INSTEAD}"
        raise ReadError(Problem(Place("png"), "ELV502", message), hint="--format svg needs neither")
    try:
        import resvg_py

        picture = EnginePicture(view, options)
        return bytes(
            resvg_py.svg_to_bytes(
                svg_string="".join(svg.written(picture)),
                zoom=min(_ZOOM, _LONGEST_SIDE / max(picture.size)),
                font_files=[str(path) for path in _fonts()],
                font_family=_FAMILY,
                sans_serif_family=_FAMILY,
            )
        )
    except Exception as error:  # a third-party renderer raises arbitrary exceptions
        message = f"{type(error).__name__}: {error}"[:400]
        raise ReadError(Problem(Place("png"), "ELV503", message)) from error


def _by_graphviz(program: str, view: View, options: Options) -> bytes:
    limit = _SECONDS[0] + _SECONDS[1] * len(view.layers)
    try:
        done = subprocess.run(
            [program, "-Tpng", "-Gdpi=144"],
            input=b"".join(dot.render(view, options)),
            capture_output=True,
            timeout=limit,
            check=False,
        )
    except subprocess.TimeoutExpired:
        failure = f"Graphviz took longer than {limit:g} s"
    else:
        if done.returncode == 0 and done.stdout:
            return done.stdout
        said = visible(done.stderr.decode("utf-8", "replace").strip())[-400:]
        failure = f"Graphviz failed (exit code {done.returncode}): {said}"
    raise ReadError(Problem(Place("graphviz"), "ELV503", failure))


def _fonts() -> list[Path]:
    """Returns the font's files, the upright one first; none where the extra is not there."""
    spec = find_spec(FONT_PACKAGE)
    places = spec.submodule_search_locations if spec is not None else None
    fonts = [font for place in places or () for font in Path(place).glob("files/*.ttf")]
    return sorted(fonts, key=lambda path: ("Italic" in path.name, path))
