"""Answers an assistant's questions about the logs in some folders: a server of MCP on stdin."""

import gc

from engine_layer_visualize.commands import Report, flags
from engine_layer_visualize.commands.flags import READ
from engine_layer_visualize.core.problems import Place, Problem, ReadError
from engine_layer_visualize.io.input_files import Folders


class Options(flags.Options):
    """Which folders may be read."""

    folders: tuple[str, ...] = READ.words("folders; only files in them are read", "DIR", "+")

    @property
    def files_read(self) -> tuple[str, ...]:
        """The folders: they must be there."""
        return self.folders


def run(options: Options, report: Report) -> None:
    """Serves until stdin ends. Raises ReadError (ELV401, ELV502)."""
    folders = Folders(options.folders)
    try:
        from engine_layer_visualize.commands import mcp_tools
    except ImportError:
        message = "it needs the SDK of MCP, from 2.0: pip install mcp"
        raise ReadError(Problem(Place("mcp"), "ELV502", message)) from None
    gc.enable()  # it may run for days
    mcp_tools.serve(folders)
