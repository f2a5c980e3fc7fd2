"""Writes what CI systems read: commands of GitHub, texts and URIs of SARIF."""

from __future__ import annotations

import re
from pathlib import PurePath
from typing import Final, Literal, TypeAlias
from urllib.parse import quote

from engine_layer_visualize.core.text import visible

Level: TypeAlias = Literal["notice", "warning", "error"]
# As `@actions/core` escapes: data first, then what would end a property.
_DATA: Final = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_PROPERTY: Final = str.maketrans({"%": "%25", ":": "%3A", ",": "%2C"})
_BRACKETS: Final = re.compile(r"[\\\[\]]")


def annotation(level: Level, text: str, **properties: str) -> str:
    """Returns `::error file=build.log,title=…::text`; only newlines stay as they are."""
    told = ",".join(
        f"{key}={visible(value).translate(_PROPERTY)}" for key, value in properties.items() if value
    )
    lines = "\n".join(map(visible, text.split("\n")))
    return f"::{level}{' ' if told else ''}{told}::{lines.translate(_DATA)}"


def unlinked(text: str) -> str:
    """Returns the text of a message of SARIF, where `[text](target)` would be a link."""
    return _BRACKETS.sub(r"\\\g<0>", text) if "](" in text else text


def artifact_uri(path: str) -> str:
    """Returns the path as a reference; an absolute one with `file:`."""
    plain = PurePath(path).as_posix().encode("utf-8", "backslashreplace")
    absolute = PurePath(path).is_absolute()
    return ("file://" + "/" * (not plain.startswith(b"/")) if absolute else "") + quote(plain)
