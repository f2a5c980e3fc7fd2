"""One ForeignNode is most of the engine, and nothing is known of what it runs.

**Found**: one layer that Myelin compiled takes more than 50 % of the time of all layers or, where
the times are not known, is the only one that runs a kernel besides reformats: not where layers are
missing in the listing. It is made of more than one operator, and neither the listing nor the
profile has rows for its kernels.

**Why it costs**: no hazard inside of it can be seen, so most of the engine is not judged.

**What to do**: with TensorRT 10 or later, build with `--profilingVerbosity=detailed` (the flag is
the same up to 10.16 and from 11 on): then the listing and the profile have its kernels. With
earlier versions, and where it was built so already, `nsys profile` shows them.

**When to leave it**: where the other findings are enough: the finding is about what is not known,
and names no lost time.

**Example**:

    Layer(Myelin): {ForeignNode[/embed/Gather.../head/Add]}, Tactic: 0x0, ids[Int32(1,64)] -> …

**Versions**: 8.0 and later.

**Severity**: hint.

**Sources**: NVIDIA/TensorRT issues 2308, 1925.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from engine_layer_visualize.analysis import trtexec
from engine_layer_visualize.analysis.kinds import is_myelin, is_reformat, runs_kernel
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.core.text import count, milliseconds, percent
from engine_layer_visualize.linting.finding import Finding, described
from engine_layer_visualize.linting.rule import finding, named, record
from engine_layer_visualize.linting.subject import Subject
from engine_layer_visualize.trt.names import parts

RULE: Final = described(__name__, __doc__)
_LEAST_SHARE: Final = 0.5
_LISTS_KERNELS: Final = (10,)  # the first version whose detailed listing has Myelin's kernels
_NSYS: Final = "profile it with `nsys profile`: that shows its kernels"
_DETAILED: Final = (
    "build with --profilingVerbosity=detailed: listing and profile then have its kernels"
)


def check(subject: Subject) -> Iterator[Finding]:
    """Yields at most one finding."""
    if not subject.costs.ranked:
        yield from _alone(subject)
        return
    for layer in subject.layers:
        share = subject.share(layer)
        if (
            share is not None
            and share > _LEAST_SHARE
            and is_myelin(layer)
            and _is_closed(subject, layer)
        ):
            took = f"{milliseconds(subject.ms(layer) or 0.0)}, {percent(share)}"
            share_of = subject.costs.share_of(layer)
            took = f"{took} {subject.of_all if share_of == 'of all' else share_of}"
            evidence = [record(layer, f"{layer.type}: {took}")]
            why = (
                *named([layer]),
                f" takes {took}, and the listing does not name its kernels",
            )
            yield finding(subject, RULE, [layer], why, _advice(subject), evidence)


def _alone(subject: Subject) -> Iterator[Finding]:
    """Yields the finding about an engine whose times are not known."""
    if not subject.engine.source.complete:
        return  # other layers may run, too
    running = [la for la in subject.layers if runs_kernel(la) and not is_reformat(la)]
    if len(running) == 1 and is_myelin(running[0]) and _is_closed(subject, running[0]):
        number = len(subject.reformats)
        but = f" besides {count(number, 'reformat')}" if number else ""
        why = (
            *named(running),
            f" is all that runs{but}, and the listing does not name its kernels",
        )
        yield finding(subject, RULE, running, why, _advice(subject))


def _is_closed(subject: Subject, layer: Layer) -> bool:
    """Whether a layer has several operators, and no kernel of it has its own time."""
    by_kernel = layer.time is not None and layer.time.parts > 1
    return not by_kernel and len(subject.nodes(layer) or parts(layer.name)) != 1


def _advice(subject: Subject) -> str:
    engine = subject.engine
    old = trtexec.is_before(engine, _LISTS_KERNELS)
    if old or trtexec.is_detailed(engine):
        return _NSYS
    return f"with TensorRT 10, {_DETAILED}; else {_NSYS}" if old is None else _DETAILED
