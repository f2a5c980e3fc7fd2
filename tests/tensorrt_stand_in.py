"""Classes with the signatures of TensorRT's bindings: what calls and what is called back.

`trt` stands for the module that a program imports.
"""

import enum
from types import SimpleNamespace


class Severity(enum.Enum):
    """As `trt.ILogger.Severity`."""

    INTERNAL_ERROR = 0
    ERROR = 1
    WARNING = 2
    INFO = 3
    VERBOSE = 4


class _Base:
    """The bindings refuse an object whose own class did not call their `__init__`."""

    def __init__(self) -> None:
        self.ready = True


class ILogger(_Base):
    def log(self, severity: Severity, msg: str) -> None:
        raise NotImplementedError


class IProfiler(_Base):
    def report_layer_time(self, layer_name: str, ms: float) -> None:
        raise NotImplementedError


class LayerInformationFormat(enum.Enum):
    JSON = 1


trt = SimpleNamespace(ILogger=ILogger, IProfiler=IProfiler)
