"""Weights are sparse, and no sparse kernel runs.

**Found**: the log counts layers that could run sparse tactics, those inside of ForeignNodes too,
and says that none was chosen; or a record has `HasSparseWeights: 1` and the kernel's name names no
sparse kernel. Kernels for structured sparsity multiply FP16 and narrower types: silent where the
build allowed FP32 alone, and for a layer that computes in Float and was timed in nothing else.

**Why it costs**: kernels for structured sparsity (two of four weights are zero) skip the zeros. The
weights were pruned for it, and the engine does not use it.

**What to do**: build with `--sparsity=enable` where it is off. The flag is the same up to TensorRT
10.16 and from 11 on. Sparse kernels win where products are large: a large K, a larger batch.

**When to leave it**: where the layers are small: sparse kernels gain nothing there.

**Example**:

    (Sparsity) Found 4 layer(s) eligible to use sparse tactics: conv1, conv2, conv3, conv4
    (Sparsity) Chose 0 layer(s) using sparse tactics:

**Versions**: TensorRT 8 and later; GPUs from compute capability 8.0 on.

**Severity**: hint.

**Sources**: TensorRT documentation: structured sparsity.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from engine_layer_visualize.analysis.higher_precision import allowed_bits, timed_in
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.core.text import count, plural
from engine_layer_visualize.core.words import Words
from engine_layer_visualize.linting.finding import Evidence, Finding, described
from engine_layer_visualize.linting.subject import Subject
from engine_layer_visualize.trt.data_types import bits
from engine_layer_visualize.trt.kernel_names import is_sparse

RULE: Final = described(__name__, __doc__)
_ADVICE: Final = "make the batch larger; small layers gain nothing from it"
_WIDE_BITS: Final = 32
_OFF: Final = "build with --sparsity=enable"


def check(subject: Subject) -> Iterator[Finding]:
    """Yields one finding for the engine, or for the layers whose records say so."""
    if not _has_kernels(subject):
        return
    layers = [layer for layer in subject.multiplying if _is_dense(subject, layer)]
    sparsity, option = subject.facts.sparsity, subject.option("Sparsity")
    evidence = [] if option is None else [Evidence(f"Sparsity: {option.value}", option.line)]
    none = sparsity is not None and bool(sparsity.eligible) and sparsity.chosen == 0
    why: Words
    if sparsity is not None and none:
        able = count(sparsity.eligible or 0, "layer")
        why = f"{able} could run sparse tactics, none was chosen"
        evidence.insert(0, Evidence(f"{able} eligible, 0 chosen", sparsity.line))
    elif layers:
        verb = plural(len(layers), "has", "have")
        why = (*subject.names(layers), f" {verb} sparse weights, but no sparse kernel")
        evidence += [Evidence(f"kernel {la.kernel}", la.place.line) for la in layers[:3]]
    else:
        return
    off = option is not None and option.value.strip().casefold() == "disabled"
    yield subject.finding(RULE, layers, why, _OFF if off else _ADVICE, evidence, part=None)


def _has_kernels(subject: Subject) -> bool:
    """Whether anything but FP32, for which there are no sparse kernels, was allowed or runs."""
    allowed = allowed_bits(subject.facts)
    if allowed is not None and allowed >= _WIDE_BITS:
        return False
    layers = subject.multiplying
    return not layers or any(not _is_wide(subject, layer) for layer in layers)


def _is_wide(subject: Subject, layer: Layer) -> bool:
    """Whether a layer computes in 32 bits, and no narrower type was timed for it."""
    if (bits(subject.dtype(layer)) or 0) < _WIDE_BITS:
        return False
    timed = (timed_in(tried) for tried in subject.tuned(layer).combinations)
    return all((bits(dtype) or _WIDE_BITS) >= _WIDE_BITS for dtype in timed)


def _is_dense(subject: Subject, layer: Layer) -> bool:
    if not layer.kernel or str(subject.attribute(layer, "HasSparseWeights")) not in ("1", "True"):
        return False
    return not is_sparse(layer.kernel) and not _is_wide(subject, layer)
