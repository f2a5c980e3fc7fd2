"""Plain readers to compare with: line loops, and the listing read by two regular expressions.

`text|binary|gzip|regex|rows PATH` on the command line; prints a number of lines or rows, or of
layers and the seconds of reading them. Does not import the package.
"""

from __future__ import annotations

import sys
from pathlib import Path


def text(path: str) -> int:
    count = 0
    with Path(path).open() as file:
        for _ in file:
            count += 1
    return count


def binary(path: str) -> int:
    count = 0
    with Path(path).open("rb") as file:
        for _ in file:
            count += 1
    return count


def gzip(path: str) -> int:
    import gzip

    count = 0
    with gzip.open(path, "rt") as file:
        for _ in file:
            count += 1
    return count


def regex(path: str) -> str:
    """Listings of either style as (type, name, tactic, inputs, outputs), tensors as triples."""
    import json
    import re
    import time

    record = re.compile(
        r"Layer\((\w+)\): (.*?), Tactic: (0x[0-9a-f]+|-?\d+), (.*?) ?-> ?(.*)", re.DOTALL
    )
    tensor = re.compile(r"(.+?)(?:\[(\w+)\(([-0-9,:]*)\)\]| \((\w+)\[([-0-9,:]*)\]\))(?:, |$)")

    def tensors(text: str) -> list[tuple[str, str, str]]:
        return [(name, d1 or d2, e1 or e2) for name, d1, e1, d2, e2 in tensor.findall(text)]

    with Path(path).open() as file:
        lines = [line.rstrip("\n") for line in file if "Layer(" in line]
    started = time.process_time()
    layers = []
    for line in lines:
        if match := record.search(line):
            kind, name, tactic, left, right = match.groups()
            layers.append((kind, name, tactic, tensors(left), tensors(right)))
    return json.dumps({"layers": len(layers), "seconds": time.process_time() - started})


def rows(path: str) -> int:
    """The rows of a CSV."""
    import csv

    with Path(path).open(newline="") as file:
        return sum(1 for _ in csv.reader(file))


READERS = {"text": text, "binary": binary, "gzip": gzip, "regex": regex, "rows": rows}

if __name__ == "__main__":
    print(READERS[sys.argv[1]](sys.argv[2]))
