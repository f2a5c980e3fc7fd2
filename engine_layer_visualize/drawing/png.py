"""Draws PNG with the packages of the extra `render`, whose own font needs none of the system."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from engine_layer_visualize.core.model import Listing
from engine_layer_visualize.core.options import DEFAULT, Options
from engine_layer_visualize.core.problems import Place, Problem, ReadError
from engine_layer_visualize.documents import marks
from engine_layer_visualize.drawing import svg
from engine_layer_visualize.drawing.picture import EnginePicture
from engine_layer_visualize.facts.subgraph import View

_RENDERER: Final = "resvg_py"
FONT_PACKAGE: Final = "fontpkg_ibm_plex_sans"  # of the extra `render`
_FAMILY: Final = "IBM Plex Sans"
_ZOOM: Final = 2.0  # pixels of the PNG for each of the SVG
_LONGEST_SIDE: Final = 16_000.0  # pixels


def render(view: View, options: Options = DEFAULT) -> Iterable[bytes]:
    """Returns the drawing of `view` as PNG. Raises as `of`."""
    picture = EnginePicture(view, options)
    return of(picture, view.engine.source, min(_ZOOM, _LONGEST_SIDE / max(picture.size)))


def of(picture: svg.Picture, source: Listing, zoom: float) -> tuple[bytes]:
    """Returns a picture as PNG, with so many pixels for each of the SVG.

    Raises:
        ReadError: ELV502 where there is nothing to draw it with, ELV503 where that failed.
    """
    if find_spec(_RENDERER) is None:
        message = "nothing here can draw png: pip install resvg-py fontpkg-ibm-plex-sans"
        raise ReadError(Problem(Place("png"), "ELV502", message), hint="--format svg needs nothing")
    try:
        import resvg_py

        drawn = resvg_py.svg_to_bytes(
            svg_string="".join(svg.written(picture)),
            zoom=zoom,
            font_files=[str(path) for path in _fonts()],
            font_family=_FAMILY,
            sans_serif_family=_FAMILY,
        )
    except Exception as error:  # a third-party renderer raises arbitrary exceptions
        message = f"{type(error).__name__}: {error}"[:400]
        raise ReadError(Problem(Place("png"), "ELV503", message)) from error
    return (marks.in_png(bytes(drawn), source),)


def _fonts() -> list[Path]:
    """Returns the font's files, the upright one first; none where the extra is not there."""
    spec = find_spec(FONT_PACKAGE)
    places = spec.submodule_search_locations if spec is not None else None
    fonts = [font for place in places or () for font in Path(place).glob("files/*.ttf")]
    return sorted(fonts, key=lambda path: ("Italic" in path.name, path))
