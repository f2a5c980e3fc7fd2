"""`python -m engine_layer_visualize`.

takes: the process's arguments
gives: its exit code
never: does anything else
"""

import sys

from engine_layer_visualize.cli import main

if __name__ == "__main__":
    sys.exit(main())
