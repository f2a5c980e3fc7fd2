"""One target under atheris: `python -m fuzz.atheris_child TARGET FOLDER … -max_total_time=N …`.

A target's name and libFuzzer's own flags in; libFuzzer's messages on stderr, and a file for an
input that breaks a promise. No module imports this one: it changes the byte code of the program.
"""

from __future__ import annotations

import os
import sys

import atheris

if __name__ == "__main__":
    name = sys.argv.pop(1)
    # libFuzzer merges in processes of its own, which it starts by this name.
    again = os.environ.get("FUZZ_AGAIN", sys.argv[0])
    # Also what is imported late: a target instruments what it runs, and no more.
    with atheris.instrument_imports(include=["engine_layer_visualize"]):
        from fuzz.targets import TARGETS

        atheris.Setup([again, *sys.argv[1:]], TARGETS[name].run)
        atheris.Fuzz()
