"""`python -m engine_layer_visualize`: runs the command line with the process's arguments."""

import sys

from engine_layer_visualize.cli import main

if __name__ == "__main__":
    sys.exit(main())
