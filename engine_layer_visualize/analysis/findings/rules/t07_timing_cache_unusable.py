"""The timing cache could not be used, or was made on another GPU or by another version.

**Found**: a warning or an error of the log says that the timing cache could not be read, or that
it does not fit this GPU or this version of TensorRT.

**Why it costs**: without the cache, the build takes its full time and may choose other tactics
than the last one. With timings of another GPU, it may choose tactics that are slow on this one.

**What to do**: delete the file and build again. In the first build with a new file name the message
is normal.

**Example**:

    [W] [TRT] Could not read timing cache from: conv.cache. A new timing cache will be
        generated and written.

**Versions**: TensorRT 8 and later.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from engine_layer_visualize.analysis.findings.finding import Evidence, Finding, Rule
from engine_layer_visualize.analysis.findings.subject import Subject
from engine_layer_visualize.core.words import Name

RULE: Final = Rule(
    "T07",
    "timing-cache-unusable",
    "hint",
    "The timing cache could not be used, or was made on another GPU or by another version.",
    ("TensorRT documentation: timing cache", "recorded logs"),
)
_UNUSABLE: Final = re.compile(
    r"could not read timing cache"
    r"|timing ?cache\b.{0,200}\b(?:mismatch|incompatible|corrupt|invalid|different (?:device|GPU"
    r"|version|TensorRT))"
    r"|(?:mismatch|incompatible|corrupt|invalid)\w*\b.{0,80}\btiming cache",
    re.IGNORECASE,
)
_ADVICE: Final = (
    "if this is not the first build with this file, delete the file and build again on this GPU, "
    "with this version"
)


def check(subject: Subject) -> Iterator[Finding]:
    """One finding for the engine."""
    found = [message for message, _ in subject.said(_UNUSABLE)]
    if found:
        evidence = [Evidence(message.text, message.line) for message in found[:3]]
        why = ("the log says: ", Name(found[0].text))
        yield subject.finding(RULE, (), why, _ADVICE, evidence)
