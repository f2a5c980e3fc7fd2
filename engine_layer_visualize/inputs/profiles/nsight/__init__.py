"""Nsight Systems' report, as `nsys export --type sqlite` writes it: one profile for each engine.

tables   -> the tables of a file that is not trusted, row by row
queries  -> what is asked of them, whatever the version
ranges   -> the ranges that a thread is in, runs, and what they launched
gaps     -> how long a stream was idle before a range
sweep    -> the three streams of a report merged in order of time
samples  -> profiles, with the times of each run
report   -> all of it: a path in, profiles out
"""

from __future__ import annotations

from typing import Final

from engine_layer_visualize.core.model import Profile
from engine_layer_visualize.core.problems import Problem
from engine_layer_visualize.inputs.formats import Format
from engine_layer_visualize.io.source import Source

_MAGIC: Final = b"SQLite format 3\0"


def sniff(head: bytes) -> bool:
    """Whether this is an SQLite database."""
    return head.startswith(_MAGIC)


def read(source: Source) -> tuple[list[Profile], list[Problem]]:
    """Reads a report. Raises ReadError (ELV201) where no layer of any engine can be timed by it."""
    from engine_layer_visualize.inputs.profiles.nsight import report

    return report.read(source.name, source.file)


FORMAT: Final = Format("nsight", sniff, read)
