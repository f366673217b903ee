"""What of the package is C++."""

from typing import Any, Optional

class UsageError(ValueError):
    """What was asked for does not exist or does not fit; says what is right."""

class Failure(RuntimeError):
    """What was asked for is right, and the machine has not what is needed; says what."""

class Kernel:
    def __init__(self, name: str, arrays: list[str], rank: int, description: str,
                 file: str) -> None: ...
    def run(self, arrays: tuple[Any, ...], numbers: tuple[float, ...], schedule: str,
            device: Optional[str]) -> None: ...
    def record(self) -> str: ...
    def measure(self, arrays: tuple[Any, ...], numbers: tuple[float, ...], schedule: str,
                device: Optional[str], repeats: int, check: bool) -> str: ...

def devices() -> list[str]:
    """The devices of this machine: GPUs, the cpu, the emulated GPUs."""

def headers_folder() -> str: ...
def library_folder() -> str: ...
def keep_source(file_name: str, text: str) -> str: ...
