"""The options of drawings and of reports."""

# Annotations are no texts here: a NamedTuple would compile each of them.

from typing import Final, Literal, NamedTuple, get_args

from engine_layer_visualize.core.model import Statistic
from engine_layer_visualize.core.peak import Peak
from engine_layer_visualize.core.wrong_values import not_among

ThemeName = Literal["light", "dark"]
ColorBy = Literal["time", "type", "precision", "memory"]
Labels = Literal["short", "full", "large", "none"]
Direction = Literal["TB", "LR"]

THEMES: Final[tuple[ThemeName, ...]] = get_args(ThemeName)
COLORS: Final[tuple[ColorBy, ...]] = get_args(ColorBy)
LABELS: Final[tuple[Labels, ...]] = get_args(Labels)
DIRECTIONS: Final[tuple[Direction, ...]] = get_args(Direction)


class Options(NamedTuple):
    """`theme`: paper and ink; `color_by`: what fills the boxes; `labels`: how much of the names
    they bear, `large` the headline and the share alone; `direction`: where the chain runs, from the
    top to the bottom or from left to right,
    in `dot` (pictures of ours are folded); `optimization_profile`: the one that totals are of
    (None: the first); `time`: the mean or the median of a layer's measured times;
    `full_paths`: the names of files with their folders; `peak`: what the device can do, in place
    of what the log says; `unfold`: large pictures show every block of a repeat."""

    theme: ThemeName = "light"
    color_by: ColorBy = "time"
    labels: Labels = "short"
    direction: Direction = "TB"
    optimization_profile: int | None = None
    time: Statistic = "mean"
    full_paths: bool = False
    peak: Peak | None = None
    unfold: bool = False


DEFAULT: Final = Options()
_KNOWN: Final[tuple[tuple[str, tuple[str, ...]], ...]] = (
    ("theme", THEMES),
    ("color_by", COLORS),
    ("labels", LABELS),
    ("direction", DIRECTIONS),
    ("time", get_args(Statistic)),
)
NARROWEST: Final = 40  # columns of a report
WIDTH: Final = 140  # columns of a report that no terminal shows
# The keys of a report's sections, in order: those of `report.SECTIONS`, which imports them all.
SECTIONS: Final = (
    *("engine", "findings", "slowest", "work", "types", "precisions", "optimization_profiles"),
    "reformats",
    *("higher_precision", "foreign_nodes", "fusions", "onnx", "memory", "autotuning", "latency"),
    *("problems", "sources"),
)


class ReportOptions(NamedTuple):
    """`top`: rows of a ranking; `optimization_profile`, `time`: as in `Options`; `verbose`: with
    the lines of the log that the numbers are from; `full`: names are not shortened; `width`:
    columns of the terminal; `color`: with the terminal's colours; `brief`: only what fits on a
    screen; `sections`: keys of the only ones, in their order (both are of text and Markdown:
    data is always whole); `full_paths`, `peak`: as in `Options`; `several`: the engines are of
    several logs, so that the CSV names each; `version`: the program's, for formats with it."""

    top: int = 10
    optimization_profile: int | None = None
    time: Statistic = "mean"
    verbose: bool = False
    full: bool = False
    width: int = WIDTH
    color: bool = False
    brief: bool = False
    sections: tuple[str, ...] = ()
    full_paths: bool = False
    several: bool = False
    peak: Peak | None = None
    version: str = ""


def check(options: Options | ReportOptions) -> None:
    """Raises ValueError for a word that is none, or a number that is too small."""
    for name, known in _KNOWN:
        word = getattr(options, name, known[0])
        if word not in known:
            raise ValueError(not_among(name, word, known))
    if isinstance(options, ReportOptions):
        for name, least in (("top", 1), ("width", NARROWEST)):
            if (number := getattr(options, name)) < least:
                raise ValueError(f"{name} must be at least {least}, not {number}")
