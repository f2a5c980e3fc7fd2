"""Work as JSON values: the key `work` of an engine, in schema 1 and the summary."""

from __future__ import annotations

from engine_layer_visualize.analysis.work import EngineWork
from engine_layer_visualize.core.model import JsonValue
from engine_layer_visualize.core.peak import Peak


def of_engine(work: EngineWork) -> dict[str, JsonValue]:
    """Of the optimisation profile that totals are of."""
    return {
        "macs": work.macs,
        "macs_known": work.macs_known,
        "layers_unknown": work.layers_unknown,
        "peak": None if work.peak is None else _peak(work.peak),
    }


def _peak(peak: Peak) -> JsonValue:
    tflops: dict[str, JsonValue] = dict(peak.tflops)
    return {
        "device": peak.device,
        "tflops": tflops,
        "bandwidth_gbs": peak.bandwidth,
        "given": list(peak.given),
        "unverified": list(peak.unverified),
    }
