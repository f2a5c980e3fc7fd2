"""The metadata file of trt-engine-explorer, so that its whole set of files can be given as it is.

takes: the text of a `*.metadata.json`: trtexec's sections as JSON objects
gives: no profile, and a warning that says so
never: takes a section for times
"""

from __future__ import annotations

import re
from typing import Final

from engine_layer_visualize.core.model import Profile
from engine_layer_visualize.core.problems import Place, Problem

_SNIFF: Final = re.compile(r'\s*\{\s*"[\w /]*(?:options|information|summary)"\s*:', re.IGNORECASE)


def sniff(text: str) -> bool:
    """Whether its first key names a section of trtexec's log."""
    return _SNIFF.match(text) is not None


def read(text: str, file: str) -> tuple[list[Profile], list[Problem]]:
    message = "the metadata of a TREx file set: no layer times in it"
    return [], [Problem(Place(file, 1), "ELV207", message)]
