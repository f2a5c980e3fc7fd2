"""A reformat between two layers changes the data type.

**Found**: a layer of type Reformat stands between two layers and writes another data type than it
reads. Not meant are layers of the network that run as a Reformat, such as a Slice. Silent where the
log has timings of what computes on one side in both types: the builder had the choice, and counted
the reformat. It may be the cheapest way: a product that takes 16 µs in Float and 23 µs in Half.
Silent, too, where a layer in INT8 or FP8 writes one wider type, and its reader takes another.

**Why it costs**: the tensor is read and written once more, only because two neighbours compute in
different types.

**What to do**: let both neighbours run in one precision: the message names them with their types.

**When to leave it**: where the accuracy needs the wider type on one side, or where a neighbour is
much slower in the other one's type.

**Example**:

    Layer(Reformat): Reformatting CopyNode for Input Tensor 0 to conv2, Tactic: 0x3e8,
        a[Half(1,8,4,4)] -> r[Float(1,8,4,4)]

**Versions**: all that list reformats.

**Severity**: hint.

**Sources**: TREx, lint.py: ReformatLinter.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Final

from engine_layer_visualize.analysis.reformat_reasons import Reason
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.linting.finding import Finding, described
from engine_layer_visualize.linting.quantisation import QUANTISED, behind
from engine_layer_visualize.linting.reformats import Try, of_kind
from engine_layer_visualize.linting.subject import Subject
from engine_layer_visualize.trt.types import of_combination

RULE: Final = described(__name__, __doc__)


def check(subject: Subject) -> Iterator[Finding]:
    """Yields one finding for all with the same change."""
    advice: Final = Try("let the layers on both sides run in one precision")
    return of_kind(
        subject, RULE, "type", lambda reason: None if _is_choice(subject, reason) else advice
    )


def _is_choice(subject: Subject, reason: Reason) -> bool:
    """Whether all that computes on one side was timed in both types."""
    types = {words.partition(" ")[0] for words in (reason.before, reason.after)}
    layers = subject.engine.layers
    writers = [layers[side.layer] for side in reason.sources if side.layer is not None]
    sides = behind(subject, layers[reason.layer]).readers, writers
    if any(subject.dtype(layer) in QUANTISED for layer in writers) and not types & QUANTISED:
        return True  # what it writes, and whether it can write less, is the kernel's own
    return any(
        near and all(types <= _timed(subject, layer, place) for layer in near)
        for place, near in enumerate(sides)
    )


def _timed(subject: Subject, layer: Layer, place: int) -> set[str]:
    """Returns the types in which the builder timed what a layer reads (place 0) or writes (1)."""
    combinations = (tried.formats or "" for tried in subject.tuned(layer).combinations)
    sides = (of_combination(formats)[place:][:1] for formats in combinations)
    return {words.partition(" ")[0] for side in sides for words in chain(*side)}
