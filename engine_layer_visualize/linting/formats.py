"""Rules about types and formats between layers, and what all rules about reformats share."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain
from typing import Final, Literal, NamedTuple

from engine_layer_visualize.analysis import kinds, work
from engine_layer_visualize.analysis.reformat_reasons import Reason, Side
from engine_layer_visualize.core.limits import by_key
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.core.words import FEW
from engine_layer_visualize.linting.roles import QUANTISED, behind, read_whole
from engine_layer_visualize.linting.rules import Evidence, Finding, finding, named, rule, shared
from engine_layer_visualize.linting.subject import Subject, first_data
from engine_layer_visualize.trt import types, versions

ReformatKind = Literal["input", "output", "type"]
AT_ENDS: Final[tuple[ReformatKind, ...]] = ("input", "output")
_WHERE: Final = {"input": " at inputs", "output": " at outputs", "type": " between layers"}
_STRIDED: Final = " long-strided"  # behind a format combination
_LONE: Final = (
    "let the layer in front compute in 16 bits (trtexec: --layerPrecisions, "
    "--precisionConstraints=obey): it alone is quantised"
)
_NUMBER: Final = re.compile(r"\d{1,3}")  # of a vector's channels: it goes with the type


@rule("F04")
def type_change_inside(subject: Subject) -> Iterator[Finding]:
    """A reformat between two layers changes the data type.

    **Found**: a layer of type Reformat stands between two layers and writes another data type than
    it reads. The network's own nodes that run as a Reformat, such as a Slice or a Cast, do not
    count. Silent where the log has timings of one side in both types: the builder had the
    choice. Silent where a layer in INT8 or FP8 writes one wider type and its reader takes another.
    Silent in networks with Q/DQ, which decide the types.

    **Why it costs**: the tensor is read and written once more, only because two neighbours compute
    in different types. A copy stays where the order changes, too, or in a concatenation: then no
    saving is told.

    **What to do**: let both neighbours run in one precision: the message names them with their
    types. A layer that alone is quantised takes the type of its neighbours.

    **When to leave it**: where the accuracy needs the wider type, or a neighbour is much slower in
    the other one's type.

    **Example**:

        Layer(Reformat): Reformatting CopyNode for Input Tensor 0 to conv2, Tactic: 0x3e8,
            a[Half(1,8,4,4)] -> r[Float(1,8,4,4)]

    **Versions**: all that list reformats.

    **Severity**: hint.

    **Sources**: TREx, lint.py: ReformatLinter.
    """

    def advise(reason: Reason) -> Try | None:
        if _is_choice(subject, reason):
            return None
        if any(is_lone(subject, layer) for layer in beside(subject, reason.sources)):
            return Try(_LONE, None)
        # A part of a concatenation is copied in any case, as is linear → HWC; `C:8` may be CHW8.
        orders = {
            _NUMBER.sub("", words.partition(" ")[2].replace("C:", "CHW"))
            for words in (reason.before, reason.after)
        }
        is_whole = len(orders) == 1 and not reason.in_part
        return Try("let the layers on both sides run in one precision", 1.0 if is_whole else None)

    if not subject.has_qdq:
        yield from by_change(subject, "type", advise)


def beside(subject: Subject, sides: Iterable[Side]) -> list[Layer]:
    """Returns the layers on one side of a reformat, without the engine's inputs and outputs."""
    return [subject.engine.layers[side.layer] for side in sides if side.layer is not None]


def is_lone(subject: Subject, layer: Layer) -> bool:
    """Whether a layer alone is quantised: what it reads and writes is converted for it."""
    if subject.has_qdq:  # the model has it so
        return False
    readers, writers = behind(subject, layer).readers, subject.writers(layer)
    around = {subject.dtype(near) for near in readers}
    around |= {subject.dtype(far) for near in writers for far in subject.writers(near)}
    is_between = bool(readers and writers) and all(map(kinds.is_reformat, writers))
    return is_between and subject.dtype(layer) in QUANTISED and around.isdisjoint(QUANTISED)


def _is_choice(subject: Subject, reason: Reason) -> bool:
    """Whether all that computes on one side was timed in both types."""
    both = {words.partition(" ")[0] for words in (reason.before, reason.after)}
    writers = beside(subject, reason.sources)
    if any(subject.dtype(layer) in QUANTISED for layer in writers) and not both & QUANTISED:
        return True  # what it writes, and whether it can write less, is the kernel's own
    readers = behind(subject, subject.engine.layers[reason.layer]).readers
    return any(
        near and all(both <= _timed(subject, layer, place) for layer in near)
        for place, near in enumerate((readers, writers))
    )


def _timed(subject: Subject, layer: Layer, place: int) -> set[str]:
    """Returns the types in which the builder timed what a layer reads (place 0) or writes (1)."""
    combinations = (tried.formats or "" for tried in subject.tuned(layer).combinations)
    sides = (types.of_combination(formats)[place:][:1] for formats in combinations)
    return {words.partition(" ")[0] for side in sides for words in chain(*side)}


class Try(NamedTuple):
    """What to try about a reformat.

    Attributes:
        advice: the sentence.
        part: the part of the reformat's time that this can save at most; None: unknown.
    """

    advice: str
    part: float | None = 1.0


def reformats(subject: Subject, kind: ReformatKind) -> Sequence[Reason]:
    """Returns the reformats at the engine's inputs, at its outputs, or that change a type inside.

    Left out are those that change nothing, or of which something is unknown, such as who reads them
    or the formats; layers of the network that are no quantiser; and what moves a part of a tensor,
    which has to be put into its place whatever its format, unless it quantises, or all parts can be
    written there in the format that it reads.
    """
    return subject.once(_by_kind).get(kind, ())


def _by_kind(subject: Subject) -> dict[ReformatKind, list[Reason]]:
    every = (subject.reasons.get(layer.index) for layer in subject.reformats)
    known = (reason for reason in every if reason is not None)
    return by_key((kind, reason) for reason in known for kind in _kinds(subject, reason))


def _kinds(subject: Subject, reason: Reason) -> Sequence[ReformatKind]:
    is_placed = reason.sources and reason.targets  # else where it stands is not known
    is_change = "copy" not in reason.changes and "untold" not in reason.changes
    if not is_placed or not is_change or reason.cause in ("network", "cast"):
        return ()
    ends = zip(AT_ENDS, (reason.sources, reason.targets))
    at_ends = [kind for kind, near in ends if any(side.layer is None for side in near)]
    if not at_ends:
        return ("type",) if "type" in reason.changes else ()
    # A part of a concatenation is copied in any case, but need not be quantised.
    quantises = reason.cause == "quantiser" and "type" in reason.changes
    whole = not reason.in_part and reason.cause != "concat"
    whole = whole or (reason.is_builders and _is_written_in_place(subject, reason))
    return at_ends if whole or quantises else ()


def _is_written_in_place(subject: Subject, reason: Reason) -> bool:
    """Whether all that write an output's parts were timed so in the format of the reformat's input.

    A part is written into the place of a larger tensor by strides that are longer than its own.
    """
    if beside(subject, reason.targets):
        return False
    names = {side.tensor for side in reason.targets}
    layers = subject.engine.layers
    parts = {edge.source for edge in subject.edges if edge.target is None and edge.tensor in names}
    writers = {side.layer for side in reason.sources} | (parts - {reason.layer})
    return all(
        index is not None
        and any(
            formats.endswith(_STRIDED)
            and types.of_combination(formats.removesuffix(_STRIDED))[1:] == ((reason.before,),)
            for tried in subject.tuned(layers[index]).combinations
            if (formats := tried.formats)
        )
        for index in writers
    )


def by_change(
    subject: Subject, kind: ReformatKind, advise: Callable[[Reason], Try | None]
) -> Iterator[Finding]:
    """Yields a finding for all reformats of one kind with the same change and the same advice.

    Args:
        subject: the engine.
        kind: the kind.
        advise: gives what to try; None: nothing is said about this reformat.
    """
    groups: dict[tuple[str, str], list[tuple[Reason, Try]]] = defaultdict(list)
    for reason in reformats(subject, kind):
        if (tried := advise(reason)) is not None:
            change = f"{reason.before} → {reason.after}"
            groups[change, tried.advice].append((reason, tried))
    for (change, advice), group in groups.items():
        first = group[0][0]
        layers = [subject.engine.layers[reason.layer] for reason, _ in group]
        times = zip(map(subject.ms, layers), (tried.part for _, tried in group))
        stakes = [ms * part for ms, part in times if ms is not None and part is not None]
        why = first.words
        if len(group) > 1:
            why = (f"{len(group)} reformats{_WHERE[kind]}, {change}: ", *named(layers))
            advice = re.sub("this (input|output)", r"these \1s", advice)
        evidence = [Evidence(change, layer.place.line) for layer in layers[:FEW]]
        yield finding(subject, layers, why, advice, evidence, ms=sum(stakes) if stakes else None)


def without_trtexec(subject: Subject) -> bool:
    """Whether the network is of a frontend whose networks trtexec does not build."""
    return subject.frontend.is_of_program or versions.is_rtx(subject.engine.tensorrt)


_MERGE: Final = "merge or move transpositions in {model} so that they cancel out"
_SEE: Final = "see in {model} which transpositions can go: no edges tell it here"
_OF_PARTS: Final = "in {model}, transpose each tensor once, before it is split"
_UNCANCELLED: Final = frozenset(("DepthToSpace", "SpaceToDepth"))  # no transposition undoes them
_KERNEL: Final = "__myl_Tran"
_TRANSPOSE: Final = "Transpose"
_MOVING: Final = frozenset((_TRANSPOSE, "Reshape", "Shuffle", "Squeeze", "Unsqueeze", "Flatten"))


@rule("F09")
def transpose_share(subject: Subject) -> Iterator[Finding]:
    """Shuffles and transposes take more than 3 % of the engine's time.

    **Found**: Shuffles, Transposes and Myelin kernels that begin with a transposition
    (`__myl_Tran…`) take more than 3 % of the time together. Where each takes less than 10 µs,
    mostly its launch (H07), they count only above 10 %. In times alone, a row counts whose name has
    a Transpose and else only changes of shape.

    **Why it costs**: they compute nothing. They read a tensor and write its elements in another
    order.

    **What to do**: merge or move the transpositions in the model, so that pairs of them cancel out.
    Feed an input, such as a channels-last picture, in the order that the layers behind it take.
    Where several read parts of one tensor, as of an attention's queries, keys and values, transpose
    once in front of the Split.

    **When to leave it**: where the layers on both sides need different orders and no other
    transposition cancels this one.

    **Example**:

        Layer(Shuffle): Transpose_1, Tactic: 0x0, a[Half(1,8,4,4)] -> b[Half(1,4,4,8)]

    **Versions**: all.

    **Severity**: hint.

    **Sources**: NVIDIA, trt-samples-for-hackathon-cn: best practice; NVIDIA/TensorRT issue 3876.
    """
    moves = _transposes if subject.edges else partial(_transposes_by_name, subject)
    found = filter(moves, subject.layers)
    moving = [layer for layer in found if _UNCANCELLED.isdisjoint(subject.operators(layer))]
    every = [layer for layer in moving if subject.ms(layer)]
    took, whole = subject.costs.sum(every) or 0.0, subject.costs.whole or 0.0
    are_many = took > 0.1 * whole  # then those count, too, that are mostly launched
    layers = [layer for layer in every if are_many or (subject.ms(layer) or 0.0) >= 2 * work.LAUNCH]
    # Parts of one tensor do not cancel out. What is not timed moves parts, too.
    parts = [la for la in moving if first_data(la.inputs) and read_whole(subject, la) is None]
    readers = Counter(layer.inputs[0].name for layer in parts)
    told = {layer.index for layer in layers}
    several = sum(la.index in told and readers[la.inputs[0].name] > 1 for la in parts)
    alone = _MERGE if subject.edges else _SEE
    advice = _OF_PARTS if 2 * several > len(layers) else alone
    return shared(subject, layers, 0.03, "shuffle", advice.format(model=subject.frontend.model))


def _transposes(layer: Layer) -> bool:
    of_myelin = layer.name.startswith(_KERNEL) or (layer.kernel or "").startswith(_KERNEL)
    read, written = first_data(layer.inputs), first_data(layer.outputs)
    operators = layer.known.onnx_operators
    if of_myelin and operators and "" not in operators:
        return _TRANSPOSE in operators
    if of_myelin and read and written and read.shape == written.shape:  # or of a memory format
        return any(_TRANSPOSE in name for name in layer.onnx_nodes)
    return of_myelin or layer.type in ("Shuffle", _TRANSPOSE)


def _transposes_by_name(subject: Subject, layer: Layer) -> bool:
    """The same of times alone, where a Shuffle without a Transpose may be TensorRT's own."""
    if layer.type in ("Shuffle", _TRANSPOSE):
        return _TRANSPOSE in layer.name
    operators = () if layer.type else subject.operators(layer)
    by_name = _TRANSPOSE in operators and _MOVING.issuperset(operators)
    return by_name or layer.name.startswith(_KERNEL)
