"""The options of drawings and of reports."""

# Annotations are no texts here: a NamedTuple would compile each of them.

from typing import Final, Literal, NamedTuple, get_args

from engine_layer_visualize.core.model import Statistic

ThemeName = Literal["light", "dark"]
ColorBy = Literal["time", "type", "precision", "memory"]
Labels = Literal["short", "full", "none"]
Direction = Literal["TB", "LR"]

THEMES: Final[tuple[ThemeName, ...]] = get_args(ThemeName)
COLORS: Final[tuple[ColorBy, ...]] = get_args(ColorBy)
LABELS: Final[tuple[Labels, ...]] = get_args(Labels)
DIRECTIONS: Final[tuple[Direction, ...]] = get_args(Direction)


class Options(NamedTuple):
    """`theme`: paper and ink; `color_by`: what fills the boxes; `labels`: how much of the names
    they bear; `direction`: where the chain runs, from the top to the bottom or from left to right,
    in `dot` (pictures of ours are folded); `optimization_profile`: the one that totals are of
    (None: the first); `time`: the mean or the median of a layer's measured times."""

    theme: ThemeName = "light"
    color_by: ColorBy = "time"
    labels: Labels = "short"
    direction: Direction = "TB"
    optimization_profile: int | None = None
    time: Statistic = "mean"


DEFAULT: Final = Options()
NARROWEST: Final = 40  # columns of a report


class ReportOptions(NamedTuple):
    """`top`: rows of a ranking; `optimization_profile`, `time`: as in `Options`; `verbose`: with
    the lines of the log that the numbers are from; `full`: names are not shortened; `width`:
    columns of the terminal; `color`: with the terminal's colours."""

    top: int = 10
    optimization_profile: int | None = None
    time: Statistic = "mean"
    verbose: bool = False
    full: bool = False
    width: int = 140
    color: bool = False
