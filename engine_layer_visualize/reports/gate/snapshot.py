"""A `Snapshot` in, its file out: JSON of schema 1, as docs/gate.md has it.

Each group of layers is a line, and a list to be short. The same snapshot gives the same bytes.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from engine_layer_visualize.core.model import JsonValue
from engine_layer_visualize.core.snapshot import Run, Snapshot
from engine_layer_visualize.fields.objects import picked, plain


def written(snapshot: Snapshot) -> Iterator[bytes]:
    """The file in pieces."""
    head: dict[str, JsonValue] = {
        **picked(snapshot, "file", "engine", "conditions", "layers", "reformats"),
        "memory": [{"part": part, "bytes": size} for part, size in snapshot.memory],
        "runs": [_run(run) for run in snapshot.runs],
        "profiles": [_run(run) for run in snapshot.profiles],
        "coverage": plain(snapshot.coverage),
        "unfit": [{"code": code, "message": message} for code, message in snapshot.unfit],
        "findings": [{"code": code, "count": count} for code, count in snapshot.findings],
    }
    yield b'{"schema": 1, "snapshot": {\n'
    for key, value in head.items():
        yield f"{json.dumps(key)}: {json.dumps(value)},\n".encode()
    yield b'"groups": ['
    for number, group in enumerate(snapshot.groups):
        row = json.dumps(group, separators=(",", ":"))  # its fields in their order
        yield f"{',' if number else ''}\n{row}".encode()
    yield b"\n]}}\n"


def _run(run: Run) -> JsonValue:
    return {"file": run.label, **picked(run, "ms", "off", "kind", "digest", "drift")}
