"""Finds the extents of the convolution or the matrix product that a layer computes.

From its record: the parameters of a detailed listing, else the dims of the tensors; what these do
not tell, from the log's ONNX lines. A negative dim (symbolic, or -1) is an unknown extent; what
else is unknown is None, too.
"""

from typing import Final, NamedTuple

from engine_layer_visualize.analysis import sizes
from engine_layer_visualize.analysis.kinds import is_myelin, operation_of
from engine_layer_visualize.core.limits import product
from engine_layer_visualize.core.model import Layer, Tensor
from engine_layer_visualize.core.onnx_model import OnnxProduct
from engine_layer_visualize.trt.names import parts
from engine_layer_visualize.trt.operators import operators


class Channels(NamedTuple):
    """What alignment is about; None: unknown."""

    read: int | None  # C, or K of a product
    written: int | None  # K, or N of a product
    groups: int | None
    rows: int | None  # N·P·Q, or M of all batches


_PRODUCTS: Final = frozenset(("Fully Connected", "Matrix Multiply", "Gemm", "MatMul"))
_CONVERTED: Final = (" from FULLY_CONNECTED to CONVOLUTION", " from MATRIX_MULTIPLY to CONVOLUTION")
_KERNEL_NODES: Final = 64  # nodes of one kernel; side by side are a dozen
NO_SIZES: Final = "a convolution or a product, and without a listing its sizes are not read"
NO_KERNEL: Final = "the listing gives no kernel size"


def of(layer: Layer) -> sizes.Extents | None:
    """The extents of a layer; None where it is neither a convolution nor a matrix product."""
    told = _of_record(layer)
    if told is not None and not layer.inputs and not layer.outputs:
        return sizes.Unknown(NO_SIZES)
    if isinstance(told, sizes.Unknown):
        return _by_nodes(layer) or told
    if isinstance(told, sizes.Convolution) and told.kernel is None:
        return _by_nodes(layer) or _of_product(layer, told) or told
    return told


def _of_record(layer: Layer) -> sizes.Extents | None:
    operation = operation_of(layer)
    if operation == "product":
        return _fully_connected(layer) or _product(layer)
    if operation in ("convolution", "deconvolution"):
        return _convolution(layer, operation == "deconvolution")
    if fused := sizes.multiplied(layer):
        return _product(layer) if fused == "product" else _correlation(layer, False)
    return _summed(layer) if sizes.sums_products(layer) else None


def channels(multiplied: sizes.Extents | None) -> Channels | None:
    """The channels of what a layer multiplies.

    They are None where it is neither a convolution nor a product, or nothing is known of it.
    """
    if isinstance(multiplied, sizes.Convolution):
        rows = product((multiplied.batch, *multiplied.after))
        return Channels(multiplied.channels, multiplied.filters, multiplied.groups, rows)
    if isinstance(multiplied, sizes.Product):
        return Channels(multiplied.k, multiplied.n, 1, product((multiplied.batch, multiplied.m)))
    return None


# ---- convolutions --------------------------------------------------------------------------------


def _convolution(layer: Layer, transposed: bool) -> sizes.Convolution | sizes.Unknown:
    """A convolution by its parameters; a `ConvActPool` has them with the prefix `Conv`."""
    known = dict(layer.attributes)
    prefix = "Conv" if "ConvKernel" in known else ""
    kernel = sizes.ints(known.get(f"{prefix}Kernel"))
    if kernel is None:
        listed = layer.type in ("correlation", "deconv")
        return _correlation(layer, transposed) if listed else _classic(layer, transposed)
    keys = ("Stride", "PrePadding", "PostPadding", "Dilation")
    stride, pre, post, dilation = (sizes.ints(known.get(prefix + key)) for key in keys)
    filters, groups = (sizes.integer(known.get(prefix + key)) for key in ("OutMaps", "Groups"))
    rank, weights = len(kernel), sizes.stored(known.get(f"{prefix}Weights"))
    each = product((filters or 0, *kernel))
    of_filter = weights[1] * (groups or 1) // each if weights and each else None
    place = _convolved(layer, rank, of_filter)
    if place is None:
        return sizes.Unknown(f"no input has N, C and {rank} spatial extents")
    batch, read, *before = sizes.of_shape(layer.inputs[place].shape)
    convolution = sizes.Convolution(
        batch, read, filters, groups, tuple(before), (None,) * rank, kernel, stride,
        None if pre is None or post is None else (pre, post), dilation, transposed, place,
    )  # fmt: skip
    if filters is None or not groups or (read is not None and read % groups) or filters % groups:
        return sizes.Unknown("its channels and groups do not fit together")
    computed = _after(convolution, str(known.get(f"{prefix}PaddingMode")))
    written = None if prefix else _written(layer, rank, filters)
    ends = zip(written or (), computed or ())
    if any(None not in pair and pair[0] != pair[1] for pair in ends):
        return sizes.Unknown("its output has other extents than its parameters give")
    return convolution._replace(after=written or computed or convolution.after)


def _of_product(layer: Layer, convolution: sizes.Convolution) -> sizes.Convolution | None:
    """The convolution that the builder made of one matrix product: its kernel needs no listing.

    It covers all places of the input, which one place of the output sums, or one place each.
    """
    if not _was_product(layer) or convolution.transposed:
        return None
    kernel = [extent or 0 for extent in convolution.before]
    if convolution.before == convolution.after:
        kernel = [1] * len(kernel)
    if min(kernel, default=0) < 1 or (max(kernel) > 1 and set(convolution.after) != {1}):
        return None
    return convolution._replace(kernel=tuple(kernel), groups=1)


def _was_product(layer: Layer) -> bool:
    """Whether its name, or the builder's steps, say that it was one product."""
    kinds = [kind for part in parts(layer.name) for kind in operators(part)]
    multiplying = [kind for kind in kinds if kind in _PRODUCTS or "onv" in kind]
    if multiplying:
        return len(multiplying) == 1 and multiplying[0] in _PRODUCTS
    return sum(step.text.endswith(_CONVERTED) for step in layer.known.fused_from) == 1


def _convolved(layer: Layer, rank: int, weights: int | None) -> int | None:
    """The number of the input that is convolved.

    It is told by its rank and, where several have that, by its channels. `weights` is the number of
    weights of one filter and of one place, for all groups: the channels.
    """
    shapes = [(place, one.shape) for place, one in enumerate(layer.inputs) if sizes.is_data(one)]
    fit = [(shape[1] != weights, place) for place, shape in shapes if len(shape) == rank + 2]
    return min(fit)[1] if fit else None


def _written(layer: Layer, rank: int, filters: int) -> sizes.Sizes | None:
    """The spatial extents of the first output that has all filters."""
    fit = (one.shape for one in layer.outputs if len(one.shape) == rank + 2)
    return next((sizes.of_shape(shape)[2:] for shape in fit if shape[1] == filters), None)


def _after(convolution: sizes.Convolution, mode: str) -> sizes.Sizes | None:
    """The spatial extents that a convolution's parameters give; None where they do not say."""
    stride, padding, kernel = convolution.stride, convolution.padding, convolution.kernel or ()
    if stride is None or padding is None or convolution.transposed:
        return None
    rank, dilation = len(kernel), convolution.dilation
    if {len(stride), *map(len, padding), len(convolution.before)} != {rank}:
        return None
    if not dilation or len(dilation) != rank:
        dilation = (1,) * rank
    after: list[int | None] = []
    for extent, wide, step, pre, post, gap in zip(
        convolution.before, kernel, stride, *padding, dilation
    ):
        if extent is None or step < 1:
            after.append(None)
        elif "SAME" in mode:
            after.append(-(-extent // step))
        else:
            free = extent + pre + post - gap * (wide - 1) - 1
            steps = -(-free // step) if "ROUND_UP" in mode else free // step
            after.append(max(0, steps + 1))
    return tuple(after)


def _classic(layer: Layer, transposed: bool) -> sizes.Convolution | sizes.Unknown:
    """A convolution by the tensors alone: N, C, K and the spatial extents."""
    read = next((tensor for tensor in layer.inputs if sizes.is_data(tensor)), None)
    written = layer.outputs[0] if layer.outputs else None
    if read is None or written is None or not 4 <= len(read.shape) == len(written.shape) <= 5:
        return sizes.Unknown(NO_KERNEL)
    return _by_shapes(read.shape, written.shape, transposed)


def _by_shapes(read: sizes.Ints, written: sizes.Ints, transposed: bool) -> sizes.Convolution:
    batch, channels, *before = sizes.of_shape(read)
    _, filters, *after = sizes.of_shape(written)
    ends = tuple(before), tuple(after)
    return sizes.Convolution(batch, channels, filters, None, *ends, transposed=transposed)


def _correlation(layer: Layer, transposed: bool) -> sizes.Convolution | sizes.Unknown:
    """Myelin's convolutions list their weights as a constant, or as an input."""
    if not layer.inputs or not layer.outputs:
        return sizes.Unknown("its record has no tensors")
    data, out = layer.inputs[0], layer.outputs[0]
    rank = len(data.shape)
    if rank < 3 or len(out.shape) != rank:
        return sizes.Unknown("its record does not give the extents of a convolution")
    convolution = _by_shapes(data.shape, out.shape, transposed)
    read, filters = convolution.channels, convolution.filters
    for tensor in (*layer.inputs[1:], *sizes.constants(layer)):
        if len(tensor.shape) != rank or min(tensor.shape) < 1 or not read or not filters:
            continue
        major, minor, *kernel = tensor.shape
        outer, inner = (read, filters) if transposed else (filters, read)
        if major == outer and inner % minor == 0:
            return convolution._replace(groups=inner // minor, kernel=tuple(kernel))
    return sizes.Unknown("its record does not list its weights")


# ---- convolutions, by the log's ONNX lines -------------------------------------------------------


def _by_nodes(layer: Layer) -> sizes.Convolution | None:
    """The convolution that a layer is, by the lines of its ONNX nodes.

    Convolutions of one input and one kernel size that are fused side by side are one.
    """
    nodes = layer.known.products
    are_told = all(node.operator.startswith("Conv") and len(node.shapes) == 3 for node in nodes)
    if not 0 < len(nodes) <= _KERNEL_NODES or not are_told or is_myelin(layer) or not layer.outputs:
        return None
    known = [one for node in nodes if (one := _of_node(layer, node)) is not None]
    shapes = (_with_batch(nodes[0].shapes[2], tensor) for tensor in layer.outputs)
    written = [shape[1] for shape in shapes if len(shape) > 1]
    filters = sum(convolution.filters or 0 for convolution in known)
    if len(known) < len(nodes) or filters not in (*written, sum(written)):
        return None
    together = {convolution._replace(filters=filters) for convolution in known}
    are_one = len(together) == 1 and (len(known) == 1 or known[0].groups == 1)
    return together.pop() if are_one else None


def _of_node(layer: Layer, node: OnnxProduct) -> sizes.Convolution | None:
    data, weights, out = node.shapes
    if not len(data) == len(weights) == len(out) > 2 or min(weights) < 1:
        return None
    transposed = node.operator == "ConvTranspose"
    channels, filters, kernel = data[1], out[1], weights[2:]
    outer, inner = (channels, filters) if transposed else (filters, channels)
    groups, rest = divmod(inner, weights[1])
    if outer != weights[0] or rest or groups < 1 or outer % groups:
        return None
    operators = layer.known.onnx_operators
    pooled = any("Pool" in word for word in (layer.type, *operators))  # so is the record's output
    after = sizes.of_shape(out[2:]) if pooled else _spatial(out, layer.outputs[0])
    for place, tensor in enumerate(layer.inputs):
        shape = _with_batch(data, tensor)
        if sizes.is_data(tensor) and shape[1:2] == (channels,):
            before = _spatial(data, tensor)
            if before is not None and after is not None:
                batch = sizes.of_extent(shape[0])
                return sizes.Convolution(
                    batch, channels, filters, groups, before, after, kernel,
                    transposed=transposed, input=place,
                )  # fmt: skip
    return None


def _with_batch(told: sizes.Ints, tensor: Tensor) -> sizes.Ints:
    """The layer's extents; up to TensorRT 7.1 a listing leaves the batch out."""
    return told[: max(0, len(told) - len(tensor.shape))] + tensor.shape


def _spatial(told: sizes.Ints, tensor: Tensor) -> sizes.Sizes | None:
    """The spatial extents of a tensor of the node; None where the layer's tensor has others.

    TensorRT adds an axis of 1 to a single one.
    """
    ours, theirs = told[2:], _with_batch(told, tensor)[2:]
    if len(ours) == len(theirs):
        agree = all(min(pair) < 0 or pair[0] == pair[1] for pair in zip(ours, theirs))
        return sizes.of_shape(theirs) if agree else None
    return sizes.of_shape(ours) if sorted((*ours, 1)) == sorted(theirs) else None


# ---- matrix products -----------------------------------------------------------------------------


def _fully_connected(layer: Layer) -> sizes.Product | None:
    """A product by TensorRT's own operator, which flattens the last three extents.

    With three alone the batch is implicit: no listing says how large it is.
    """
    if "FullyConnected" not in layer.type or not layer.inputs or not layer.outputs:
        return None
    read, written = sizes.of_shape(layer.inputs[0].shape), sizes.of_shape(layer.outputs[0].shape)
    if len(read) < 3 or len(written) != len(read) or written[-2:] != (1, 1):
        return None
    rows = product(written[:-3]) if len(written) > 3 else None
    return sizes.Product(1, rows, written[-3], product(read[-3:]))


def _product(layer: Layer) -> sizes.Product | sizes.Unknown:
    """A product by the last two extents of its tensors: the two that are no M and no N are K."""
    fit = [(at, one.shape) for at, one in enumerate(layer.inputs) if len(one.shape) > 1]
    if not fit or not layer.outputs or len(layer.outputs[0].shape) < 2:
        return sizes.Unknown("its record does not give the extents of a product")
    (first, one), *others = fit
    out = layer.outputs[0].shape
    batch = product(map(sizes.of_extent, out[:-2]))
    weights = [sorted(constant.shape[-2:]) for constant in sizes.constants(layer)]
    unsure = None
    for m, n in (out[-2:], out[:-3:-1]):  # the second: it may be written transposed
        if m not in one[-2:]:
            continue
        k = one[-1] if one[-2] == m else one[-2]
        if not _covers(one, out, n, k):
            continue
        second = [at for at, shape in others if sorted(shape[-2:]) == sorted((k, n))]
        found = sizes.Product(
            batch, sizes.of_extent(m), sizes.of_extent(n), sizes.of_extent(k), (first, *second[:1])
        )
        if second or sorted((k, n)) in weights:
            return found
        # the others may be added to the output
        if all(a in (1, b) for _, shape in others for a, b in zip(shape[::-1], out[::-1])):
            unsure = unsure or found
    return unsure or sizes.Unknown("its tensors do not have the extents of one product")


def _covers(shape: sizes.Ints, out: sizes.Ints, n: int, k: int) -> bool:
    """Whether the first factor has the rows of the output, or fewer, that are used again."""
    elements, whole = product(shape), product(out)
    if elements is None or whole is None or min(shape) < 1 or min(out) < 1:
        return len(shape) == len(out)
    return whole // n % (elements // k) == 0


def _summed(layer: Layer) -> sizes.Product | sizes.Unknown | None:
    """By its ONNX nodes: one product, or none; else it is unknown."""
    nodes = sizes.multiplying_nodes_of(layer)
    if nodes in (["Gemm"], ["MatMul"]):
        return _product(layer)
    if sizes.operators_of(layer) and not nodes:
        return None
    return sizes.Unknown("its name lists a multiplication and a sum, which may be a matrix product")
