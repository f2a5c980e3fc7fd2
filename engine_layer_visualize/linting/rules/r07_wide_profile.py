"""One optimisation profile spans very different shapes.

**Found**: between `min` and `max` of an optimisation profile an extent of an input grows more than
32 times.

**Why it costs**: the builder tunes a profile at its `opt` shape alone. Far from it, the tactics are
not the fastest ones, and memory is that of `max`.

**What to do**: several optimisation profiles, each for a part of the range; `opt` is the shape that
is used most.

**When to leave it**: where nearly all inferences have the `opt` shape, and the others may be
slower.

**Example**:

    Input build shape (profile 0): ids=1x8+1x128+1x2048

**Versions**: trtexec 7 and later, which print the shapes.

**Severity**: hint.

**Sources**: TensorRT documentation: optimization profiles.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Final

from engine_layer_visualize.core.words import Name, Words, joined
from engine_layer_visualize.linting.finding import Evidence, Finding, described
from engine_layer_visualize.linting.run_conditions import MOST_LINES
from engine_layer_visualize.linting.subject import Subject

RULE: Final = described(__name__, __doc__)
_KEY: Final = re.compile(r"Input build shapes?(?: \(profile (\d{1,6})\))?\s*")
_SHAPES: Final = re.compile(r"(.*)=(\d[\dx]*)\+(\d[\dx]*)\+(\d[\dx]*)", re.DOTALL)
_MOST_GROWTH: Final = 32
_ADVICE: Final = (
    "make several optimisation profiles, each for a part of the range, with the shape that is used "
    "most as opt"
)


def check(subject: Subject) -> Iterator[Finding]:
    """Yields one finding for each optimisation profile."""
    by_profile: dict[str, list[tuple[Words, Evidence]]] = defaultdict(list)
    for option in subject.facts.options:
        key, shapes = _KEY.fullmatch(option.key), _SHAPES.fullmatch(option.value)
        if key is None or shapes is None or option.section != "Build":
            continue
        low, high = shapes[2].split("x"), shapes[4].split("x")
        if len(low) == len(high) and any(_wide(*ends) for ends in zip(low, high)):
            words: Words = ("`", Name(shapes[1]), f"` from {shapes[2]} to {shapes[4]}")
            evidence = Evidence(f"{option.key}: {option.value}", option.line)
            by_profile[key[1] or "0"].append((words, evidence))
    for number, wide in by_profile.items():
        inputs = joined(", ", [words for words, _ in wide[:MOST_LINES]])
        why = (f"optimisation profile {number} spans more than {_MOST_GROWTH} times: ", *inputs)
        yield subject.finding(RULE, (), why, _ADVICE, [line for _, line in wide[:MOST_LINES]])


def _wide(low: str, high: str) -> bool:
    return low.isdigit() and high.isdigit() and int(high) > _MOST_GROWTH * int(low) > 0
