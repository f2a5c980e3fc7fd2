"""One target under atheris: `python -m fuzz.atheris_child TARGET FOLDER … -max_total_time=N …`.

A target's name and libFuzzer's own flags in; libFuzzer's messages on stderr, and a file for an
input that breaks a promise. No module imports this one: it changes the byte code of the program.
"""

from __future__ import annotations

import os
import pkgutil
import sys
from importlib import import_module

import atheris

# All the rest: what were imported later would not be seen.
with atheris.instrument_imports(include=["engine_layer_visualize"]):
    import engine_layer_visualize

    for _module in pkgutil.walk_packages(
        engine_layer_visualize.__path__, "engine_layer_visualize."
    ):
        if not _module.name.endswith("__main__"):
            import_module(_module.name)
    from fuzz.targets import TARGETS

if __name__ == "__main__":
    name = sys.argv.pop(1)
    # libFuzzer merges in processes of its own, which it starts by this name.
    again = os.environ.get("FUZZ_AGAIN", sys.argv[0])
    atheris.Setup([again, *sys.argv[1:]], TARGETS[name].run)
    atheris.Fuzz()
