"""What the code of each problem means, an example of it, and what to do.

The texts stand in `explanations.md`, the closed list of codes, of which `python
docs/problem_tables.py` makes docs/problems.md. A code is never given a second meaning, and never
reused.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cache
from pkgutil import get_data
from typing import Final, Literal, cast

Severity = Literal["error", "warning"]
_SECTION: Final = re.compile(
    r"^## (ELV\d{3}) (error|warning): (.+)\n\n(.*)\n\n((?: {4}.*\n)+)\n(.*)\n", re.MULTILINE
)
_LINK: Final = re.compile(r"\[([^]]*)\]\([^)]*\)")


@dataclass(frozen=True, slots=True)
class Explanation:
    """What the code of a problem means, in sentences of Markdown that may hold links."""

    severity: Severity
    title: str  # in a few words
    meaning: str
    example: str  # the message of such a problem, as it is printed
    remedy: str

    def without_links(self) -> Explanation:
        """The explanation as a terminal shows it."""
        meaning, remedy = (_LINK.sub(r"\1", text) for text in (self.meaning, self.remedy))
        return replace(self, meaning=meaning, remedy=remedy)


@cache
def explanations() -> dict[str, Explanation]:
    """The explanations of all codes."""
    text = get_data(__package__, "explanations.md")  # a package may lie in a zip file
    assert text is not None
    return {
        code: Explanation(cast(Severity, severity), title, meaning, _unindented(example), remedy)
        for code, severity, title, meaning, example, remedy in _SECTION.findall(text.decode())
    }


def _unindented(example: str) -> str:
    return re.sub("^ {4}", "", example, flags=re.MULTILINE).rstrip()
