"""A layer runs in another precision or type than was asked for.

**Found**: a message of the log says that a non-conforming implementation was chosen for a layer, or
that no implementation of it obeys the constraints that were set on it. Silent where the log says
that it was ignored because that is faster: no time is lost, and the summary has the log's words.

**Why it costs**: the layer runs in a type that was not asked for, often a slower one, and reformats
around it convert to it and back.

**What to do**: if the type matters, build with `--precisionConstraints=obey` of trtexec up to
TensorRT 10.16 (strict types before 8.2): the build then fails where a layer cannot have it. From 11
on there are no constraints: the types are the model's, and the builder obeys them. Else drop the
constraint, or ask for a type that an implementation of this layer has.

**When to leave it**: where the results and the time of the engine are as wanted: the constraint is
not needed.

**Example**:

    For layer dense a non-conforming implementation was chosen than was requested i.e. requested
    precision was ignored.

**Versions**: weakly typed networks, TensorRT 7 to 10.

**Severity**: warning.

**Sources**: NVIDIA/TensorRT issues 2080, 1196, 1437, 2360, 1231.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Final

from engine_layer_visualize.linting.finding import Finding, described
from engine_layer_visualize.linting.subject import Subject

RULE: Final = described(__name__, __doc__)
_IGNORED: Final = (
    "if the type matters, let the build fail in its stead ({}); else drop the constraint"
)
_OBEY, _STRICT = "trtexec: --precisionConstraints=obey", "BuilderFlag::kSTRICT_TYPES"
_FASTER: Final = "faster network performance"
_NO_KERNEL: Final = (
    "drop the constraint, or ask for a type that an implementation of this layer has "
    "(trtexec: --layerPrecisions, --layerOutputTypes)"
)


def check(subject: Subject) -> Iterator[Finding]:
    """Yields one finding for all layers with the same words of the log."""
    by_words: dict[str, list[int]] = defaultdict(list)
    for index, told in subject.precision_notes.items():
        if _FASTER not in told.text:
            by_words[told.text].append(index)
    for note, indices in by_words.items():
        layers = [subject.engine.layers[index] for index in indices]
        evidence = [subject.precision_notes[index] for index in indices[:3]]
        strict = "strict mode" in note  # before TensorRT 8.2
        advice = _IGNORED.format(_STRICT if strict else _OBEY)
        advice = _NO_KERNEL if note.startswith("no implementation") else advice
        why = (*subject.names(layers), f": {note}")
        yield subject.finding(RULE, layers, why, advice, evidence)
