"""The records of a listing by regexes, to compare the program with.

The text of a log with tame names goes in; records with their lines, tensors and jumps come out.
"""

import re
from dataclasses import dataclass
from typing import Final

from readers import read_record

# A tensor: (name, data type, dimensions as printed).
Raw = tuple[str, str | None, str]

HEADERS: Final = {
    "LAYER_NAMES_ONLY": re.compile(r"^.*Engine Layer Information:$", re.M),
    "DETAILED": re.compile(r"^.*\] Layers:$", re.M),
}
_DETAILED: Final = re.compile(
    r"^Name: (.*), LayerType: (\w+), Inputs: (\[.*?\])(?:, Constants: (\[.*?\]))?, "
    r"Outputs: (\[\]|\[ .*?\}\])(.*)$"
)
_DETAILED_TENSOR: Final = re.compile(
    r"\{ Name: (.*?), (?:Location: \w+, )?Dimensions: \[([-\d,]*)\].*?Datatype: (\w+)"
)
_IO: Final = re.compile(
    r"^ Name: (.*), IOMode: (Input|Output), DataType: (\w+), Dimensions: \[([-\d,]*)\]", re.M
)


@dataclass(frozen=True)
class Record:
    line: int
    type: str
    name: str
    reads: tuple[Raw, ...]
    writes: tuple[Raw, ...]
    jumps: tuple[str, ...] = ()


def records(log: str) -> list[Record]:
    found = []
    for number, line in enumerate(log.split("\n"), 1):
        if line.startswith("Layer(") and (one := read_record(line)):
            found.append(Record(number, one.type, one.name, one.inputs, one.outputs))
        elif match := _DETAILED.match(line):
            name, type, reads, _, writes, rest = match.groups()
            printed = (_DETAILED_TENSOR.findall(side) for side in (reads, writes))
            sides = [tuple((n, dtype, dims) for n, dims, dtype in side) for side in printed]
            jumps = tuple(re.findall(r", JumpTarget\w*: ([^,]*)", rest))
            found.append(Record(number, type, name, sides[0], sides[1], jumps))
    return found


def io(log: str, mode: str) -> dict[str, tuple[str, str]]:
    """Of the I/O Tensors below a detailed listing: name -> (data type, dimensions as printed)."""
    return {name: (dtype, dims) for name, at, dtype, dims in _IO.findall(log) if at == mode}


def bare(name: str) -> str:
    """Without the optimisation profile."""
    return re.sub(r" \[profile (\d+)\]$", "", name)


def reaches(found: list[Record], source: str, target: str) -> bool:
    """Whether anything can come from one tensor to the other, in whatever order the records run."""
    tensors, entered = {source}, set[str]()
    while True:
        before = len(tensors), len(entered)
        for record in found:
            if record.name in entered or any(name in tensors for name, _, _ in record.reads):
                tensors.update(name for name, _, _ in record.writes)
                entered.update(record.jumps)
        if (len(tensors), len(entered)) == before:
            return target in tensors
