"""Lists the rules that are no more, each with its name, since when, and why.

A code never gets a second meaning: what a user has in a command, a file of settings or a
suppression stays known, and is told why it finds nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple


class Retired(NamedTuple):
    """A rule that is no more.

    Attributes:
        name: its name.
        since: the first version without the rule.
        why: a part of a sentence.
        cause: the key of the cause that has what the rule saw, empty where none has it.
    """

    name: str
    since: str
    why: str
    cause: str = ""

    def __str__(self) -> str:
        """Returns such as `retired in 1.0: …`."""
        return f"retired in {self.since}: {self.why}"


RETIRED: Final[Mapping[str, Retired]] = {
    "F01": Retired(
        "reformat-share",
        "1.0",
        "the findings on the reformats say what each is for; the summary has their sum",
    ),
    "F05": Retired(
        "reformat-chain",
        "1.0",
        "in a network with Q/DQ, P06 names what makes them; elsewhere nothing in a log "
        "tells how to do without one",
        "format-changes",
    ),
    "F06": Retired(
        "format-island",
        "1.0",
        "no option holds the format of layers inside of an engine, and the builder counted the "
        "reformats",
    ),
    "F07": Retired(
        "same-reformat-twice",
        "1.0",
        "in a network with Q/DQ, P06 names what makes them; elsewhere nothing in a log "
        "tells how to share one",
        "format-changes",
    ),
    "F08": Retired(
        "tensor-in-two-formats",
        "1.0",
        "in a network with Q/DQ, P06 names what makes them; elsewhere the builder weighs "
        "the formats",
        "format-changes",
    ),
    "F10": Retired(
        "concat-copy",
        "1.0",
        "the log says of few copies why they are needed, and formats alone do not spare them",
    ),
    "F11": Retired(
        "slice-type-change",
        "1.0",
        "the Slice reads and writes its tensor in any case: the change of type costs no layer",
    ),
    "F15": Retired(
        "reformat-without-change",
        "1.0",
        "the summary lists the copies; nothing in a log says how to do without one",
    ),
    "F16": Retired(
        "reformat-unknown-formats",
        "1.0",
        "the summary lists the reformats whose formats the log does not have",
    ),
    "H03": Retired(
        "memory-bound",
        "1.0",
        "a layer at its bound cannot be made faster by itself; the costly layers are "
        "named below the findings",
        "far-from-the-bound",
    ),
    "P03": Retired(
        "int8-in-float-out",
        "1.0",
        "it is a part of P06, quantisation-border",
        "quantisation-border",
    ),
    "P04": Retired(
        "standalone-qdq",
        "1.0",
        "it is a part of P06, quantisation-border",
        "quantisation-border",
    ),
    "P05": Retired(
        "scale-one-side-int8",
        "1.0",
        "it is a part of P06, quantisation-border, and of F02",
        "quantisation-border",
    ),
    "P07": Retired(
        "int8-without-fp16",
        "1.0",
        "it is a part of P15, precision-not-allowed",
        "precision-not-allowed",
    ),
    "P12": Retired(
        "weak-typing-deprecated",
        "1.0",
        "it changes no time: the header of the findings says it",
    ),
    "P13": Retired(
        "int8-depthwise",
        "1.0",
        "a layer that is alone in FP16 needs reformats, and the timing of one layer has none",
    ),
    "P14": Retired(
        "fp32-weights",
        "1.0",
        "the log does not show that the kernel reads its weights in the type of the record",
    ),
    "R02": Retired(
        "transfer-bound",
        "1.0",
        "it is about the run, not about the engine: the header of the findings says it",
    ),
    "R03": Retired(
        "unstable",
        "1.0",
        "it is about the times, not about the engine: the header of the findings says it",
    ),
    "R04": Retired(
        "sum-vs-latency",
        "1.0",
        "it is about the times, not about the engine: the header of the findings says it",
    ),
    "R05": Retired(
        "default-stream",
        "1.0",
        "it is about the run, not about the engine: the header of the findings says it",
    ),
    "R06": Retired(
        "shapes-overridden",
        "1.0",
        "it is about the run, not about the engine: the header of the findings says it",
    ),
    "R08": Retired(
        "not-detailed",
        "1.0",
        "it is about the listing, not about the engine: the header of the findings says it",
    ),
    "R09": Retired(
        "layer-times-missing",
        "1.0",
        "what is timed, and what is not, is said above the findings",
    ),
    "R10": Retired(
        "graph-hides-layers",
        "1.0",
        "it is about the times, not about the engine: the header of the findings says it",
    ),
    "T02": Retired(
        "near-tie",
        "1.0",
        "it costs no time; the JSON and the summary have the tactics that were timed",
    ),
    "T03": Retired(
        "not-the-fastest",
        "1.0",
        "the builder counts the reformats that the fastest tactic needs: they cost more than it "
        "saves",
    ),
    "T05": Retired(
        "one-candidate",
        "1.0",
        "one tactic may be all that there is; the JSON and the summary have how many were timed",
    ),
    "T07": Retired(
        "timing-cache-unusable",
        "1.0",
        "in the first build with a file it is normal; the summary has the log's warnings",
    ),
    "T10": Retired(
        "estimate-vs-profile",
        "1.0",
        "the measured times hold; the JSON and the tooltips have both",
    ),
    "U12": Retired(
        "slow-axis",
        "1.0",
        "no record shows that the axis makes the layer slow",
    ),
}


def retired(word: str) -> Iterator[tuple[str, Retired]]:
    """Yields the rules whose codes begin so, in any case of letters, or which have this name."""
    start, name = word.upper(), word.lower()
    for code, rule in RETIRED.items():
        if (start and code.startswith(start)) or rule.name == name:
            yield code, rule
