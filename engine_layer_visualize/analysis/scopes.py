"""Finds the modules of the network that layers are of, as a tree of scopes.

A scope is a path that exporters write into names: `/encoder/layer.3/attention`. A layer is of the
scope that most of its ONNX nodes are of, else its weights; one without either is of the scope that
the layers before and after it share.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from functools import lru_cache, reduce
from itertools import takewhile
from typing import Final, NamedTuple

from engine_layer_visualize.analysis import origin
from engine_layer_visualize.analysis.kinds import is_myelin
from engine_layer_visualize.core.limits import lazy
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.trt import names as layer_names
from engine_layer_visualize.trt.operators import WEIGHTS

# The parts of a scope's path, each with the separator before it: `/encoder`, `/layer.3`.
Path = tuple[str, ...]

DEEPEST: Final = 32  # parts of a path
_NAME_LENGTH: Final = 1_000  # characters of a name
_LAYER_NODES: Final = 4_096  # nodes of one layer
_SHOWN: Final = 6  # of the costliest modules
_LEAST: Final = 0.01  # of the time
_PARTS: Final = lazy(r"[/.]?[^/.]+")
_SLASHED: Final = lazy(r"/?[^/]+")
# Keras writes the block before the layer: `/conv2_block1_1_conv`, `/block_1_expand`.
_BLOCK: Final = lazy(r"(/?(?:\w+_)?(?:block|unit)_?\d+[a-z]?)(_.+)")
_NUMBER: Final = lazy(r"(?<=[._/-])\d+|(?<=_block)\d+|(?<=_unit)\d+")
_DIGITS: Final = lazy(r"\d+")
# Torch-TensorRT: `[CONVOLUTION]-[aten_ops.convolution.default]-[/features/0/convolution]`;
# `__` is the whole model.
_TORCH: Final = lazy(r"\]-\[(?:__)?(/[^\[\]]*)\]\Z")


class Scope(NamedTuple):
    """A module of the network, with all layers inside."""

    path: str  # as the names write it
    layers: tuple[int, ...]  # indices, ascending
    parent: int | None  # the number of the scope around it; None: the engine itself
    depth: int  # how many scopes are around it
    profile: int = 0  # the number of its layers' optimisation profile


def paths(layers: Sequence[Layer]) -> tuple[Path, ...]:
    """The path of each layer's scope; empty where none is known."""
    told = [_own(layer) for layer in layers]
    before, after = _filled(told), reversed(_filled(told[::-1]))
    beside = zip(told, before, after)
    return tuple(_shared(a, b) if path is None else path for path, a, b in beside)


def _filled(told: Sequence[Path | None]) -> list[Path]:
    """The last path that is known, at each place."""
    filled: list[Path] = []
    known: Path = ()
    for path in told:
        known = known if path is None else path
        filled.append(known)
    return filled


def written(path: Path) -> str:
    """A path as the names have it: `/encoder/layer.3`."""
    return "".join(path)


def pattern(path: str) -> str:
    """Equal for paths that differ in their numbers alone: `/encoder/layer.*/attention`.

    A number that is part of a word (`layer1`) is none, but for `conv2_block1`: such modules are
    often stages of different size.
    """
    return _NUMBER.sub("*", path)


def from_to(first: str, last: str) -> str:
    """`/layer.11–22` for `/layer.11` and `/layer.22`."""
    both = zip(_DIGITS.finditer(first), _DIGITS.finditer(last))
    other = [(a, b[0]) for a, b in both if a[0] != b[0]]
    alike = _DIGITS.sub("*", first) == _DIGITS.sub("*", last)
    if not alike or len({(a[0], b) for a, b in other}) != 1:
        return f"{first} – {last}"
    number, end = other[-1]
    return f"{first[: number.end()]}–{end}{first[number.end() :]}"


def neighbours(numbers: Sequence[int]) -> bool:
    """Whether rising numbers have no gap."""
    return numbers[-1] - numbers[0] == len(numbers) - 1


def scopes(layers: Sequence[Layer], known: Sequence[Path] | None = None) -> tuple[Scope, ...]:
    """The scopes with two layers or more that are not all layers.

    An outer one stands before what is inside. Of two that have the same layers only the inner one
    counts. Optimisation profiles repeat the layers, and each has scopes of its own. `known` is what
    `paths` returns.
    """
    all_scopes: list[Scope] = []
    profiles: dict[int, list[tuple[int, Path]]] = {}
    for layer, path in zip(layers, paths(layers) if known is None else known):
        profiles.setdefault(layer_names.profile_in(layer.name), []).append((layer.index, path))
    for profile, members in sorted(profiles.items()):
        first = len(all_scopes)
        for scope in tree(members):
            parent = None if scope.parent is None else scope.parent + first
            all_scopes.append(scope._replace(parent=parent, profile=profile))
    return tuple(all_scopes)


def tree(members: Sequence[tuple[int, Path]]) -> list[Scope]:
    """The scopes of anything with a number and a path; rising numbers in."""
    inside: dict[Path, list[int]] = {}
    for index, path in members:
        for depth in range(1, len(path) + 1):
            inside.setdefault(path[:depth], []).append(index)
    largest = Counter[Path]()  # of the scopes directly inside
    for path, indices in inside.items():
        largest[path[:-1]] = max(largest[path[:-1]], len(indices))
    kept = [p for p, own in inside.items() if max(1, largest[p]) < len(own) < len(members)]
    made: list[Scope] = []
    number: dict[Path, int] = {}
    for path in sorted(kept, key=lambda path: (inside[path][0], len(path))):
        outer = (path[:n] for n in range(len(path) - 1, 0, -1))
        parent = next((number[around_it] for around_it in outer if around_it in number), None)
        number[path] = len(made)
        depth = 0 if parent is None else made[parent].depth + 1
        made.append(Scope(written(path), tuple(inside[path]), parent, depth))
    return made


def costliest(engines: Sequence[Mapping[Path, float]]) -> list[Path]:
    """The paths of the modules that cost the most, none within another, the costliest first.

    `engines`: what the layers right in each module cost there.
    """
    within: dict[Path, float] = defaultdict(float)
    for engine in engines:
        for path, cost in engine.items():
            for depth in range(len(path) + 1):
                within[path[:depth]] += cost
    inside: dict[Path, list[Path]] = defaultdict(list)
    for path in within:
        if path:
            inside[path[:-1]].append(path)
    whole, half = within[()], within[()] / 2  # a module with more is shown as those within
    kept: list[Path] = [()]
    while large := [p for p in kept if inside[p] and (len(kept) < _SHOWN or within[p] > half)]:
        outer = max(large, key=lambda path: within[path])
        kept.remove(outer)
        kept += inside[outer]
    enough = [path for path in kept if path and within[path] >= _LEAST * whole]
    return sorted(enough, key=lambda path: (-within[path], path))[:_SHOWN]


def _own(layer: Layer) -> Path | None:
    """The path by a layer's own nodes or weights; None where neither says it."""
    known = origin.onnx_nodes_of(layer)
    names = known.all or known.ends
    if layer_names.is_concat_copy(layer.name):  # of a tensor
        return None
    if not names or "/" not in names[0]:  # weights have paths even where nodes have none
        names = (*names, *layer_names.parts(layer.name))
    if not names:
        return None
    known_paths = list(map(around, names[:_LAYER_NODES]))
    if is_myelin(layer):  # may hold several modules
        return reduce(_shared, known_paths)
    return most([path for path in known_paths if path])


def most(given: Sequence[Path]) -> Path:
    """The longest path that more than half of these go through."""
    if not given or given.count(given[0]) == len(given):
        return given[0] if given else ()
    best: Path = ()
    for depth in range(1, DEEPEST):
        counts = Counter([path[:depth] for path in given if len(path) >= depth])
        if not counts or 2 * max(counts.values()) <= len(given):
            break
        best = counts.most_common(1)[0][0]
    return best


def _shared(a: Path, b: Path) -> Path:
    """What both begin with."""
    return tuple(part for part, other in takewhile(lambda pair: pair[0] == pair[1], zip(a, b)))


def around(name: str) -> Path:
    """The path around a node or a weight: `/a/b.1/Conv` -> `/a/b.1`; `a.1.weight` -> `a.1`.

    Dots alone make a path where a number stands between two.
    """
    if name[-1:] == "]" and (match := _TORCH.search(name)):
        name = match[1]
    if len(name) > _NAME_LENGTH:
        return ()
    if "/" in name:  # the nodes of a module have one path
        return _slashed(name.rstrip("/").rpartition("/")[0])
    return _dotted(name) if "." in name else ()


@lru_cache(maxsize=1 << 12)
def _slashed(path: str) -> Path:
    parts = _SLASHED.findall(path)
    if "block" in path or "unit" in path:
        matches = [(_BLOCK.fullmatch(part), part) for part in parts]
        parts = [one for match, part in matches for one in (match.groups() if match else (part,))]
    return tuple(parts[:DEEPEST])


def _dotted(name: str) -> Path:
    parts = _PARTS.findall(name)[:-1]
    numbered = any(part[1:].isdecimal() for part in parts)
    return tuple(parts[:DEEPEST]) if numbered or name.endswith(WEIGHTS) else ()
