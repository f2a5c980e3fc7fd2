"""Run with pytest, where this package is installed."""

from pathlib import Path

import engine_layer_visualize as elv

HERE = Path(__file__).parent


def test_a_slow_pooling_is_found() -> None:
    engine = elv.read(HERE / "engine.layers", HERE / "engine.times").engines[0]
    found = {finding.code: finding for finding in elv.findings(engine)}["XACME01"]
    assert found.layers == (1,)
    assert found.touches_ms == 0.08


def test_every_layer_has_its_time() -> None:
    engine = elv.read(HERE / "engine.layers", HERE / "engine.times").engines[0]
    assert [layer.name for layer in engine.layers] == ["conv1", "pool1", "conv2"]
    assert [layer.time.average_ms for layer in engine.layers if layer.time] == [
        0.0125,
        0.08,
        0.0075,
    ]
