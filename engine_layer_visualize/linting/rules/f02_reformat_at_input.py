"""A reformat stands between an input of the engine and the layers.

**Found**: a layer of type Reformat reads an input of the engine and writes it in another type or
memory format. Also where the log does not have the formats, but no plain copy. Not meant are layers
of the network that run as a Reformat (a Slice, a Cast), fewer than 8 elements that take less
than 1 % of the time, and what writes a part of a concatenation: that has to be copied in any
format. If it quantises its part, only the bytes that it reads get fewer.

**Why it costs**: every inference converts the whole input before the first layer can run.

**What to do**: feed the input in the type and format that its reader takes (`allowed_formats` of
the tensor in the API). Up to TensorRT 10.16 trtexec takes both (`--inputIOFormats=fp16:chw`); from
11 on it takes the format alone (`--inputIOFormats=chw`), and the type is the model's. The advice
has the value: with several inputs it has a part for each, in their order; one part alone is for
all. Some formats exist only inside of an engine; then only the type can be fed, and nothing is said
where it is that already, or the reformat takes less than 5 µs: its launch stays.

**When to leave it**: where the program has the input in its present type and format alone: it would
have to convert it itself, at the same cost.

**Example**:

    Layer(Reformat): Reformatting CopyNode for Input Tensor 0 to conv1, Tactic: 0x3e8,
        x[Float(1,3,8,8)] -> r[Half(1,3,8,8)]

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
    kind: Final = "input"
    return of_kind(subject, RULE, kind, at_end(subject, entry=True))
