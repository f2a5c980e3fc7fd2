"""Runs the command line: of `python -m engine_layer_visualize`, and of the installed script."""

import sys

if __name__ == "__main__" and not (sys.flags.isolated or getattr(sys.flags, "safe_path", False)):
    # `-m` puts the working directory first: a `json.py` that stands there would be run.
    sys.path[:] = [path for path in sys.path if path not in ("", sys.path[0])]

import gc
import os
import signal


def main() -> None:
    """Imports the command line, runs it, and ends the process with its exit code."""
    gc.disable()  # it would search all that is imported, and free nothing
    home = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    if home not in sys.path:  # a checkout, which child processes must find
        sys.path.append(home)
    os.environ.setdefault("PYTHONSAFEPATH", "1")  # of child processes
    handled = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if handled:  # not where Ctrl-C is ignored, as behind `&` in a script
        signal.signal(signal.SIGINT, _interrupted)
    from engine_layer_visualize.commands import cli

    if handled:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    # Python would wait for other threads, and free what the system frees faster. All is closed and
    # flushed by now.
    os._exit(cli.main())


def _interrupted(number: int, frame: object) -> None:
    """Ends the process while it imports: nothing is open yet that would have to be closed."""
    if sys.stderr is not None:
        os.write(sys.stderr.fileno(), b"interrupted\n")
    os._exit(128 + number)


if __name__ == "__main__":
    main()
