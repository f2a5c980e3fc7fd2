"""Layers as ACME's compiler writes them.

    acme-layers 1
    Convolution<tab>conv1<tab>input Float 1x3x8x8<tab>x Float 1x8x8x8

Each line has a type, a name, the tensors that are read, and those that are written.
"""

from engine_layer_visualize.extending import (
    Format,
    Layer,
    ListingFile,
    Place,
    Problem,
    ReadError,
    Source,
    Tensor,
)

_FIRST = b"acme-layers 1\n"


def sniff(head: bytes) -> bool:
    """Whether a file that begins so is of this format."""
    return head.startswith(_FIRST)


def read(source: Source, max_layers: int) -> ListingFile:
    """Reads a file. Raises ReadError where it has no layer."""
    listing = ListingFile(line=2)
    for number, line in enumerate(source.text().split("\n")[1:], 2):
        place = Place(source.name, number)
        if not line:
            continue
        if len(listing.layers) == max_layers:
            listing.problems.append(Problem(place, "ELV112", "more layers than the limit"))
            break
        try:
            kind, name, reads, writes = line.split("\t")
            inputs, outputs = _tensors(reads), _tensors(writes)
        except ValueError:
            listing.problems.append(Problem(place, "ELV104", "not a layer with its tensors"))
            continue
        index = len(listing.layers)
        listing.layers.append(
            Layer(index, place, kind, name, None, inputs, outputs, position=index)
        )
    if not listing.layers:
        raise ReadError(Problem(Place(source.name, 1), "ELV402", "a table without layers"))
    return listing


def _tensors(text: str) -> tuple[Tensor, ...]:
    """Reads `x Float 1x8, y Half 1x8`. Raises ValueError."""
    tensors = []
    for words in filter(None, text.split(", ")):
        name, dtype, extents = words.split(" ")
        shape = tuple(map(int, extents.split("x")))
        tensors.append(Tensor(name, dtype, ",".join(map(str, shape)), shape))
    return tuple(tensors)


FORMAT = Format("acme-layers", sniff, read)
