"""Findings about engines of a real builder, whose model is known."""

from __future__ import annotations

from pathlib import Path

import builder

import engine_layer_visualize as elv

pytestmark = builder.needed()


def test_channels_that_the_builder_appends_are_not_the_model_s(tmp_path: Path) -> None:
    """It pads 50 channels to 52 between two convolutions in Int8."""
    (engine,) = builder.engines([("channels:50", "DETAILED")], tmp_path).values()
    assert any(tensor.shape[1] == 52 for layer in engine.layers for tensor in layer.inputs)
    assert "H01" not in [one.code for one in elv.findings(engine)]
