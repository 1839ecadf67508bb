"""What a server imports, and how fast: most of the time from its start to its first answer.

    the collector rests     modules make some hundred thousand objects that stay; none is looked at then, or ever again
    quick dataclasses       what shows them and what keeps them frozen is not compiled for each (`dataclass_methods`)
    without pandas          pyarrow imports it, where it is installed, with the first Python value that becomes Arrow
    without rich            structlog imports it for tracebacks that this server does not print

What only some servers need (a driver, certificates) is imported by the functions that need it.
"""

from __future__ import annotations

import contextlib
import gc
import sys
from collections.abc import Iterator, Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Final

from tidewire.dataclass_methods import quick_dataclasses

UNWANTED: Final = frozenset({"pandas", "rich"})


class _Absent:
    """A finder to which what is unwanted is not installed."""

    @staticmethod
    def find_spec(
        name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name in UNWANTED:
            raise ModuleNotFoundError(f"a server does without {name}", name=name)
        return None


@contextlib.contextmanager
def quick_imports() -> Iterator[None]:
    """For the imports of a server, and of nothing else: who asks afterwards finds what is installed."""
    collects = gc.isenabled()
    gc.disable()
    sys.meta_path.insert(0, _Absent)
    try:
        with quick_dataclasses():
            yield
    finally:
        sys.meta_path.remove(_Absent)
        gc.freeze()
        if collects:
            gc.enable()
