"""Which files `mcp` may read: this holds without the SDK, too."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine_layer_visualize.commands import cli
from engine_layer_visualize.commands.allowed_folders import Folders


def test_no_path_leads_out_of_the_folders(tmp_path: Path) -> None:
    inside, secret = tmp_path / "in", tmp_path / "secret.log"
    (inside / "sub").mkdir(parents=True)
    secret.write_text("password\n")
    (inside / "link.log").symlink_to(secret)
    (inside / "up").symlink_to(tmp_path)
    (inside / "own.log").write_text("mine\n")
    folders = Folders([str(inside)])
    for path in ("../secret.log", str(secret), "link.log", "up/secret.log", "/proc/self/environ"):
        with pytest.raises(ValueError, match="leads out of the folders"):
            folders.file(path)
    for path in ("nothing.log", "sub", "", "a\0b", "lone \ud800"):
        with pytest.raises(ValueError):
            folders.file(path)
    assert folders.file("sub/../own.log") == str((inside / "own.log").resolve())


def test_a_folder_that_is_none(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["mcp", "nofolder"]) == 3
    assert "ELV401" in capsys.readouterr().err
