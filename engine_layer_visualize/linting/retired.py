"""Lists the rules that are no more, each with its name, since when, and why: `retired.tsv`.

A code never gets a second meaning: what a user has in a command stays known, and is told
why it finds nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pkgutil import get_data
from typing import Final, NamedTuple


class Retired(NamedTuple):
    """A rule that is no more.

    Attributes:
        name: its name.
        since: the first version without the rule.
        why: a part of a sentence.
        cause: the key of the cause that has what the rule saw, empty where none has it.
    """

    name: str
    since: str
    why: str
    cause: str = ""

    def __str__(self) -> str:
        """Returns since when and why it is retired: `retired in 1.0: …`."""
        return f"retired in {self.since}: {self.why}"


def _listed() -> dict[str, Retired]:
    text = get_data(__package__, "retired.tsv")  # a package may lie in a zip file
    assert text is not None
    rows = (line.split("\t") for line in text.decode().splitlines() if not line.startswith("#"))
    return {code: Retired(name, since, why, cause) for code, name, since, cause, why in rows}


RETIRED: Final[Mapping[str, Retired]] = _listed()


def retired(word: str) -> Iterator[tuple[str, Retired]]:
    """Yields the rules whose codes begin so, in any case of letters, or which have this name."""
    start, name = word.upper(), word.lower()
    for code, rule in RETIRED.items():
        if (start and code.startswith(start)) or rule.name == name:
            yield code, rule
