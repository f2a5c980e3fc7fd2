"""Says which command installs the packages of an extra.

It names the packages, not the extra: that is right for a checkout, a wheel and an index alike.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

_PACKAGE: Final = "engine_layer_visualize"
_NAME: Final = re.compile(r"[\w.-]+")


def install(extra: str) -> str:
    """The command: `pip install resvg-py fontpkg-ibm-plex-sans`."""
    names = (_NAME.match(line.strip()) for line in _requirements(extra))
    return " ".join(["pip install", *(match[0] for match in names if match)])


def _requirements(extra: str) -> Iterable[str]:
    """The requirements as setup.cfg has them: in the package's metadata, or beside the package."""
    from configparser import ConfigParser
    from importlib import metadata  # slow to import

    try:
        known = list(_of_metadata(metadata.requires(_PACKAGE) or (), extra))
    except metadata.PackageNotFoundError:
        known = []
    if known:
        return known
    config = ConfigParser()  # a checkout's metadata may be older than the extra
    config.read(Path(__file__).resolve().parents[2] / "setup.cfg", "utf-8")
    return config.get("options.extras_require", extra, fallback=extra).strip().split("\n")


def _of_metadata(requirements: Iterable[str], extra: str) -> Iterator[str]:
    for line in requirements:
        requirement, _, condition = line.partition(";")
        if re.search(rf"""extra\s*==\s*['"]{extra}['"]""", condition):
            yield requirement
