"""Checks what a caller gives as a path."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from engine_layer_visualize.core.problems import Place, Problem, ReadError

_LONGEST_PATH: Final = 1 << 12  # of Linux; others end before
_TEXT_WIDTH: Final = 40  # characters of a text that is no path


def check(path: object) -> None:
    """Checks that a path is none of the things that callers mistake for one.

    Raises:
        ReadError: it is the text of a file (ELV401).
        TypeError: it is no path.
    """
    if not isinstance(path, (str, Path)):
        raise TypeError(f"a path is wanted (str or pathlib.Path), not {type(path).__name__}")
    text = str(path)
    if ("\n" in text or len(text) > _LONGEST_PATH) and not os.path.exists(text):
        name = text if len(text) <= _TEXT_WIDTH else text[:_TEXT_WIDTH].rstrip() + "…"
        message = "there is no such file; this looks like the text of one, and a path is wanted"
        raise ReadError(
            Problem(Place(name, 1), "ELV401", message),
            "put the text into a file, and give that file's path",
        )
