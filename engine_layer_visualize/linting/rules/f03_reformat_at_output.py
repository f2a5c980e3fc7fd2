"""A reformat stands between the layers and an output of the engine.

**Found**: a layer of type Reformat writes an output of the engine, in another type or memory
format than its writer's; or it changes the type in front of a NoOp that hands the output on. Also
where the log does not have the formats, but no plain copy. Not meant are layers of the network that
run as a Reformat (a Slice, a Cast), fewer than 8 elements that take less than 1 % of the time,
and what writes a part of the output, unless the log has timings of the writers of all parts that
write them in place in that type and format.

**Why it costs**: every inference converts the whole output after the last layer.

**What to do**: take the output in the type and format that its writer gives (`allowed_formats` of
the tensor in the API). Up to TensorRT 10.16 trtexec takes both (`--outputIOFormats=fp16:chw`); from
11 on it takes the format alone (`--outputIOFormats=chw`), and the type is the model's. The advice
has the value: with several outputs it has a part for each, in the network's order, where the log
has that; one part alone is for all.

**When to leave it**: where the program needs the output in its present type and format: it would
have to convert it itself, at the same cost. And where the format pads channels and the program
copies the output to the host: the padding is copied, too, which may take longer than the reformat.
Where trtexec copied the outputs, no time is at stake for such a format.

**Example**:

    Layer(Reformat): Reformatting CopyNode for Output Tensor 0 to conv9, Tactic: 0x3e8,
        r[Half(1,8,4,4)] -> y[Float(1,8,4,4)]

**Versions**: all that list reformats.

**Severity**: hint.

**Sources**: NVIDIA/TensorRT issues 2921, 2136, 3976; TensorRT documentation: reformat-free network
I/O.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from engine_layer_visualize.linting.finding import Finding, described
from engine_layer_visualize.linting.reformats import at_end, of_kind
from engine_layer_visualize.linting.subject import Subject

RULE: Final = described(__name__, __doc__)


def check(subject: Subject) -> Iterator[Finding]:
    """Yields one finding for all with the same change."""
    kind: Final = "output"
    return of_kind(subject, RULE, kind, at_end(subject, entry=False))
