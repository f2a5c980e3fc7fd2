"""How much of a log is read and kept at most, so that no input takes all memory or all time."""

from __future__ import annotations

from typing import Final

LAYERS: Final = 1_000_000  # of a log

# ---- of a network ----
NAMES: Final = 100_000  # of one kind; a network has some thousands
NAME_BYTES: Final = 1 << 13  # TensorRT cuts names at 4,095
MODEL_TEXT: Final = 32 << 20  # characters of a model's different names
MODEL_EDGES: Final = 1_000_000  # a node's tensors, all nodes of a model together
MODEL_STEPS: Final = 10_000_000  # of all walks through a model
NESTED: Final = 64  # nodes in the subgraphs of nodes
EXTENTS: Final = 8  # of a tensor, as TensorRT has
DIMS: Final = 200  # characters of a shape; 8 extents have fewer

# ---- of a build ----
SEGMENTS: Final = 10_000  # builds and runs of a log, and spans of timings of a build
ATTEMPTS: Final = 64  # to build a network
STRATEGIES: Final = 1_000  # lines that tell of them
COUNTS: Final = 1_000  # lines that count an engine's layers
TOTALS: Final = 64  # of memory
CHOSEN: Final = 1 << 10  # combinations of formats of one name
OPERATIONS: Final = 1_000  # of one timing of a ForeignNode
DIGITS: Final = 19  # of a size in bytes
IDLE: Final = 10_000  # lines that say nothing and are known again
IDLE_BYTES: Final = 500  # of one of them

# ---- of a run of trtexec ----
OPTIONS: Final = 1_024  # options, and as many phases, sections, measures
VALUE: Final = 2_000  # characters of an option
AVERAGES: Final = 1 << 20  # of a run
CLOCK, SMS, BUS_BITS, MEMORY = 100.0, 10_000, 1_000_000, 1_000_000_000  # more has no device

# ---- of messages ----
MESSAGES: Final = 100  # of a severity; beyond them few of each kind
OF_KIND: Final = 3
KINDS: Final = 100
MESSAGE: Final = 500  # bytes or characters; an error may list a whole graph
WEIGHTS: Final = 2_000  # bytes of the names of weights that a warning is about
LINES_BEFORE: Final = 1_000  # a warning, which tell what it is about
ERROR_PREFIX: Final = 1 << 10  # bytes before the words of an error
STEP_LINE: Final = 1 << 10  # bytes of a line that tells where a build is
