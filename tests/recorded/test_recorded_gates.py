"""Engines of real logs in a gate: against themselves, and as snapshots."""

from __future__ import annotations

from pathlib import Path

import pytest
from recorded_logs import LOGS, engines_of

from engine_layer_visualize.analysis.costs import Costs
from engine_layer_visualize.comparison import gate_evidence
from engine_layer_visualize.comparison.compare import compare
from engine_layer_visualize.comparison.verdict import Limits
from engine_layer_visualize.core.snapshot import Snapshot
from engine_layer_visualize.reading import baseline as snapshot_file
from engine_layer_visualize.reports import gate

pytestmark = pytest.mark.skipif(not LOGS, reason="no recorded logs")
STRICT = Limits(slowdown=0, layer_slowdown=0, min_layer_ms=0, memory=0)


@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.name[:3])
def test_an_engine_is_neither_slower_nor_another_than_its_snapshot(path: Path) -> None:
    for engine in engines_of(path):
        own = gate_evidence.of_engine([Costs(engine)], [])
        text = b"".join(gate.snapshot_written(own))
        assert len(text) < 1_500 + 400 * len(engine.layers)
        kept = snapshot_file.of_text(text.decode(), "base.json")
        assert kept == own
        found = compare(gate_evidence.described_costs(kept), Costs(engine))
        assert all(group.all[0] == group.all[1] for group in found.groups)
        itself = compare(Costs(engine), Costs(engine))
        assert found.unmatched.a == found.unmatched.b == itself.unmatched.a
        # A listing that its author shortened.
        part = bool(kept.unfit) or any(one.part < 0.9 for one in kept.coverage)
        timed = bool(kept.runs or kept.profiles)
        for baseline in (kept, own):
            copied = gate_evidence.judge_sides(baseline, own, STRICT).verdict
            assert copied in ("not comparable", "unsure") if timed else copied == "not comparable"
            verdict = gate_evidence.judge_sides(_another_run(baseline), own, STRICT).verdict
            known = ("not comparable", "unsure") if part else ("pass", "unsure")
            assert verdict in (known if timed else ("not comparable",))


def _another_run(kept: Snapshot) -> Snapshot:
    """The same times, which are not known to be those of the same run."""
    runs, profiles = (
        tuple(run._replace(digest="") for run in own) for own in (kept.runs, kept.profiles)
    )
    return kept._replace(runs=runs, profiles=profiles)
