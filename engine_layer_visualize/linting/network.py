"""Rules about parts of a network that TensorRT cannot see into, or that need not run."""

import re
from collections.abc import Iterator
from typing import Final

from engine_layer_visualize.analysis import kinds, trtexec
from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.core.limits import by_key
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.core.text import base_name, count, plural
from engine_layer_visualize.linting.roles import beyond, is_pointwise, moves_only
from engine_layer_visualize.linting.rules import Finding, finding, named, rule, taken
from engine_layer_visualize.linting.subject import Subject, first_data
from engine_layer_visualize.trt.names import is_concat_copy, is_foreign, parts


@rule("U05")
def one_foreign_node(subject: Subject) -> Iterator[Finding]:
    """ForeignNodes take much of the time, and nothing is known of what they run.

    **Found**: layers that Myelin compiled take more than 25 % of the time. Without times, they are
    half of the layers that run a kernel, reformats apart. Each is made of more than one operator,
    and neither the listing nor the profile has rows for its kernels. Silent where layers are
    missing in the listing.

    **Why it costs**: nothing inside them can be judged.

    **What to do**: with TensorRT 10 or later, build with `--profilingVerbosity=detailed`: then the
    listing and the profile have their kernels. With earlier versions, and where it was built so
    already, `nsys profile` shows them.

    **When to leave it**: where the other findings are enough: this one names no lost time.

    **Example**:

        Layer(Myelin): {ForeignNode[/embed/Gather.../head/Add]}, Tactic: 0x0, ids[Int32(1,64)] -> …

    **Versions**: 8.0 and later.

    **Severity**: hint.

    **Sources**: NVIDIA/TensorRT issues 2308, 1925.
    """
    if not subject.costs.ranked:
        yield from _untimed(subject)
        return
    layers = [la for la in filter(kinds.is_myelin, subject.layers) if _is_closed(subject, la)]
    layers = subject.longest_first(filter(subject.ms, layers))
    if took := taken(subject, layers, 0.25):
        takes = plural(len(layers), " takes", " take")
        why = (*named(layers), f"{takes} {took}, and the listing does not name the kernels")
        yield finding(subject, layers, why, how_to_open(subject))


def _untimed(subject: Subject) -> Iterator[Finding]:
    """Yields the finding about an engine whose times are not known."""
    if not subject.engine.source.complete:
        return  # other layers may run, too
    running = [la for la in subject.layers if kinds.runs_kernel(la) and not kinds.is_reformat(la)]
    closed = [la for la in running if kinds.is_myelin(la) and _is_closed(subject, la)]
    besides = " besides reformats" if subject.reformats else ""
    what = f"{len(closed):,} of {count(len(running), 'layer')} that run a kernel{besides}"
    if len(closed) == len(running):
        what = f"all that runs{besides}"
    if closed and 2 * len(closed) >= len(running):
        why = f": {what}, and the listing does not name the kernels"
        yield finding(subject, closed, (*named(closed), why), how_to_open(subject))


def _is_closed(subject: Subject, layer: Layer) -> bool:
    """Whether a layer has several operators, and no kernel of it has its own time."""
    by_kernel = layer.time is not None and layer.time.parts > 1
    is_one = len(subject.nodes(layer) or parts(layer.name)) == 1
    return not (by_kernel or is_one or kinds.on_dla(layer))  # the DLA runs no kernels


def how_to_open(subject: Subject) -> str:
    """Returns how to see what runs inside a ForeignNode."""
    engine = subject.engine
    # From 10 on a detailed listing has Myelin's kernels.
    if trtexec.is_before(engine, (10,)) or subject.is_before_volta or trtexec.is_detailed(engine):
        return "profile the ForeignNodes with `nsys profile`: it shows their kernels"
    flag = "--profilingVerbosity=detailed" if subject.by_trtexec else "ProfilingVerbosity.DETAILED"
    return f"build with {flag}: TensorRT 10 and later then list the kernels"


@rule("U06")
def plugin(subject: Subject) -> Iterator[Finding]:
    """Plugins take more than 2 % of the time, or need reformats on their sides.

    **Found**: layers of type Plugin, PluginV2 or PluginV3 take more than 2 % of the time, or read
    from or write to a reformat. Those whose names differ only in numbers and modules count
    together. Behind a normalisation its scale counts, too, and the reformats behind that.

    **Why it costs**: TensorRT can neither fuse a plugin with its neighbours nor choose another
    kernel for it. It converts what it reads and writes where the plugin does not take its
    neighbours' format.

    **What to do**: see if your version of TensorRT has the operator itself: many plugins replace
    operators of older versions. Else let the plugin's `supportsFormatCombination` accept the types
    and formats of its neighbours.

    **When to leave it**: where no operator of TensorRT does what the plugin does, and it accepts
    its neighbours' formats.

    **Example**:

        Layer(Reformat): r, Tactic: 0x3e8, a[Half(1,8:8,32,32)] -> b[Float(1,8,32,32)]
        Layer(PluginV2): /neck/Deform, Tactic: 0x0, b[Float(1,8,32,32)] -> y[Float(1,8,32,32)]

    **Versions**: all.

    **Severity**: hint.

    **Sources**: NVIDIA/TensorRT issue 3962.
    """
    plugins = (layer for layer in subject.layers if layer.type.startswith("Plugin"))
    alike = by_key((re.sub(r"\d+", "#", base_name(layer.name)), layer) for layer in plugins)
    for layers in alike.values():
        norm = ("Scale",) if all("InstanceNormalization" in layer.name for layer in layers) else ()
        sides = {
            other.index: other
            for layer in layers
            for near, via in ((subject.writers, ()), (subject.readers, norm))
            for other in beyond(near, layer, ("NoOp", *via))
            if other.type in via or (kinds.is_reformat(other) and not is_concat_copy(other.name))
        }
        if not any(map(kinds.is_reformat, sides.values())):
            sides = {}  # a scale alone
        share = subject.costs.part(layers) if subject.costs.ranked else None
        is_wanted = any("EfficientNMS" in layer.name for layer in layers)  # U08 advises it
        if is_wanted or (not sides and (share or 0.0) <= 0.02):
            continue
        why = [*named(layers), plural(len(layers), " is a plugin", " are plugins")]
        advice = "see if this version of TensorRT has the operator itself"
        if sides:
            scales = " and scales" * any(other.type in norm for other in sides.values())
            what = count(len(sides), "reformat", f"reformats{scales}")
            why.append(f" with {what} on {plural(len(layers), 'its', 'their')} sides")
            advice = (
                "let the plugin accept its neighbours' type and format (supportsFormatCombination)"
            )
        if norm and not (subject.is_before_volta or subject.is_old_jetson):
            advice = "build with TensorRT 10, which normalises without a plugin"
            if trtexec.is_before(subject.engine, (10,)) is False:
                advice = "let TensorRT normalise itself (OnnxParserFlag.NATIVE_INSTANCENORM)"
        yield finding(subject, [*layers, *sides.values()], tuple(why), advice)


# Types that may give other results; those with sizes are named as a whole, a Reshape is none.
_OTHERS: Final = ("random", "fill", "trainstation", "plugin", "shapehost", "shape_call")
_SIZES: Final = frozenset(("Shape", "Size", "ConstantOfShape", "Range", "NonZero"))


@rule("U07")
def constant_work(subject: Subject) -> Iterator[Finding]:
    """A layer computes the same result in every inference.

    **Found**: a layer that runs a kernel and has a time depends on no input of the engine. Without
    times, a ForeignNode depends on none. Silent where the engine's shapes vary: a layer may depend
    on a size. Silent where an input is used only at compile-time, and the log does not have the
    shapes of inputs. Layers that copy sizes (ShapeHostToDevice, …) or make random numbers do not
    count, nor what depends on them.

    **Why it costs**: the result is known at build time.

    **What to do**: fold it before the build; an ONNX model with
    `polygraphy surgeon sanitize --fold-constants model.onnx -o folded.onnx`.

    **When to leave it**: where the result is much larger than its inputs: the engine would hold all
    of it.

    **Example**:

        Layer(Constant): grid, Tactic: 0x0,  -> g[Float(1,64)]
        Layer(Shuffle): /Transpose, Tactic: 0x0, g[Float(1,64)] -> t[Float(64,1)]

    **Versions**: all.

    **Severity**: hint.

    **Sources**: NVIDIA trt-samples-for-hackathon-cn cookbook.
    """
    if all(layer.inputs for layer in subject.layers):
        return
    if subject.engine.graph.jumps or trtexec.inputs_vary(subject.engine):
        return
    if subject.facts.shape_inputs and not subject.facts.inputs:
        return  # an input whose shape is used may vary, and nothing tells
    reached = _reached(subject)
    layers = [la for la in subject.layers if la.index not in reached and _takes_time(subject, la)]
    if layers:
        depend = plural(len(layers), "depends", "depend")
        why = (*named(layers), f" {depend} on no input of the engine")
        advice = f"compute it once, and make the result a constant of {subject.frontend.model}"
        if subject.is_onnx:
            advice = (
                "fold constants before the build: polygraphy surgeon sanitize --fold-constants "
                "model.onnx -o folded.onnx"
            )
        yield finding(subject, layers, why, advice, ms=subject.costs.sum(layers))


def _takes_time(subject: Subject, layer: Layer) -> bool:
    """Whether a kernel has a time; where none has, whether it is several layers of the network."""
    takes = is_foreign(layer.name) if subject.costs.total is None else bool(subject.ms(layer))
    return takes and kinds.runs_kernel(layer)


def _reached(subject: Subject) -> set[int]:
    """Returns the layers that read something that is not known to be constant.

    That is an input, a tensor that nothing writes, or the result of a layer that may vary. They
    may read it over other layers.
    """
    fed = {edge.target for edge in subject.edges if edge.source is None}
    waiting = [la.index for la in subject.layers if la.index in fed or _may_vary(subject, la)]
    reached = set(waiting)
    layers = subject.engine.layers
    while waiting:
        for edge in subject.writes(layers[waiting.pop()]):
            if edge.target is not None and edge.target not in reached:
                reached.add(edge.target)
                waiting.append(edge.target)
    return reached


def _may_vary(subject: Subject, layer: Layer) -> bool:
    """Whether a layer may give different results for the same inputs."""
    kind = layer.type.casefold()
    if layer.raw is not None or "Random" in layer.name or any(word in kind for word in _OTHERS):
        return True
    if layer.type in _SIZES or not _SIZES.isdisjoint(subject.operators(layer)):
        return True
    # Without inputs a layer clears memory, or reads what no record names (-7: a Gather).
    makes = layer.type == "Constant" or is_foreign(layer.name)
    return not layer.inputs and not (layer.outputs and makes)


# Types of layers, what is decided there, and what to do.
_WAITS: Final = (
    (
        kinds.WAITING,
        "sizes depend on data, so the host waits for the device",
        "replace operators with results of unknown size (NonZero) by a TopK or a mask",
    ),
    (
        ("nms", "nonmaxsuppression"),
        "the number of boxes depends on data, so the host waits for the device",
        "replace NonMaxSuppression by the plugin EfficientNMS_TRT: its results have a fixed size",
    ),
    (
        ("shapehosttodevice",),
        "sizes go from the host to the device in every inference",
        "build with static shapes where the sizes of all inputs are known",
    ),
    (
        ("cjmp", "conditional", "if", "loop"),
        "a branch or a loop is decided in every inference",
        "export the model without If and Loop where the branch or the count is known",
    ),
)


@rule("U08")
def host_sync(subject: Subject) -> Iterator[Finding]:
    """Sizes or branches are decided while the engine runs, with the host's help.

    **Found**: layers of type TrainStation, DeviceToShapeHost, NonZero or NMS: sizes depend on data.
    Or ShapeHostToDevice, for sizes that the host computes; or control flow (If, Loop).

    **Why it costs**: where a size depends on data, the host waits for the device before it launches
    the next layer. No CUDA graph can capture the engine. Copies of sizes from the host are cheaper,
    but run in every inference.

    **What to do**: take operators whose results have a fixed size: TopK or a mask for NonZero, the
    plugin EfficientNMS_TRT for NonMaxSuppression. Build with static shapes where all inputs have
    the same size. Export without If and Loop where the branch or the count is known.

    **When to leave it**: where a size has to depend on the data, and has no upper bound.

    **Example**:

        Layer(TrainStation): [trainStation1], Tactic: 0x0000000000000000,  ->

    **Versions**: 8.0 and later.

    **Severity**: hint.

    **Sources**: NVIDIA/TensorRT issue 3585.
    """
    for types, what, advice in _WAITS:
        if layers := [layer for layer in subject.layers if layer.type.casefold() in types]:
            yield finding(subject, layers, (f"{what}: ", *named(layers)), advice)


# Types of layers that only pick, move, scale or pad numbers.
_PREPARING: Final = (
    *("Gather", "Slice", "Padding", "Concat", "Scale", "Cast", "Copy", "Resize", "NoOp"),
)


@rule("U13")
def input_path(subject: Subject) -> Iterator[Finding]:
    """Layers that only prepare an input take more than 2 % of the time.

    **Found**: layers in front of the first convolution, which reads a picture: Gather, Slice,
    Scale, Pad, Concat, Shuffle, pointwise layers, copies. They read nothing but inputs, constants
    and each other's results. They take more than 2 % of the time together, and are not copies
    alone.

    **Why it costs**: each reads and writes the whole input, which is the largest tensor of many
    networks. So does torchvision's `transform_input`, which takes a picture's channels apart to
    scale them.

    **What to do**: hand over an input that is prepared. Or fold a scale and a shift of channels
    into the weights of the first convolution, and a Pad into its padding.

    **When to leave it**: where the program that feeds the engine would take longer for it.

    **Example**:

        Layer(Gather): Gather_1, Tactic: 0x6, x[Float(1,3,224,224)] -> a[Float(1,224,224)]
        Layer(Scale): Mul_3 + Add_5, Tactic: 0x0, a[Float(1,224,224)] -> b[Float(1,224,224)]

    **Versions**: all.

    **Severity**: hint.

    **Sources**: recorded logs.
    """
    first = next(iter(subject.multiplying), None)
    if first is None or subject.operation(first) != "convolution":
        return
    if (read := first_data(first.inputs)) is None or {*read.shape[-2:]} <= {1}:
        return  # no picture is read
    path: dict[int, Layer] = {}
    layers = subject.engine.layers
    for layer in (la for la in subject.layers if la.index < first.index and _prepares(la)):
        writers = {edge.tensor: edge.source for edge in subject.reads(layer)}
        are_fed = all(
            source is None or source in path or layers[source].type == "Constant"
            for source in writers.values()
        )
        # A table that an input picks from is no input. Old listings lack what a Gather reads.
        data = writers.get(layer.inputs[0].name) if layer.inputs else None
        if are_fed and (data is None or data in path):
            path[layer.index] = layer
    feeding = {la.index for la in subject.layers if subject.multiplies(la) or is_foreign(la.name)}
    outputs = subject.costs.once(_outputs)
    for layer in reversed(subject.layers):  # what nothing multiplies is prepared for no convolution
        readers = [*subject.readers(layer)]  # none: its edges are unknown
        if any(reader.index in feeding for reader in readers):
            if layer.index in path or len(subject.computed(layer)) < 2:  # else others join it
                feeding.add(layer.index)
        elif readers or any(one.name in outputs for one in layer.outputs):
            path.pop(layer.index, None)
    found = subject.longest_first(filter(subject.ms, path.values()))
    took = taken(subject, found, 0.02)
    if took and not all(map(kinds.is_reformat, found)):
        why = (*named(found), f" only {plural(len(found), 'prepares', 'prepare')} an input: {took}")
        advice = "feed a prepared input, or fold this into the first convolution"
        yield finding(subject, found, why, advice, ms=subject.costs.sum(found))


def _outputs(costs: Costs) -> frozenset[str]:
    return frozenset(costs.engine.outputs)


def _prepares(layer: Layer) -> bool:
    is_plain = layer.type.startswith(_PREPARING) or is_pointwise(layer) or moves_only(layer)
    return (is_plain and not _changes_layout(layer)) or kinds.is_reformat(layer)


def _changes_layout(layer: Layer) -> bool:
    """Whether it is Myelin's own copy into other strides, of no node of the model."""
    ends = [(one.dtype, one.dims) for one in (*layer.inputs, *layer.outputs)]
    has_strides = all(one.strides for one in (*layer.inputs, *layer.outputs))
    return has_strides and len(ends) == 2 and ends[0] == ends[1] and not layer.known.onnx_nodes
