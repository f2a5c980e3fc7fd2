"""Chooses what of an engine is shown: layers, edges, the ends of these; counts what is left out."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple

from engine_layer_visualize.analysis.kinds import SERVING, Kind, kind_of
from engine_layer_visualize.core.model import Edge, Engine, Layer, Tensor
from engine_layer_visualize.core.problems import Place, Problem, ReadError
from engine_layer_visualize.core.text import plural, shorten, visible
from engine_layer_visualize.core.words import first_of, plain
from engine_layer_visualize.facts import sentences
from engine_layer_visualize.trt.names import without_profile

if TYPE_CHECKING:
    from engine_layer_visualize.facts.query import Query

RADIUS: Final = 2
_CANDIDATES: Final = 5  # candidates in a message
_CAPTION: Final = 160  # characters of what a drawing says of a view


class Stub(NamedTuple):
    """Edges that are cut: a tensor flows between layers that are shown and layers that are not."""

    tensor: str
    # into the picture: `inside` read it and `outside` write it; else the other way round
    entering: bool
    inside: tuple[int, ...]  # indices of layers, in order
    outside: tuple[int, ...]  # indices, too


class View(NamedTuple):
    """A part of `engine`, or all of it.

    `layers` are shown, in execution order, and keep their indices. `edges` are those between
    them and to the engine's `inputs` and `outputs`, as in its Graph. `jumps`: control flow between
    shown layers. `stubs`: edges that are cut. `outside` counts the layers that are not shown, `cut`
    the edges and jumps of shown layers that are not drawn. `asked`: the flags of the command line
    that choose this part.
    """

    engine: Engine
    layers: tuple[Layer, ...]
    edges: tuple[Edge, ...]
    jumps: tuple[Edge, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    stubs: tuple[Stub, ...] = ()
    outside: int = 0
    cut: int = 0
    asked: tuple[str, ...] = ()

    @property
    def partial(self) -> bool:
        """Whether anything of the engine is left out."""
        return self.outside > 0

    @property
    def words(self) -> str:
        """What is shown and what is not, in words; empty where all is shown."""
        if not self.partial:
            return ""
        total = len(self.engine.layers)
        shown = f"{len(self.layers)} of {total} {plural(total, 'layer')} shown"
        asked = f" ({', '.join(self.asked)})" if self.asked else ""
        cut = f", {self.cut} {plural(self.cut, 'edge')} cut" if self.cut else ""
        return f"{shown}{asked}, {self.outside} outside{cut}"


def whole(engine: Engine) -> View:
    """The view that shows all of an engine."""
    graph = engine.graph
    return View(engine, engine.layers, graph.edges, graph.jumps, graph.inputs, graph.outputs)


def caption(view: View) -> str:
    """What is shown and what is not, short enough for a drawing."""
    return shorten(visible(view.words), _CAPTION)


def with_shown_names(view: View) -> View:
    """The view of an engine whose files have the names that outputs show."""
    return view._replace(engine=sentences.with_shown_files(view.engine, full_paths=False))


def part(
    engine: Engine,
    *,
    query: str | re.Pattern[str] | Query | None = None,
    around: str | int | None = None,
    radius: int = RADIUS,
) -> View:
    """The layers that meet every condition, as `api.engine.part` has them for users.

    Raises ReadError: ELV407 where nothing is left, ELV410 for a bad `query`.
    """
    from engine_layer_visualize.analysis.costs import Costs
    from engine_layer_visualize.facts.query import of
    from engine_layer_visualize.facts.search import Searched
    from engine_layer_visualize.linting.subject import Subject

    asked_for = None if query is None else of(query)
    asked = [] if asked_for is None else [f"--query {asked_for.text}"]
    asked += [] if around is None else [f"--around {around} --radius {radius}"]
    centre = None if around is None else index_of(engine, str(around))
    shown = {layer.index for layer in engine.layers}
    if asked_for is not None:
        shown &= Searched(Subject(Costs(engine))).find(asked_for)
    if centre is not None:
        shown &= _near(engine.graph.edges, {centre}, radius)
    if not shown and engine.layers:
        raise _nothing(engine, f"{' '.join(asked)} leaves no layer to show")
    if len(shown) == len(engine.layers):
        return whole(engine)
    return _shown(engine, shown, tuple(asked))


def _shown(engine: Engine, shown: set[int], asked: tuple[str, ...]) -> View:
    """The view of the layers `shown`, with stubs for the edges that are cut."""
    graph, drawn = engine.graph, []
    cut = sum((edge.source in shown) != (edge.target in shown) for edge in graph.jumps)
    sides: dict[tuple[str, bool], tuple[set[int], set[int]]] = defaultdict(lambda: (set(), set()))
    for edge in graph.edges:
        ends = [end for end in (edge.source, edge.target) if end is not None]
        if ends and all(end in shown for end in ends):
            drawn.append(edge)
        elif len(ends) == 2 and not shown.isdisjoint(ends):
            entering = ends[1] in shown
            near, far = sides[edge.tensor, entering]
            near.add(ends[entering])
            far.add(ends[not entering])
            cut += 1
    stubs = tuple(
        Stub(name, entering, tuple(sorted(near)), tuple(sorted(far)))
        for (name, entering), (near, far) in sides.items()
    )
    layers = tuple(layer for layer in engine.layers if layer.index in shown)
    inputs = _among(graph.inputs, (edge.tensor for edge in drawn if edge.source is None))
    outputs = _among(graph.outputs, (edge.tensor for edge in drawn if edge.target is None))
    outside = len(engine.layers) - len(shown)
    jumps = tuple(edge for edge in graph.jumps if edge.source in shown and edge.target in shown)
    return View(engine, layers, tuple(drawn), jumps, inputs, outputs, stubs, outside, cut, asked)


def _among(names: Iterable[str], drawn: Iterable[str]) -> tuple[str, ...]:
    """The names that are drawn, whatever their optimisation profile."""
    there = set(map(without_profile, drawn))
    return tuple(name for name in names if without_profile(name) in there)


# ---- which layers --------------------------------------------------------------------------------


def _near(edges: Iterable[Edge], centres: set[int], radius: int) -> set[int]:
    """The layers at most `radius` edges from `centres`, whichever way these run."""
    beside: dict[int, set[int]] = defaultdict(set)
    for edge in edges:
        if edge.source is not None and edge.target is not None:
            beside[edge.source].add(edge.target)
            beside[edge.target].add(edge.source)
    reached = border = centres
    for _ in range(radius):
        border = {index for near in border for index in beside[near]} - reached
        if not border:
            break
        reached = reached | border
    return reached


def index_of(engine: Engine, word: str) -> int:
    """The index of the layer that is meant. Raises ReadError (ELV407), which names candidates."""
    layers = engine.layers
    numbers = f"layers are numbered 0 to {len(layers) - 1}"
    exact = [layer for layer in layers if layer.name == word]
    if not exact and word.isascii() and word.isdigit():
        if len(word) < 10 and int(word) < len(layers):
            return int(word)
        raise _nothing(engine, f"there is no layer {word:.40}; {numbers}")
    low = word.casefold()
    named = exact or [layer for layer in layers if low in layer.name.casefold()]
    # The name of a reformat holds that of the layer it is for.
    named.sort(key=lambda layer: kind_of(layer) in SERVING)
    meant = [layer for layer in named if kind_of(layer) not in SERVING] or named
    if len(meant) == 1:
        return meant[0].index
    if named:
        what = "is the name" if exact else "is in the names"
        names = [f"{layer.index} `{shorten(layer.name, 60)}`" for layer in named]
        of = f"{what} of {len(named)} layers: {plain(first_of(names, _CANDIDATES))}; give an index"
        raise _nothing(engine, f"`{shorten(word, 80)}` {of}")
    raise _nothing(engine, f"no layer is called `{shorten(word, 80)}`; {numbers}")


def _nothing(engine: Engine, message: str) -> ReadError:
    """The error where nothing is left to show."""
    place = Place(engine.source.file, engine.source.first_line)
    return ReadError(Problem(place, "ELV407", f"engine {engine.index}: {message}"))


# ---- the ends of edges ---------------------------------------------------------------------------


class Tensors:
    """A layer's tensors by name. Where a record has a name twice, the first counts."""

    def __init__(self, layers: Sequence[Layer]) -> None:
        @cache
        def by_name(layer: int, read: bool) -> dict[str, Tensor]:
            listed = layers[layer].inputs if read else layers[layer].outputs
            return {tensor.name: tensor for tensor in reversed(listed)}

        self._by_name = by_name

    def of(self, edge: Edge) -> tuple[Tensor | None, Tensor | None]:
        """The tensor of an edge in the record of its source, and in that of its target."""
        written = self.named(edge.source, False, edge.tensor)
        return written, self.named(edge.target, True, edge.tensor)

    def named(self, layer: int | None, read: bool, name: str) -> Tensor | None:
        """The tensor `name` among the inputs (`read`) or the outputs of a layer."""
        return None if layer is None else self._by_name(layer, read).get(name)


def seen(written: Tensor | None, read: Tensor | None) -> Tensor | None:
    """The tensor of an edge as its reader prints it.

    It is as its writer prints it where only that has a dtype.
    """
    return written if read is None or (read.dtype is None and written is not None) else read


def dtype_of(written: Tensor | None, read: Tensor | None) -> str | None:
    """The dtype of an edge: the reader's, else the writer's."""
    tensor = seen(written, read)
    return None if tensor is None else tensor.dtype


class Endpoint(NamedTuple):
    """A tensor at one end of the engine, or of the view."""

    id: str  # unique in a drawing
    # `port`: an end of the engine; `unresolved`, `unused`: the other side is missing; `stub`: the
    # edges go on outside the view
    kind: Kind
    name: str
    entry: bool  # whether it flows into layers
    tensor: Tensor | None  # as its layer prints it
    # the first that reads it or the last that writes it; where none does, -1 or the number of
    # layers
    layer: int
    profile: int
    beyond: tuple[Layer, ...] = ()  # of a `stub` the layers outside the view

    @property
    def place(self) -> float:
        """Its position in the order of execution: half a layer before or after `layer`."""
        return self.layer - 0.5 if self.entry else self.layer + 0.5

    @property
    def word(self) -> str:
        """What it is, such as `input`, `no writer listed`, `from layer 3` or `to 2 layers`."""
        if self.beyond:
            several = len(self.beyond) > 1
            whom = f"{len(self.beyond)} layers" if several else f"layer {self.beyond[0].index}"
            return f"{'from' if self.entry else 'to'} {whom}"
        if self.kind == "port":
            return "input" if self.entry else "output"
        return "no writer listed" if self.kind == "unresolved" else "no reader listed"


class Endpoints:
    """What is drawn of a view besides its layers.

    Attributes:
        edges: The edges that are drawn.
        entries: The endpoints that flow into layers, by their tensors' names.
        exits: The endpoints that layers write, by their tensors' names.
        stubs: An endpoint for each stub of the view.
    """

    def __init__(self, view: View, profiles: Sequence[int]) -> None:
        self._view, self._profiles = view, profiles
        self.tensors = Tensors(view.engine.layers)
        # Myelin's own weights stay in the tooltips: there would be one on every box.
        constants = frozenset(view.engine.graph.constants)
        self.edges = tuple(
            edge for edge in view.edges if edge.source is not None or edge.tensor not in constants
        )
        graph = view.engine.graph
        self.entries = self._side(True, view.inputs, graph.unresolved)
        self.exits = self._side(False, view.outputs, graph.unused)
        self.stubs = tuple(
            self._end(number, "stub", stub.tensor, stub.entering, stub.inside, stub.outside)
            for number, stub in enumerate(view.stubs)
        )

    @property
    def all(self) -> tuple[Endpoint, ...]:
        """Entries, exits, stubs."""
        return (*self.entries.values(), *self.exits.values(), *self.stubs)

    def lines(self) -> Iterator[tuple[Edge, Endpoint | None, Endpoint | None]]:
        """Each edge, stubs' too, with the endpoints that stand for a missing source or target."""
        for edge in self.edges:
            entry = self.entries[edge.tensor] if edge.source is None else None
            yield edge, entry, self.exits[edge.tensor] if edge.target is None else None
        for end, stub in zip(self.stubs, self._view.stubs):
            for index in stub.inside:
                if end.entry:
                    yield Edge(None, index, stub.tensor), end, None
                else:
                    yield Edge(index, None, stub.tensor), None, end

    def _side(self, entry: bool, names: Sequence[str], loose: Sequence[str]) -> dict[str, Endpoint]:
        """Inputs or outputs by name. `loose`: those that are unresolved or unused."""
        touched: dict[str, list[int]] = {}
        for edge in self.edges:
            beyond, layer = (edge.source, edge.target) if entry else (edge.target, edge.source)
            if beyond is None:
                touched.setdefault(edge.tensor, []).extend(() if layer is None else (layer,))
        without_other_side = frozenset(loose)
        endpoints: dict[str, Endpoint] = {}
        for name, layers in touched.items():
            kind: Kind = "port"
            if name in without_other_side:
                kind = "unresolved" if entry else "unused"
            endpoints[name] = self._end(len(endpoints), kind, name, entry, layers)
        # Inputs and outputs that no layer reads or writes, such as shape tensors.
        bare = {without_profile(name) for name in endpoints}
        for name in names:
            if name not in endpoints and name not in bare:
                endpoints[name] = self._end(len(endpoints), "port", name, entry, ())
        return endpoints

    def _end(
        self,
        number: int,
        kind: Kind,
        name: str,
        entry: bool,
        layers: Sequence[int],
        beyond: Sequence[int] = (),
    ) -> Endpoint:
        every = self._view.engine.layers
        first, layer = None, -1 if entry else len(every)
        if layers:
            first, layer = layers[0], layers[0 if entry else -1]
        port = "input" if entry else "output"
        id_ = f"{port if kind == 'port' else kind}_{number}"
        tensor = self.tensors.named(first, entry, name)
        if tensor is not None and not entry and len({*layers}) > 1:  # each writes a part of it
            known = (io.dims for io in self._view.engine.known.outputs if io.name == name)
            dims = next(known, None) or ""
            if re.fullmatch(r"-?\d{1,18}(,-?\d{1,18})*", dims):
                tensor = tensor._replace(dims=dims, shape=tuple(map(int, dims.split(","))))
        profile = self._profiles[first] if self._profiles and first is not None else 0
        outside = tuple(every[index] for index in beyond)
        return Endpoint(id_, kind, name, entry, tensor, layer, profile, outside)
