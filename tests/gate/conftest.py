"""The command `gate` in this process: what it prints, what it found, what it saves."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from program import Program

from engine_layer_visualize.commands import cli


class Gate:
    """Runs the command; `code`: how it has to end."""

    def __init__(self, here: Program) -> None:
        self._here = here

    def __call__(self, *words: object, code: int | None = None) -> tuple[str, str]:
        """What is printed on stdout, without its line breaks, and on stderr."""
        out, err = self.printed(*words, code=code)
        return " ".join(out.split()), err

    def found(self, *words: object, code: int | None = None) -> Any:
        """The document of `-f json`."""
        document = json.loads(self.printed(*words, "-f", "json", code=code)[0])
        assert set(document) == {"schema", "gate"}
        return document["gate"]

    def printed(self, *words: object, code: int | None = None) -> tuple[str, str]:
        done = self._here("gate", *words, code=code)
        return done.stdout, done.stderr


Kept = Callable[..., Path]


@pytest.fixture
def gated(here: Program) -> Gate:
    return Gate(here)


@pytest.fixture
def kept(tmp_path: Path) -> Kept:
    """`kept(LOG, …)` saves a baseline."""

    def save(*words: object, code: int = 0) -> Path:
        path = tmp_path / "base.json"
        assert cli.main(["gate", "--save", str(path), *map(str, words)]) == code
        return path

    return save
