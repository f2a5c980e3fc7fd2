"""The metadata file of trt-engine-explorer, so that its whole set of files can be given as it is.

A `*.metadata.json` holds trtexec's sections as JSON objects: no times, and a warning says so.
"""

from __future__ import annotations

import re
from typing import Final

from engine_layer_visualize.core.model import Profile
from engine_layer_visualize.core.problems import Place, Problem
from engine_layer_visualize.inputs.formats import Format
from engine_layer_visualize.io.source import Source

_SNIFF: Final = re.compile(rb'\s*\{\s*"[\w /]*(?:options|information|summary)"\s*:', re.IGNORECASE)


def sniff(head: bytes) -> bool:
    """Whether its first key names a section of trtexec's log."""
    return _SNIFF.match(head) is not None


def read(source: Source) -> tuple[list[Profile], list[Problem]]:
    """No profile, and a warning."""
    message = "the metadata of a TREx file set: no layer times in it"
    return [], [Problem(Place(source.name, 1), "ELV207", message)]


FORMAT: Final = Format("trex_metadata", sniff, read)
