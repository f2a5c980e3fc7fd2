"""What one run makes and the next can use: bytes by name in, bytes by name out.

They lie in the user's cache folder. Where others can write to it, or we cannot, nothing is kept.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path

from engine_layer_visualize.io.atomic_file import save


def kept(name: str) -> bytes | None:
    """What is kept under that name; None where nothing is."""
    folder = _folder()
    with suppress(OSError):
        if folder is not None and _ours(folder):
            return (folder / name).read_bytes()
    return None


def keep(name: str, data: bytes) -> None:
    """Keeps `data` under that name, if it can."""
    folder = _folder()
    with suppress(OSError):
        if folder is not None:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if _ours(folder):
                save(folder / name, [data])


def _folder() -> Path | None:
    """None where there is no such folder, or no way to tell whose it is (Windows)."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    base = base if os.path.isabs(base) else os.path.expanduser("~/.cache")
    known = os.name == "posix" and os.path.isabs(base)
    return Path(base, "engine_layer_visualize") if known else None


def _ours(folder: Path) -> bool:
    """Whether it is the user's own, and nobody else can write to it."""
    found = folder.stat()
    others = found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid() and not others
