"""The metadata file of trt-engine-explorer, so that its whole set of files can be given as it is.

A `*.metadata.json` holds trtexec's sections as JSON objects: no times, and a warning says so. But
it names the device.
"""

from __future__ import annotations

import json
import re
from typing import Final

from engine_layer_visualize.core.build_info import Device
from engine_layer_visualize.core.model import Profile
from engine_layer_visualize.core.problems import Place, Problem
from engine_layer_visualize.inputs.buildlog.messages import devices
from engine_layer_visualize.inputs.formats import Format
from engine_layer_visualize.io.source import Source

_SNIFF: Final = re.compile(rb'\s*\{\s*"[\w /]*(?:options|information|summary)"\s*:', re.IGNORECASE)

_SECTION: Final = devices.SECTION.casefold().replace(" ", "_")


def sniff(head: bytes) -> bool:
    """Whether its first key names a section of trtexec's log."""
    return _SNIFF.match(head) is not None


def read(source: Source) -> tuple[list[Profile], list[Problem]]:
    """A profile without rows that names the device, where the file does, and a warning."""
    place = Place(source.name, 1)
    message = "the metadata of a TREx file set: no layer times in it"
    known = _device(source.text())
    profiles = [] if known is None else [Profile(place, (), device=known)]
    return profiles, [Problem(place, "ELV207", message)]


def _device(text: str) -> Device | None:
    """The device, by its section, whose keys are those of trtexec's log."""
    try:
        sections = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(sections, dict):
        return None
    of_device = (name for name in sections if name.casefold().replace(" ", "_") == _SECTION)
    section = sections.get(next(of_device, ""))
    if not isinstance(section, dict):
        return None
    values = {str(key).casefold(): str(value) for key, value in section.items()}
    return devices.of(lambda key: values.get(key.casefold()))


FORMAT: Final = Format("trex_metadata", sniff, read)
