"""A plugin takes more than 2 % of the time, or needs reformats on its sides.

**Found**: a layer of type Plugin, PluginV2 or PluginV3 takes more than 2 % of the time of all
layers, or reads from or writes to a reformat.

**Why it costs**: TensorRT can neither fuse a plugin with its neighbours nor choose another kernel
for it. It converts what it reads and writes where the plugin does not take its neighbours' format.

**What to do**: see if your version of TensorRT has the operator itself: many plugins replace
operators of older versions. Else let the plugin's `supportsFormatCombination` accept the types and
formats of its neighbours.

**When to leave it**: where no operator of TensorRT does what the plugin does, and it accepts its
neighbours' formats.

**Example**:

    Layer(Reformat): r, Tactic: 0x3e8, a[Half(1,8:8,32,32)] -> b[Float(1,8,32,32)]
    Layer(PluginV2): /neck/Deform, Tactic: 0x0, b[Float(1,8,32,32)] -> y[Float(1,8,32,32)]

**Versions**: all.

**Severity**: hint.

**Sources**: NVIDIA/TensorRT issue 3962.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Final

from engine_layer_visualize.analysis.kinds import is_reformat
from engine_layer_visualize.core.model import Layer
from engine_layer_visualize.core.text import count, percent
from engine_layer_visualize.linting.finding import Finding, described
from engine_layer_visualize.linting.rule import finding, named
from engine_layer_visualize.linting.subject import Subject

RULE: Final = described(__name__, __doc__)
_LEAST_SHARE: Final = 0.02
_DIGITS: Final = re.compile(r"\d+")
_NATIVE: Final = "see if this version of TensorRT has the operator itself"
_FORMATS: Final = (
    f"{_NATIVE}; else let the plugin accept its neighbours' type and format "
    "(supportsFormatCombination)"
)


def check(subject: Subject) -> Iterator[Finding]:
    """Yields one finding for plugins that differ by a number in their names alone."""
    by_name: dict[str, list[Layer]] = defaultdict(list)
    sides: dict[int, list[Layer]] = {}
    for layer in subject.layers:
        if layer.type.startswith("Plugin"):
            around = (*subject.writers(layer), *subject.readers(layer))
            sides[layer.index] = [reformat for reformat in around if is_reformat(reformat)]
            share = subject.share(layer) if subject.costs.ranked else None
            if sides[layer.index] or (share or 0.0) > _LEAST_SHARE:
                by_name[_DIGITS.sub("#", layer.name)].append(layer)
    for plugins in by_name.values():
        reformats = [reformat for plugin in plugins for reformat in sides[plugin.index]]
        plural = len(plugins) > 1
        what = " are plugins" if plural else " is a plugin"
        number = len({reformat.index for reformat in reformats})
        beside = f" with {count(number, 'reformat')} on {'their' if plural else 'its'} sides"
        share = sum(subject.share(plugin) or 0.0 for plugin in plugins)
        took = f", {percent(share)} {subject.of_all}" if subject.costs.ranked else ""
        why = (*named(plugins), what, beside if reformats else "", took)
        advice = _FORMATS if reformats else _NATIVE
        yield finding(subject, RULE, [*plugins, *reformats], why, advice)
