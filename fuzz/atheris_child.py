"""One target under atheris: `python -m fuzz.atheris_child TARGET FOLDER … -max_total_time=N …`.

A target's name and libFuzzer's own flags in; libFuzzer's messages on stderr, and a file for an
input that breaks a promise. No process that does anything else imports this module: it changes the
byte code of the program.
"""

from __future__ import annotations

import os
import sys
from contextlib import redirect_stderr
from io import StringIO

import atheris

PROGRAM = ["engine_layer_visualize"]
# It names each module that it instruments.
with redirect_stderr(StringIO()), atheris.instrument_imports(include=PROGRAM):
    from fuzz.targets import TARGETS


def begin(name: str, words: list[str]) -> None:
    """Fuzzes, and ends the process."""
    with atheris.instrument_imports(include=PROGRAM):  # what is imported late
        atheris.Setup(words, TARGETS[name].run)
        atheris.Fuzz()


if __name__ == "__main__":
    # libFuzzer merges in processes of its own, which it starts by this name.
    begin(sys.argv[1], [os.environ.get("FUZZ_AGAIN", sys.argv[0]), *sys.argv[2:]])
