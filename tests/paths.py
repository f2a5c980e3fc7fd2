"""Where the checkout, its fixtures and the recorded logs are."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FIXTURES = ROOT / "fixtures"
CENTERNET = FIXTURES / "classic" / "8.0-centernet.log"  # the largest of them
TIMES = CENTERNET.with_suffix(".profile.json")
RECORDED = ROOT.parent / "shared" / "recorded"  # other people's logs: not in the repository


def fixture_logs() -> list[Path]:
    """Every log and every inspector's JSON of the fixtures, packed ones too."""
    patterns = ("*.log", "*.log.*", "inspector_json/*.json")
    found = (path for pattern in patterns for path in FIXTURES.rglob(pattern))
    return sorted(p for p in found if ".expected." not in p.name and ".profile" not in p.name)


def profiles_of(log: Path) -> list[Path]:
    return sorted(log.parent.glob(f"{log.name.split('.log')[0].removesuffix('.json')}.profile*"))


def recorded(number: str, suffix: str = "") -> Path:
    """The recorded file whose name begins with `number`."""
    (path,) = RECORDED.glob(f"{number}_*{suffix}")
    return path
