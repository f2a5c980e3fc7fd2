"""The engine was built with a low optimisation level.

**Found**: trtexec's build options name a builder optimisation level below 3.

**Why it costs**: below 3, the default, the builder times fewer tactics, or none, and fuses less.

**What to do**: build with `--builderOptimizationLevel=3`, or up to 5 for a release. The flag is the
same up to TensorRT 10.16 and from 11 on. The build takes longer.

**When to leave it**: while a model is developed: a short build matters more than a fast engine.

**Example**:

    BuilderOptimizationLevel: 1

**Versions**: TensorRT 8.6 and later.

**Severity**: warning.

**Sources**: TensorRT documentation: builder optimization level.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from engine_layer_visualize.linting.finding import Evidence, Finding, described
from engine_layer_visualize.linting.subject import Subject

RULE: Final = described(__name__, __doc__)
_KEY: Final = "builderoptimizationlevel"
_DEFAULT_LEVEL: Final = 3
_ADVICE: Final = "build with --builderOptimizationLevel=3, or up to 5 for a release"


def check(subject: Subject) -> Iterator[Finding]:
    """Yields one finding for the engine."""
    for option in subject.facts.options:
        if option.key.replace(" ", "").casefold() == _KEY:
            level = option.value.strip()
            if level.isascii() and level.isdigit() and int(level) < _DEFAULT_LEVEL:
                why = f"builder optimisation level {level}: the default is {_DEFAULT_LEVEL}"
                evidence = [Evidence(f"{option.key}: {option.value}", option.line)]
                yield subject.finding(RULE, (), why, _ADVICE, evidence)
            return
