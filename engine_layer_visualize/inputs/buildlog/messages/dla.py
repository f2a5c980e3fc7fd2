"""Reads which layers the builder puts on the DLA, and why others run on the GPU."""

from __future__ import annotations

from typing import Final

from engine_layer_visualize.core.patterns import lazy
from engine_layer_visualize.inputs.buildlog.stretches import Stretch
from engine_layer_visualize.io.source import decode

_MOST: Final = 100_000  # names of one kind
_LONGEST_REASON: Final = 500  # characters
# A name behind the mark; of the GPU with the type of the network's layer.
# e.g. (8-) [I] [TRT] [DlaLayer] {ForeignNode[conv1...pool1]}
# e.g. (8-) [I] [TRT] [GpuLayer] CONVOLUTION: conv2
_ON_DLA: Final = b"[DlaLayer] "
_ON_GPU: Final = b"[GpuLayer] "
# e.g. (8-) [I] [TRT] [GpuLayer] CONCATENATION: cat
_TYPE: Final = lazy(r"[A-Z_0-9]{1,40}: ")
# Marks of lines that say why a layer is not on the DLA.
_MARKS: Final = (
    b"Unsupported on DLA. ",
    b"Validation failed for DLA layer: ",
    b" is not supported on DLA, ",
    b" subgraphs per DLA core",
    b"Splitting DLA subgraph at: ",
    b": DLA only supports ",
)
# e.g. (8-) [W] [TRT] Layer 'cat' (CONCATENATION): Unsupported on DLA. Switching this layer's device
# e.g. (8-) [W] [TRT] Validation failed for DLA layer: cat. Switching to GPU fallback.
# e.g. (8-) [W] [TRT] Default DLA is enabled but layer cat is not supported on DLA, falling back to
# e.g. (8-) [W] [TRT] DLA supports only 8 subgraphs per DLA core. Switching to GPU for layer cat
# e.g. (8-) [W] [TRT] Splitting DLA subgraph at: cat because DLA validation failed.
# e.g. (8-) [W] [TRT] cat: DLA only supports concatenation on the C dimension.
_REASON: Final = lazy(
    r"Layer '(.*)' \([A-Z_0-9]{1,40}\): Unsupported on DLA\.|for DLA layer: (.*)\. Switching to GPU"
    r"|Default DLA is enabled but layer (.*) is not supported|Switching to GPU for layer (.*)"
    r"|DLA subgraph at: (.*) because |(?:.*\] )?(.*): DLA only supports "
)
# e.g. (8-) [W] [TRT] DLA supports only 8 subgraphs per DLA core. Switching to GPU for layer cat
_LIMIT: Final = lazy(r"DLA supports only (\d{1,6}) subgraphs per DLA core")


class Dla:
    """What the log says of the DLA.

    Attributes:
        on_dla: names of what runs there, each a subgraph or one layer, with the log's line.
        on_gpu: names of layers of the network that run on the GPU.
        reasons: why a layer of the network is not on the DLA, and the log's line.
        limit: how many subgraphs a core takes; None where the log does not say.
    """

    def __init__(self) -> None:
        self.on_dla: dict[str, int] = {}
        self.on_gpu: dict[str, int] = {}
        self.reasons: dict[str, tuple[str, int]] = {}
        self.limit: int | None = None

    def __bool__(self) -> bool:
        return bool(self.on_dla or self.on_gpu or self.reasons)

    def joined(self, after: Dla) -> Dla:
        """Both as one. Where only one can count, `after` does."""
        both = Dla()
        both.on_dla = {**self.on_dla, **after.on_dla}
        both.on_gpu = {**self.on_gpu, **after.on_gpu}
        both.reasons = {**self.reasons, **after.reasons}
        both.limit = after.limit or self.limit
        return both

    def read(self, stretch: Stretch) -> None:
        """Takes in the next lines."""
        if all(stretch.find(mark) < 0 for mark in (b"DLA", _ON_DLA, _ON_GPU)):
            return
        for mark, names in ((_ON_DLA, self.on_dla), (_ON_GPU, self.on_gpu)):
            for words, _, line in stretch.marked(mark):
                if len(names) < _MOST:
                    names.setdefault(_TYPE.sub("", decode(words).strip(), count=1), line)
        for mark in _MARKS:
            for words, before, line in stretch.marked(mark):
                text = decode(before + mark + words).strip()
                match = _REASON.search(text)
                if match is None or len(self.reasons) >= _MOST:
                    continue
                reason = text[match.start() :].rpartition("[TRT] ")[2][:_LONGEST_REASON]
                self.reasons.setdefault(match[match.lastindex or 1], (reason, line))
                if limit := _LIMIT.search(text):
                    self.limit = int(limit[1])
