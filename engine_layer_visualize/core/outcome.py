"""What became of a build, and of its listing: the values that messages, titles and JSON ask."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

ListingState = Literal["whole", "cut", "part", "names", "times"]  # as `Listing` explains them
INCOMPLETE: Final = frozenset({"cut", "part"})
# `ended`: the log stops, and does not say why; `unlisted`: built by a VERBOSE logger, but the
# listing is not in the log; `quiet`: built by a logger that tells less; `loaded`: not built here.
BuildState = Literal["failed", "crashed", "killed", "ended", "unlisted", "quiet", "loaded", "none"]

# Why a build that was told of has no engine here.
UNLISTED: Final[dict[BuildState, str]] = {
    "failed": "it failed",
    "crashed": "it crashed",
    "killed": "it was killed",
    "ended": "the log does not go on to its listing",
    "unlisted": "it was built, but its listing is not in the log",
    "quiet": "it succeeded, but its logger was not VERBOSE, so it lists no layers",
}


@dataclass(frozen=True, slots=True)
class BuildEnd:
    """How a build without a listing ended."""

    #: What became of it.
    state: BuildState
    #: Where the log says so, else its last line.
    line: int
    #: What the log says there.
    words: str = ""
    #: What was going on, such as `while timing conv1`.
    doing: str = ""
