"""The frozen values that all other folders exchange, and short safe texts.

model       the engine: layers, tensors, times, graph
build_info  what a log says of a layer and of an engine besides the listing; performance: of runs;
            sources: where it says so
snapshot    what a gate keeps of an engine
outcome     what became of a build and of a listing
problems    what went wrong, where, with a code
text, words texts that are short and safe to show
"""

#: This version of the package; a test compares the other files that name it.
__version__ = "1.0.0rc2"
