"""Dynamic shapes were not given: trtexec took others.

**Found**: trtexec warns that an input has dynamic dimensions, that no shapes were given for it, and
that it sets them itself, every dynamic extent to 1.

**Why it costs**: the engine is tuned and measured for shapes that nobody asked for: its times say
nothing of the shapes that will be used.

**What to do**: build with `--minShapes`, `--optShapes` and `--maxShapes`, and run with `--shapes`.

**Example**:

    [W] Dynamic dimensions required for input: x, but no shapes were provided. Automatically
        overriding shape to: 1x3x8x8

**Versions**: trtexec 7 and later.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from engine_layer_visualize.core.words import Name, Words, joined
from engine_layer_visualize.linting.finding import Evidence, Finding, Rule
from engine_layer_visualize.linting.run_conditions import MOST
from engine_layer_visualize.linting.subject import Subject

RULE: Final = Rule(
    "R06",
    "shapes-overridden",
    "warning",
    "Dynamic shapes were not given: trtexec took others.",
    ("trtexec",),
)
_WORDS: Final = re.compile(
    r"(?:Dynamic dimensions required for input: (.*), but no shapes were provided\. "
    r"|Shape missing for input with dynamic shape: (.*))"
    r"Automatically (?:overriding|setting) shape to: ([-\dx]+)",
    re.DOTALL,
)
_ADVICE: Final = "give the shapes (trtexec: --minShapes, --optShapes, --maxShapes; --shapes)"


def check(subject: Subject) -> Iterator[Finding]:
    """One finding for all inputs."""
    found = {match[1] or match[2]: (message, match[3]) for message, match in subject.said(_WORDS)}
    if found:
        inputs: list[Words] = [("`", Name(name), f"` to {to}") for name, (_, to) in found.items()]
        words = ("no shapes were given: trtexec set ", *joined(", ", inputs[:MOST]))
        least = " and at least " if subject.left_out else " and "
        more = (f"{least}{len(found) - MOST} more",) if len(found) > MOST else ()
        lines = [Evidence(message.text, message.line) for message, _ in found.values()]
        yield subject.finding(RULE, (), (*words, *more), _ADVICE, lines[:MOST])
