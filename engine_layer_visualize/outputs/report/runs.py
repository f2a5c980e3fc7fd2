"""trtexec's options in; why the log has no end-to-end latency, and what to run, out."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from engine_layer_visualize.core.build_info import Option

ELSEWHERE: Final = "For the end-to-end latency, log a run of trtexec: it prints a summary."
_BUILT_ONLY: Final = (
    "No end-to-end latency: this trtexec built the engine and did not run it ({flag}). "
    "`trtexec --loadEngine=…` runs it and prints a summary."
)
_PROFILED: Final = (
    "No end-to-end latency: trtexec measures none while it profiles the layers. "
    "With `--separateProfileRun` it measures both."
)
_CUT: Final = "No end-to-end latency: trtexec's performance summary is not in this log."


def no_latency(options: Iterable[Option]) -> str:
    """The advice for an engine without trtexec's performance summary."""
    values = {option.key: option.value for option in options}
    for key, flag in (("Skip inference", "--skipInference"), ("Build only", "--buildOnly")):
        if values.get(key) == "Enabled":
            return _BUILT_ONLY.format(flag=flag)
    profiled = values.get("Profile") == "Enabled" or values.get("Export profile to JSON file")
    if profiled and values.get("Separate profiling") == "Disabled":
        return _PROFILED
    return _CUT if "Separate profiling" in values or "Build only" in values else ELSEWHERE
