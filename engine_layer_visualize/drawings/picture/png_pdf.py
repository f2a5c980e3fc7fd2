"""Draws PNG and PDF with the packages of the extra `render`, else with Graphviz's `dot`.

The extra has its own font: none of the system is needed.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Iterable
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from engine_layer_visualize.core.options import DEFAULT, Options
from engine_layer_visualize.core.problems import Place, Problem, ReadError
from engine_layer_visualize.core.text import visible
from engine_layer_visualize.documents import origin
from engine_layer_visualize.drawings.dot import writer as dot
from engine_layer_visualize.drawings.picture import pdf, svg
from engine_layer_visualize.drawings.picture.drawing import EnginePicture
from engine_layer_visualize.io.extras import install
from engine_layer_visualize.views.subgraph import View

_PACKAGES: Final = {"png": "resvg_py", "pdf": "fpdf"}  # that draw each format
FONT_PACKAGE: Final = "fontpkg_ibm_plex_sans"  # of the extra `render`
_FAMILY: Final = "IBM Plex Sans"
_ZOOM: Final = 2.0  # pixels of the PNG for each of the SVG
_LONGEST_SIDE: Final = 16_000.0  # pixels
_INSTEAD: Final = ", or install Graphviz so that `dot` is on the PATH"
_SECONDS: Final = (120.0, 0.05)  # that Graphviz may take: at least, and for each layer


def render(view: View, format: str, options: Options = DEFAULT) -> Iterable[bytes]:
    """Returns the drawing of `view` as `format`.

    Raises:
        ReadError: ELV502 where there is nothing to draw it with, ELV503 where that failed.
    """
    if format not in _PACKAGES:
        raise ValueError(f"not a format of this module: {format}")
    data = _drawn(view, format, options)
    marked = origin.in_png if format == "png" else origin.in_pdf
    return (marked(data, view.engine.source),)


def substitute(format: str) -> str:
    """Says that Graphviz draws the format, because the extra is not there; else it is empty."""
    if find_spec(_PACKAGES[format]) is not None or shutil.which("dot") is None:
        return ""
    return (
        f"{format} is drawn by Graphviz, as one long strip: the packages that draw it as the svg "
        f"are not here; {install('render')}"
    )


def _drawn(view: View, format: str, options: Options) -> bytes:
    program = shutil.which("dot")
    if find_spec(_PACKAGES[format]) is None and program is not None:
        return _by_graphviz(program, view, format, options)
    if format == "png":
        return png(EnginePicture(view, options), _INSTEAD)

    def draw() -> bytes:
        return pdf.draw(EnginePicture(view, options), next(iter(_fonts()), None))

    return _by_package(format, draw, _INSTEAD)


def png(picture: svg.Drawable, instead: str = "") -> bytes:
    """Returns a picture as PNG; `instead`: what else would draw it. Raises as `render`."""
    return _by_package("png", lambda: _png(picture), instead)


def _by_package(format: str, draw: Callable[[], bytes], instead: str = "") -> bytes:
    if find_spec(_PACKAGES[format]) is None:
        message = f"nothing here can draw {format}: {install('render')}{instead}"
        raise ReadError(
            Problem(Place(format), "ELV502", message), hint="--format svg needs neither"
        )
    try:
        return draw()
    except OSError:  # a renderer writes files, for which there may be no space
        raise
    except Exception as error:  # third-party renderers raise arbitrary exceptions
        message = f"{type(error).__name__}: {error}"[:400]
        raise ReadError(Problem(Place(format), "ELV503", message)) from error


def _by_graphviz(program: str, view: View, format: str, options: Options) -> bytes:
    dpi = ["-Gdpi=144"] if format == "png" else []
    limit = _SECONDS[0] + _SECONDS[1] * len(view.layers)
    try:
        done = subprocess.run(
            [program, f"-T{format}", *dpi],
            input=b"".join(dot.render(view, "dot", options)),
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


def _png(picture: svg.Drawable) -> bytes:
    import resvg_py

    return bytes(
        resvg_py.svg_to_bytes(
            svg_string="".join(svg.written(picture)),
            zoom=min(_ZOOM, _LONGEST_SIDE / max(picture.size)),
            font_files=[str(path) for path in _fonts()],
            font_family=_FAMILY,
            sans_serif_family=_FAMILY,
        )
    )
