"""What can be chosen about a drawing.

takes: words
gives: `Options`
never: decides what they mean in a format
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, get_args

Labels = Literal["short", "full", "none"]
Direction = Literal["TB", "LR"]

LABELS: Final[tuple[Labels, ...]] = get_args(Labels)
DIRECTIONS: Final[tuple[Direction, ...]] = get_args(Direction)


@dataclass(frozen=True, slots=True)
class Options:
    """`labels`: how much of the names the boxes bear; `direction`: where the chain runs, from the
    top to the bottom or from left to right, in formats that Graphviz lays out."""

    labels: Labels = "short"
    direction: Direction = "TB"


DEFAULT: Final = Options()
