"""Times as ACME's profiler writes them.

    acme-times 1
    conv1,12.5
    pool1,80

Each line is a layer's name and its microseconds.
"""

from engine_layer_visualize.extending import (
    Format,
    Place,
    Problem,
    Profile,
    ProfileRow,
    ReadError,
    Source,
    Timing,
)

_FIRST = b"acme-times 1\n"


def sniff(head: bytes) -> bool:
    """Whether a file that begins so is of this format."""
    return head.startswith(_FIRST)


def read(source: Source) -> tuple[list[Profile], list[Problem]]:
    """Reads a file. Raises ReadError where no line can be used."""
    rows, problems = [], []
    for number, line in enumerate(source.text().split("\n")[1:], 2):
        name, comma, us = line.rpartition(",")
        if not line:
            continue
        try:
            rows.append(ProfileRow(name, Timing(float(us) / 1000), line=number))
        except ValueError:
            place = Place(source.name, number, len(name) + len(comma) + 1)
            problems.append(Problem(place, "ELV204", f"`{name}` has an unreadable time"))
    if not rows:
        raise ReadError(Problem(Place(source.name, 1), "ELV201", "no row with a time"))
    return [Profile(Place(source.name, 1), tuple(rows))], problems


FORMAT = Format("acme-times", sniff, read)
