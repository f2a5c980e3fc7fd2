"""The engine with poisonous names, read once."""

from pathlib import Path

import pytest

from engine_layer_visualize.api.engine import Engine
from escaping import poison


@pytest.fixture(scope="session")
def poisoned() -> Engine:
    return poison.engine()


@pytest.fixture(scope="session")
def poison_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("poison") / "poison.json"
    path.write_text(poison.inspector_json(), "utf-8")
    return path
