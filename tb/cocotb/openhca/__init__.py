"""Verbs of the HCA under simulation from cocotb tests: the driver, the model and the checks of OpenHCA."""

from .client import OpenHcaError
from .fabric import Fabric
from .objects import Completion, Host, QueuePair, Region
from .run import run

__all__ = ["Completion", "Fabric", "Host", "OpenHcaError", "QueuePair", "Region", "run"]
