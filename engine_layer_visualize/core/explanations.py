"""What the code of each problem means, an example of it, and what to do.

The texts stand in `explanations.md`, of which `python docs/problem_tables.py` makes
docs/problems.md.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pkgutil import get_data
from typing import Final

_SECTION: Final = re.compile(r"^## (ELV\d{3})\n\n(.*)\n\n((?: {4}.*\n)+)\n(.*)\n", re.MULTILINE)
_LINK: Final = re.compile(r"\[([^]]*)\]\([^)]*\)")


@dataclass(frozen=True, slots=True)
class Explanation:
    """What the code of a problem means, in sentences of Markdown that may hold links."""

    meaning: str
    example: str  # the message of such a problem, as it is printed
    remedy: str

    def without_links(self) -> Explanation:
        """The explanation as a terminal shows it."""
        meaning, remedy = (_LINK.sub(r"\1", text) for text in (self.meaning, self.remedy))
        return Explanation(meaning, self.example, remedy)


def explanations() -> dict[str, Explanation]:
    """The explanations of all codes."""
    text = get_data(__package__, "explanations.md")  # a package may lie in a zip file
    assert text is not None
    return {
        code: Explanation(
            meaning, re.sub("^ {4}", "", example, flags=re.MULTILINE).rstrip(), remedy
        )
        for code, meaning, example, remedy in _SECTION.findall(text.decode())
    }
