"""Holds the ONNX graph of a model, and finds what of it lies between given tensors.

These are the nodes on every path from tensors to tensors. Nothing is found where the log does not
have all of the graph.
"""

from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache
from typing import Final

from engine_layer_visualize.core.limits import EXTENTS, MODEL_STEPS, lazy
from engine_layer_visualize.core.onnx_model import OnnxProduct, Shape
from engine_layer_visualize.trt.operators import PRODUCTS


class Node:
    """A node of the model.

    `outer`: what the nodes inside of it read that none of them makes. `parent`: the If or Loop that
    it is inside of, None: of no other. `dims`: the extents of a product's first two inputs and of
    its output, as printed; fewer where they are not told for certain.
    """

    __slots__ = ("dims", "inputs", "line", "name", "operator", "outer", "outputs", "parent")

    def __init__(self, name: str, operator: str, line: int) -> None:
        self.name = name
        self.operator = operator
        self.line = line
        self.inputs: list[str] = []
        self.outputs: list[str] = []
        self.outer: list[str] = []
        self.parent: int | None = None
        self.dims: tuple[str, ...] = ()


class OnnxGraph:
    """Nodes in the order in which they were parsed. A node's number is its place in that order.

    `layers`: TensorRT's layers, each with the number of its node; `tensors`: TensorRT's name of a
    tensor -> the model's; `types`: of the model's tensors, as printed, but of those inside of an If
    or a Loop; `whole`: whether nothing was left out. `of_file`: the nodes are a file's, and not
    what the parser printed.
    """

    of_file = False

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.layers: dict[str, int] = {}
        self.tensors: dict[str, str] = {}
        self.initializers: set[str] = set()
        self.types: dict[str, str] = {}
        self.whole = True
        self._steps = 0
        self._ready = -1  # how many nodes `_prepare` has seen

    def __bool__(self) -> bool:
        return bool(self.nodes)

    def number(self, name: str) -> int | None:
        """The number of the node of that name; None where there is none."""
        self._prepare()
        return self._numbers.get(name)

    def certain(self, name: str) -> int | None:
        """The number of the only node of that name; None where an If or a Loop holds the node."""
        number = self.number(name)
        inside = number is not None and self.nodes[number].parent is not None
        return None if inside or name in self._twice else number

    def meant(self, name: str) -> int | None:
        """The node that a word of a ForeignNode's name means: a layer's, a node's, a tensor's.

        None for a weight and for an unknown word.
        """
        number = self.layers.get(name)
        if number is None and name not in self.initializers:
            number = self.number(name)
            number = self.maker(name) if number is None else number
        return number if number is not None and self._runs(number) else None

    def product(self, number: int) -> OnnxProduct | None:
        """The node, where it multiplies matrices.

        Its extents are left out where the name is another node's, too, where an If or a Loop
        decides how often it runs, and where it may be computed at build time.
        """
        node = self.nodes[number]
        if node.operator not in PRODUCTS:
            return None
        self._prepare()
        certain = len(node.dims) == 3 and node.parent is None and node.name not in self._twice
        if not certain or self._fixed.issuperset(node.inputs):
            return OnnxProduct(node.name, node.operator)
        shapes = tuple(shape for dims in node.dims if (shape := _shape(dims)) is not None)
        return OnnxProduct(node.name, node.operator, shapes if len(shapes) == 3 else ())

    def bias_of(self, product: str) -> str | None:
        """The addition of a constant that alone reads what a product gives; None: there is none."""
        number = self.certain(product)
        if number is None or self.nodes[number].operator not in PRODUCTS:
            return None
        outputs = self.nodes[number].outputs
        readers = [one for name in outputs for one in self._readers.get(name, ())]
        added = self.nodes[readers[0]] if len(readers) == 1 else None
        is_bias = added and added.operator == "Add" and not self._fixed.isdisjoint(added.inputs)
        return added.name if added and is_bias else None

    def maker(self, tensor: str) -> int | None:
        """The node that writes a tensor; None where none does."""
        self._prepare()
        return self._made.get(tensor)

    def knows(self, tensor: str) -> bool:
        """Whether a node writes or reads the tensor."""
        self._prepare()
        return tensor in self._made or tensor in self._readers

    def is_constant(self, node: str) -> bool:
        """Whether it is an initializer or a Constant, or the tensor that a Constant gives."""
        number = self.number(node)
        if number is None:
            number = self.maker(node)
        return node in self.initializers if number is None else not self._runs(number)

    def _prepare(self) -> None:
        """Indexes the nodes, where more were parsed since it was last called."""
        if self._ready == len(self.nodes):
            return
        self._ready = len(self.nodes)
        self._numbers: dict[str, int] = {}
        self._made: dict[str, int] = {}
        self._readers: dict[str, list[int]] = {}
        self._children: dict[int, list[int]] = {}
        self._twice: set[str] = set()  # names of several nodes
        self._fixed = set(self.initializers)  # tensors that depend on no input's data
        for number, node in enumerate(self.nodes):
            if node.name in self._numbers:
                self._twice.add(node.name)
            self._numbers[node.name] = number
            if node.parent is not None:
                self._children.setdefault(node.parent, []).append(number)
                continue
            for tensor in node.outputs:
                self._made[tensor] = number
            read = (*node.inputs, *node.outer)
            if node.operator in ("Shape", "Size") or self._fixed.issuperset(read):
                self._fixed.update(node.outputs)
            for tensor in read:
                self._readers.setdefault(tensor, []).append(number)

    def between(
        self,
        sources: Collection[str],
        targets: Collection[str],
        bounds: Collection[str] = (),
        *,
        inputs: Collection[str] = (),
        starts: Collection[int] = (),
        shut: Collection[int] = (),
        loose: bool = False,
    ) -> tuple[int, ...] | None:
        """The nodes on every path from `sources` to `targets`, both names of tensors.

        None where the log does not have all of the graph. A path may begin at a node of `starts`,
        too. No path goes through a tensor of `bounds` or a node of `shut` that is none of `starts`.
        `inputs`: the network's. `loose`: there are more sources than those named, so that all nodes
        count that lead to the targets, back to the bounds.
        """
        if not self.whole:
            return None
        self._prepare()
        shut = frozenset(shut) - frozenset(starts)

        def behind() -> set[int]:
            """The nodes that the targets depend on; none where the log lacks one of them."""
            reached: set[int] = set()
            seen: set[str] = set()
            todo = [number for name in targets if (number := self._made.get(name)) is not None]
            while todo and self._steps <= MODEL_STEPS:
                number = todo.pop()
                if number in reached or number in shut:
                    continue
                reached.add(number)
                node = self.nodes[number]
                self._steps += len(node.inputs) + len(node.outer)
                for tensor in (*node.inputs, *node.outer):
                    if tensor in seen or tensor in sources or tensor in bounds:
                        continue
                    seen.add(tensor)
                    maker = self._made.get(tensor)
                    if maker is not None:
                        todo.append(maker)
                    elif tensor in inputs:
                        if loose:
                            return set()  # past where the layer begins
                    elif tensor not in self.initializers and tensor not in node.outer:
                        return set()  # its node was parsed on a line that is not here
            return reached

        def ahead(among: Collection[int]) -> set[int]:
            """Those nodes that depend on the sources."""
            reached: set[int] = set()
            todo = [number for number in starts if number in among]
            tensors = list(sources)
            while (todo or tensors) and self._steps <= MODEL_STEPS:
                if tensors:
                    readers = self._readers.get(tensors.pop(), ())
                    self._steps += len(readers)
                    todo += [number for number in readers if number in among]
                elif (number := todo.pop()) not in reached:
                    reached.add(number)
                    made = self.nodes[number].outputs
                    tensors += [name for name in made if name in targets or name not in bounds]
            return reached

        passed = behind() if loose else ahead(behind())
        if self._steps > MODEL_STEPS:
            return None
        return tuple(sorted(n for n in self._opened(passed) if self._runs(n))) or None

    def _opened(self, numbers: Iterable[int]) -> Iterator[int]:
        """The nodes, and those inside of each."""
        todo = list(numbers)
        while todo:
            number = todo.pop()
            yield number
            todo += self._children.get(number, ())

    def _runs(self, number: int) -> bool:
        """Whether it computes anything."""
        return self.nodes[number].operator != "Constant"


# e.g. (7-) -1, 3, 224, 224
_DIMS: Final = lazy(r"(?:-?[0-9]{1,11}(?:, -?[0-9]{1,11})*)?")


@lru_cache(maxsize=1 << 10)
def _shape(dims: str) -> Shape | None:
    """`-1, 3, 224` -> (-1, 3, 224); None where that is not what it is."""
    if not _DIMS.fullmatch(dims) or dims.count(",") >= EXTENTS:
        return None
    return tuple(int(extent) for extent in dims.split(", ") if extent)
