"""Which files `mcp` may read: this holds without the SDK, too."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest
from program import Program

from engine_layer_visualize.core.problems import ReadError
from engine_layer_visualize.io.input_files import Folders
from engine_layer_visualize.io.source import Source


def _read(folders: Folders, path: str) -> bytes:
    with folders.files(path) as (file,):
        return Source(file).whole()


def test_no_path_leads_out_of_the_folders(tmp_path: Path) -> None:
    inside, secret = tmp_path / "in", tmp_path / "secret.log"
    (inside / "sub").mkdir(parents=True)
    secret.write_text("password")
    (inside / "link.log").symlink_to(secret)
    (inside / "up").symlink_to(tmp_path)
    (inside / "own.log").write_text("mine")
    folders = Folders([str(inside)])
    for path in ("../secret.log", str(secret), "link.log", "up/secret.log", "/proc/self/environ"):
        with pytest.raises(ValueError, match="leads out of the folders"):
            _read(folders, path)
    for path in ("nothing.log", "sub", "", "a\0b", "lone \ud800"):
        with pytest.raises(ValueError):
            _read(folders, path)
    assert _read(folders, "sub/../own.log") == b"mine"
    with folders.files("own.log"), pytest.raises(ReadError):  # another one, whatever was checked
        Source(secret).whole()
    assert [path for path, _ in folders.listed()] == [str(inside / "own.log")]


@pytest.mark.parametrize("what", ["file", "folder", "pipe"])
def test_what_is_swapped_meanwhile_is_never_read(tmp_path: Path, what: str) -> None:
    inside, outside = tmp_path / "in", tmp_path / "out"
    for folder, text in ((inside / "sub", "mine"), (outside, "password")):
        folder.mkdir(parents=True)
        (folder / "a.log").write_text(text)
    spare, place = tmp_path / "spare", inside / "sub" / "a.log"
    if what == "folder":
        place = inside / "sub"
        spare.symlink_to(outside)
    elif what == "file":
        spare.symlink_to(outside / "a.log")
    else:
        os.mkfifo(spare)
    ended = threading.Event()

    def swap() -> None:
        third = tmp_path / "third"
        while not ended.is_set():
            for before, after in ((place, third), (spare, place), (third, spare)):
                before.rename(after)

    folders, found = Folders([str(inside)]), []
    thread = threading.Thread(target=swap)
    thread.start()
    try:
        for _ in range(600):
            try:
                found.append(_read(folders, "sub/a.log"))
            except (ValueError, ReadError):
                found.append(b"")
    finally:
        ended.set()
        thread.join()
    assert {*found} == {b"mine", b""}


def test_a_folder_that_is_none(here: Program) -> None:
    told = here("mcp", "nofolder", code=2).stderr
    assert "ELV401" in told and "no such file or directory" in told
    assert "required: DIR" in here("mcp", code=2).stderr
