"""Reads the engines of a log, with the log's name alone, because a web page shows it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import engine_layer_visualize as elv
from engine_layer_visualize.fields.file_names import shown

ID: Final = "tensorrt_engine"  # of the adapter


def engines(log: str, profiles: Sequence[str] = ()) -> list[elv.Engine]:
    """The engines of a log.

    Raises:
        ReadError: There is none.
    """
    return [shown(engine, False) for engine in elv.read(log, profiles).engines]
