"""Knows the formats of tensors: completes a listing's layers, and tells whose a timing is.

A reformat that a listing hides is added only if it is read, no listed layer writes it, and a line
`Adding reformat layer` explains it. Of several timings of a tactic those of the formats that a
layer runs in are the layer's; several are left where the log does not tell the formats.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any, Final, NamedTuple, TypeAlias

from engine_layer_visualize.assembly.listings import Reading
from engine_layer_visualize.core.limits import lazy
from engine_layer_visualize.core.model import Layer, Tensor
from engine_layer_visualize.core.problems import Place
from engine_layer_visualize.io.source import Source, decode
from engine_layer_visualize.reading.build_context import BuildContext, Reformat
from engine_layer_visualize.reading.tactics import Timed
from engine_layer_visualize.trt.names import COPY, REFORMATTED
from engine_layer_visualize.trt.types import dtype_and_strides, split

# e.g. (8-) Reformatted Input Tensor 0 to conv1
_NAME: Final = lazy(REFORMATTED + r"(Input|Output) Tensor (\d+) to (.*)", re.DOTALL)
# e.g. (7) conv1 reformatted input 0
# e.g. (7) conv1 output to be reformatted 0
_OF_7: Final = lazy(r" (?:reformatted (input)|(output) to be reformatted)(?= \d{1,6}\Z)")
_REFORMATS: Final = ("Reformat", "NoOp", "MyelinReformat")


def completed(context: BuildContext, reading: Reading, source: Source) -> list[Layer]:
    """The layers of an engine."""
    tactics = {layer.tactic for layer in reading.layers if layer.tactic and layer.kernel is None}
    if context.skipped and context.kernels.lacks(tactics):
        context.look_again(source)
    layers = _with_hidden(reading.layers, context.reformats, source.name)
    return [
        layer._replace(kernel=kernel)
        if layer.tactic is not None
        and layer.kernel is None
        and (kernel := context.kernels.of(layer.name, layer.tactic)) is not None
        else layer
        for layer in layers
    ]


def _with_hidden(layers: Sequence[Layer], added: Mapping[str, Reformat], file: str) -> list[Layer]:
    """The layers with those reformats in their places that a listing hides, renumbered."""
    if not added:
        return list(layers)
    left = {_ends(reformat)[1]: reformat for reformat in added.values()}
    # By name what is written first.
    writers = {t.name: t for layer in reversed(layers) for t in reversed(layer.outputs)}
    result: list[Layer] = []
    for layer in layers:
        for tensor in layer.inputs:
            if tensor.name not in writers and (reformat := left.pop(tensor.name, None)):
                result.append(_hidden(reformat, tensor, writers, file))
        result.append(_annotated(layer, added))
    if len(result) == len(layers):  # nothing was put in
        return result
    return [layer._replace(index=index) for index, layer in enumerate(result)]


def _ends(reformat: Reformat) -> tuple[str, str]:
    """What is read and what is written: inputs are reformatted before a layer, outputs after."""
    old = _OF_7.search(reformat.name)
    if reformat.name.startswith(REFORMATTED + "Output ") or (old is not None and old[2]):
        return reformat.name, reformat.tensor
    return reformat.tensor, reformat.name


def _hidden(reformat: Reformat, result: Tensor, writers: Mapping[str, Tensor], file: str) -> Layer:
    """The layer of a reformat that writes `result`. `writers`: the tensors that layers write."""
    source, _ = _ends(reformat)
    written = writers.get(source, result)
    read = Tensor(source, reformat.source.partition("(")[0], written.dims, written.shape)
    return Layer(
        index=0,
        place=Place(file, reformat.line),
        type="Reformat",
        name=_listed_name(reformat),
        tactic=None,
        inputs=(read,),
        outputs=(result,),
        attributes=_strides(reformat),
        listed=False,
    )


def _listed_name(reformat: Reformat) -> str:
    """What TensorRT calls the reformat where it lists it."""
    if match := _NAME.fullmatch(reformat.name):
        return f"{COPY}{match[1]} Tensor {match[2]} to {match[3]}"
    return _OF_7.sub(lambda old: f" {old[1] or old[2]} reformatter", reformat.name)


def _annotated(layer: Layer, reformats: Mapping[str, Reformat]) -> Layer:
    tensors = (*layer.outputs, *layer.inputs) if layer.type in _REFORMATS else ()
    for reformat in (reformats[t.name] for t in tensors if t.name in reformats):
        # The engine may list another tensor than the network's: one of which that is a part.
        written = {output.name for output in layer.outputs}
        if layer.name == _listed_name(reformat) or _ends(reformat)[1] in written:
            return layer._replace(attributes=(*layer.attributes, *_strides(reformat)))
    return layer


def _strides(reformat: Reformat) -> tuple[tuple[str, str], ...]:
    ends, old = (reformat.source, reformat.target), _OF_7.search(reformat.name)
    if old is not None and old[2]:  # TensorRT 7 prints first what an output becomes
        ends = ends[::-1]
    return tuple(zip(("ReformatFrom", "ReformatTo"), ends))


# ---- which of several timings is a layer's -----------------------------------------------------

# A dtype, and the strides that are 1 or of vectors (`1:8` in `Half(64,1:8,8,1)`): for each its
# place, whether it is 1, and the vector's size as text.
Layout: TypeAlias = tuple[str, tuple[tuple[int, bool, str], ...]]

# Behind the strides of a tensor that is a part of a larger one, since TensorRT 8.6.
_LONG: Final = " long-strided"
_ROUNDS: Final = 4  # along a chain of layers whose formats are in doubt


class Option(NamedTuple):
    """A timing of the layer's tactic. `formats`: as printed."""

    formats: str
    chosen: Timed
    measured_on: str | None = None  # whose it is, where it is an equal layer's


def settle(
    layers: Sequence[Layer],
    options: Mapping[int, Sequence[Option]],
    ends: Mapping[str, Iterable[str]],
) -> dict[int, list[Option]]:
    """Keeps the options of each layer that are of its types, its implementation and its layouts.

    A tensor has one layout: what a reformat, or the layer that writes it, may give it must be what
    its readers take. `ends`: the formats that inputs and outputs of the network may have.
    """
    words = _words_of_reformats(layers)
    known = {name: frozenset(filter(None, map(_layout, some))) for name, some in ends.items()}
    for name, text in words.items():
        if layout := _layout(text):
            known[name] = frozenset((layout,))
    parts = _parts(layers)
    left: dict[int, list[Option]] = {}
    for index, some in options.items():
        layer = layers[index]
        typed = [
            option
            for option in some
            if all(t.dtype in (None, layout[0]) for t, layout in _tensors(layer, option.formats))
        ]
        if typed:
            left[index] = _least(typed, partial(_strangeness, layer, words, parts))
    for _ in range(_ROUNDS):
        before = dict(known)
        for index in left:
            left[index] = _narrowed(layers[index], left[index], known)
        if known == before:
            break
    return left


def _least(options: Sequence[Option], cost: Callable[[Option], Any]) -> list[Option]:
    """The options that cost least."""
    costs = list(map(cost, options))
    least = min(costs)
    return [option for option, each in zip(options, costs) if each == least]


def _words_of_reformats(layers: Iterable[Layer]) -> dict[str, str]:
    """The formats, as printed, of tensors that reformats read and write, by the tensor's name."""
    words: dict[str, str] = {}
    for layer in layers:
        attributes = dict(layer.attributes)
        for tensors, key in ((layer.inputs, "ReformatFrom"), (layer.outputs, "ReformatTo")):
            if key in attributes:
                words.update((tensor.name, str(attributes[key])) for tensor in tensors)
    return words


def _parts(layers: Sequence[Layer]) -> frozenset[Tensor]:
    """The tensors that are listed with more elements elsewhere: these are parts of them."""
    most: dict[str, int] = {}
    each = [tensor for layer in layers for tensor in (*layer.inputs, *layer.outputs)]
    for tensor in each:
        most[tensor.name] = max(most.get(tensor.name, 0), tensor.elements or 0)
    return frozenset(tensor for tensor in each if (tensor.elements or 0) < most[tensor.name])


def _strangeness(
    layer: Layer, words: Mapping[str, str], parts: frozenset[Tensor], option: Option
) -> tuple[int, bool, int]:
    """How little an option fits: what a reformat beside the layer prints, runner, parts.

    `words`: of reformats; `parts`: tensors that are parts of others.
    """
    both = zip((layer.inputs, layer.outputs), _sides(option.formats))
    pairs = [pair for tensors, side in both for pair in zip(tensors, side)]
    printed = [(tensor, text) for tensor, (text, _) in pairs]
    return (
        -sum(words.get(tensor.name) == text for tensor, text in printed),
        decode(option.chosen.runner) != layer.type,
        sum(text.endswith(_LONG) != (tensor in parts) for tensor, text in printed),
    )


def _narrowed(
    layer: Layer, options: list[Option], known: dict[str, frozenset[Layout]]
) -> list[Option]:
    """The options that contradict least of what is known; `known` is narrowed by them in turn."""

    def contradictions(option: Option) -> int:
        ends = _tensors(layer, option.formats)
        return sum(layout not in known.get(tensor.name, (layout,)) for tensor, layout in ends)

    if len(options) > 1:
        options = _least(options, contradictions)
    possible: dict[str, set[Layout]] = {}
    for option in options:
        for tensor, layout in _tensors(layer, option.formats):
            possible.setdefault(tensor.name, set()).add(layout)
    for name, layouts in possible.items():
        known[name] = known.get(name, frozenset(layouts)) & layouts or frozenset(layouts)
    return options


def _tensors(layer: Layer, formats: str) -> Iterator[tuple[Tensor, Layout]]:
    """The layer's tensors with the layouts that the formats give them."""
    for tensors, side in zip((layer.inputs, layer.outputs), _sides(formats)):
        for tensor, (_, layout) in zip(tensors, side) if len(tensors) == len(side) else ():
            if layout is not None:
                yield tensor, layout


@lru_cache(maxsize=1024)
def _sides(formats: str) -> list[list[tuple[str, Layout | None]]]:
    """What is read and what is written, in words and as layouts: `Half(8,1) -> Half(8,1)`."""
    read, _, written = formats.partition(" where ")[0].partition(" -> ")
    return [[(text.strip(), _layout(text)) for text in split(side)] for side in (read, written)]


def _layout(strides: str) -> Layout | None:
    """`Half(64,1:8,8,1)` as a Layout; None where it is something else."""
    parts = dtype_and_strides(strides.strip().removesuffix(_LONG))
    if parts is None:
        return None
    steps = []
    for place, stride in enumerate(parts[1]):
        step, _, vector = stride.partition(":")
        if step == "1" or vector:
            steps.append((place, step == "1", vector))
    return parts[0], tuple(steps)
