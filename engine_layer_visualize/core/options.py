"""The options of drawings and of reports, and what a device can do as it is given."""

# Without `from __future__ import annotations`, as a NamedTuple would compile each of them.

from typing import Final, Literal, NamedTuple, get_args

from engine_layer_visualize.core.text import NARROWEST, WIDTH, not_among

# ---- the options of drawings and of reports -----------------------------------------------------


class Peak(NamedTuple):
    """What a GPU can do at most, dense and at its maximum clock."""

    #: (precision, 10^12 FLOP/s) of `fp32`, `tf32`, `fp16` …, with `fp16_fp32` where FP32
    #: accumulation is slower.
    tflops: tuple[tuple[str, float], ...] = ()
    #: GB/s; None: unknown.
    bandwidth: float | None = None
    #: Its name or its compute capability; None: unknown.
    device: str | None = None
    #: The names of the figures that the user gave.
    given: tuple[str, ...] = ()
    #: The names of the figures that no datasheet confirms.
    unverified: tuple[str, ...] = ()
    #: The device's own L2 cache; None: unknown.
    l2_mib: float | None = None

    def of(self, precision: str) -> float | None:
        """FLOP/s; None: unknown."""
        return next((value * 1e12 for name, value in self.tflops if name == precision), None)

    @property
    def bytes_per_ms(self) -> float | None:
        """The bandwidth in bytes and ms."""
        return None if self.bandwidth is None else self.bandwidth * 1e6


ThemeName = Literal["light", "dark"]
ColorBy = Literal["time", "type", "precision"]

THEMES: Final[tuple[ThemeName, ...]] = get_args(ThemeName)
COLORS: Final[tuple[ColorBy, ...]] = get_args(ColorBy)


class Options(NamedTuple):
    """The options of a drawing."""

    #: Paper and ink.
    theme: ThemeName = "light"
    #: What fills the boxes.
    color_by: ColorBy = "time"
    #: The one that totals are of; None: the first.
    optimization_profile: int | None = None
    #: The names of files with their folders.
    full_paths: bool = False
    #: What the device can do, in place of what the log says.
    peak: Peak | None = None
    #: Large pictures show every layer.
    unfold: bool = False


DEFAULT: Final = Options()
_KNOWN: Final = {"theme": THEMES, "color_by": COLORS}


class ReportOptions(NamedTuple):
    """The options of a report."""

    #: How many rows a ranking has.
    top: int = 10
    #: As in `Options`.
    optimization_profile: int | None = None
    #: Names are not shortened.
    full: bool = False
    #: Columns of the terminal.
    width: int = WIDTH
    #: With the terminal's colours.
    color: bool = False
    #: Only what fits on a screen. Of text and Markdown: data is always whole.
    brief: bool = False
    #: The keys of the only sections, in their order. Of text and Markdown, too.
    sections: tuple[str, ...] = ()
    #: As in `Options`.
    full_paths: bool = False
    #: The engines are of several logs, so that the CSV names each.
    several: bool = False
    #: As in `Options`.
    peak: Peak | None = None
    #: The program's version, for formats that hold it.
    version: str = ""
    #: Of a gate, where one project has several.
    name: str = "engine"


def check(options: Options | ReportOptions) -> None:
    """Raises ValueError for a word that is none, or a number that is too small."""
    for name, known in _KNOWN.items():
        word = getattr(options, name, known[0])
        if word not in known:
            raise ValueError(not_among(name, word, known))
    if isinstance(options, ReportOptions):
        for name, least in (("top", 1), ("width", NARROWEST)):
            if (number := getattr(options, name)) < least:
                raise ValueError(f"{name} must be at least {least}, not {number}")
