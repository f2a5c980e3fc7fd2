"""Finds what other packages add: rules, formats of times and of listings, by entry points.

What they add is code, which runs as the program's own. What goes wrong in it is told (ELV708), and
does no further harm.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from contextvars import ContextVar
from functools import cache
from typing import Any, Final, Literal, NamedTuple

from engine_layer_visualize.core.problems import Place, Problem, ReadError
from engine_layer_visualize.core.text import shorten

Kind = Literal["rules", "profiles", "listings"]
_GROUPS: Final = "engine_layer_visualize."  # the start of their names
_INSTALLED: Final = (".dist-info", ".egg-info")
_LIBRARY: Final = re.compile(r"python\d+\.zip")  # Python's own modules, as in a browser
_LONGEST: Final = 300  # characters of an error's text
_OWN: Final = "engine_layer_visualize"
_running: str | None = None


class Failure(Exception):
    """What an extension raised, as its cause: it ends neither the program nor a report."""


class Extension(NamedTuple):
    """A module of another package that an entry point names."""

    package: str  # with its version: `acme-rules 1.0`
    name: str  # of the entry point
    module: Any

    def wrong(self, message: str) -> Problem:
        """Returns the problem that it cannot be used."""
        return _problem(self.package, self.name, message)

    def failed(self, doing: str, error: BaseException) -> Problem:
        """Returns the problem that it raised an error."""
        return self.wrong(f"{doing} failed: {_why(error)}")

    def run(self, doing: str, function: Callable[..., Any], *given: Any) -> Any:
        """Calls a function of it. Raises Failure; tells it where the user interrupts it.

        What it prints goes to stderr: stdout is a report's.
        """
        global _running
        before, _running = _running, f"{doing} of {_words(self.package, self.name)}"
        try:
            with redirect_stdout(sys.stderr):
                return function(*given)
        except KeyboardInterrupt as error:
            tell(self.wrong(f"{doing} had not ended{_place(error)}"))
            raise
        except BaseException as error:
            raise Failure from error
        finally:
            _running = before

    def read(self, name: str, *given: Any) -> Any:
        """Calls the `read` of its format. Raises ReadError where that fails."""
        try:
            return self.run("read", self.module.FORMAT.read, *given)
        except Failure as error:
            if isinstance(error.__cause__, ReadError):
                raise error.__cause__ from None
            raise self.unreadable(name, f"read failed: {_why(error)}") from error

    def unreadable(self, file: str, message: str) -> ReadError:
        """Returns the error that it cannot read a file."""
        words = f"{_words(self.package, self.name)}: {message}"
        return ReadError(Problem(Place(file, 1), "ELV708", words))


def of_kind(kind: Kind) -> tuple[Extension, ...]:
    """Returns what is installed of a kind; tells what cannot be imported."""
    found, problems = _loaded(kind)
    for problem in problems:
        tell(problem)
    return found


@cache
def _loaded(kind: Kind) -> tuple[tuple[Extension, ...], tuple[Problem, ...]]:
    if not _are_installed():
        return (), ()
    from importlib.metadata import entry_points

    named = {}
    for point in entry_points(group=_GROUPS + kind):
        package = f"{point.dist.name} {point.dist.version}" if point.dist else "?"
        named[package, point.name, point.value] = point
    found, problems = [], []
    for (package, name, _), point in sorted(named.items(), key=lambda item: item[0]):
        try:
            module = Extension(package, name, None).run("import", point.load)
            found.append(Extension(package, name, module))
        except Failure as error:
            problems.append(_problem(package, name, f"its import failed: {_why(error)}"))
    return tuple(found), tuple(problems)


@cache
def _are_installed() -> bool:
    """Whether an installed package names one of the groups.

    `importlib.metadata` takes longer to be imported than a small log to be read.
    """
    for folder in sys.path:
        try:
            names = os.listdir(folder or ".")
        except NotADirectoryError:  # a zip file: `importlib.metadata` looks into it
            if _LIBRARY.match(os.path.basename(folder)):
                continue
            return True
        except OSError:
            continue
        for name in names:
            if name.endswith(_INSTALLED):
                try:
                    with open(os.path.join(folder, name, "entry_points.txt"), "rb") as file:
                        if b"[" + _GROUPS.encode() in file.read():
                            return True
                except OSError:
                    continue
    return False


def running() -> str | None:
    """Returns what is being run of an extension, in any thread."""
    return _running


def _problem(package: str, name: str, message: str) -> Problem:
    return Problem(Place(_words(package, name)), "ELV708", message)


def _words(package: str, name: str) -> str:
    return f"the extension {name} of {package}"


def _why(error: BaseException) -> str:
    """Returns the error: `ZeroDivisionError: division by zero (acme_rules/padding.py:31)`."""
    if isinstance(error, Failure) and error.__cause__ is not None:
        error = error.__cause__
    try:
        text = str(error)
    except Exception:  # its `__str__` is an extension's, too
        text = ""
    text = shorten(": ".join(filter(None, (type(error).__name__, text))), _LONGEST)
    return f"{text}{_place(error)}"


def _place(error: BaseException) -> str:
    """Returns where it was raised: the last place that is not of this program, if there is one."""
    import traceback

    places = list(traceback.walk_tb(error.__traceback__))
    theirs = [at for at in places if at[0].f_globals.get("__name__", "").split(".")[0] != _OWN]
    if not places:
        return ""
    frame, line = (theirs or places)[-1]
    path = frame.f_code.co_filename.replace(os.sep, "/").split("/")
    return f" ({'/'.join(path[-2:])}:{line})"


# ---- who is told ---------------------------------------------------------------------------------


def _warn(problem: Problem) -> None:
    import warnings

    warnings.warn(str(problem), stacklevel=3)


_LISTENER: Final[ContextVar[Callable[[Problem], None]]] = ContextVar("listener", default=_warn)
_TOLD: Final[ContextVar[dict[Problem, None] | None]] = ContextVar("told", default=None)


def tell(problem: Problem) -> None:
    """Tells a problem of an extension; Python's users are warned."""
    _LISTENER.get()(problem)


def told() -> list[Problem]:
    """Returns what was told so far inside of `told_to`."""
    return list(_TOLD.get() or ())


@contextmanager
def told_to(listener: Callable[[Problem], None]) -> Iterator[None]:
    """Has each problem of extensions told inside, once."""
    told: dict[Problem, None] = {}

    def once(problem: Problem) -> None:
        if problem not in told:
            told[problem] = None
            listener(problem)

    tokens = _LISTENER.set(once), _TOLD.set(told)
    try:
        yield
    finally:
        _LISTENER.reset(tokens[0])
        _TOLD.reset(tokens[1])
