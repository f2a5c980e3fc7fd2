"""The child process that builds with a Python package of TensorRT's.

takes: the package's name and a job, as JSON
gives: the builder's log on stdout, and an exit code
never: is called by hand
"""

import sys

from engine_layer_visualize.builders.python_api import child

if __name__ == "__main__":
    sys.exit(child(*sys.argv[1:]))
