"""Outputs, byte for byte. `pytest --update-golden` rewrites them: look at what git says of that."""

from pathlib import Path

import pytest
from paths import FIXTURES
from program import Patch

from engine_layer_visualize.commands import cli

FOLDER = Path(__file__).resolve().parent
FORMATS = ("dot", "json")
LOGS = {
    "8.0-centernet": "classic/8.0-centernet.log",
    "8.5-new-descriptors": "classic/8.5-new-descriptors.log",
    "10-two-profiles-myelin": "classic/10-two-profiles-myelin.log",
    "8.5-merged-dump": "detailed/8.5-merged-dump.log",
    "rtx-io-tensors": "detailed/rtx-io-tensors.log",
    "trtexec-pretty": "inspector_json/trtexec-pretty.json",
}
STEMS = tuple(LOGS)


def outputs_of(stem: str, folder: Path, monkeypatch: Patch) -> dict[str, bytes]:
    """What the program writes for a fixture: golden file's name -> bytes."""
    log = FIXTURES / LOGS[stem]
    monkeypatch.chdir(log.parent)  # so that outputs name the log as it stands there
    words = ["--log_file", log.name, "--output_dir", str(folder)]
    for profile in sorted(log.parent.glob(f"{stem}.profile*")):
        words += ["--profile_file", profile.name]
    for format in FORMATS:  # one by one: a format that needs facts would give them to the others
        assert cli.main([*words, "--format", format]) == 0
    written = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert set(written) == {f"EngineLayers_0.{format}" for format in FORMATS}
    return {f"{stem}.{name.rpartition('.')[2]}": data for name, data in written.items()}


@pytest.mark.parametrize("stem", STEMS)
def test_outputs_are_the_golden_bytes(
    stem: str, tmp_path: Path, monkeypatch: Patch, request: pytest.FixtureRequest
) -> None:
    update = request.config.getoption("--update-golden")
    for name, data in outputs_of(stem, tmp_path, monkeypatch).items():
        golden = FOLDER / name
        assert str(FIXTURES).encode() not in data, "an output depends on where the checkout lies"
        if update:
            golden.write_bytes(data)
        assert golden.is_file(), f"{name} is missing; pytest --update-golden writes it"
        expected = golden.read_bytes()
        # As text first: the difference of two lines can be read, that of two files cannot.
        assert data.decode("utf-8").split("\n") == expected.decode("utf-8").split("\n")
        assert data == expected


def test_no_golden_is_left_over() -> None:
    found = {path.name for path in FOLDER.iterdir() if path.suffix in (".dot", ".json")}
    assert found == {f"{stem}.{format}" for stem in STEMS for format in FORMATS}
