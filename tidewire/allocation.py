"""Memory that is used again: rows in bulk pass through blocks that live for milliseconds.

    a COPY's block, its columns, a page of Parquet      some hundred kilobytes each, by the thousand
    huge pages     where one is asked for, the kernel clears two megabytes, of which much is never touched: with Arrow's and
                   numpy's allocators, which ask for them, that was a third of the server's processors in a COPY
    mmap           the C library asks the kernel for each large block, and gives it back: every page of it is cleared, and
                   faulted in, again and again. What is smaller than its own upper limits (32 MiB a block, 64 MiB at the end
                   of the heap) it keeps; it would come to that by itself, block by block

What is kept goes back when tables have been packed (`executor.snapshot.packing`).
"""

from __future__ import annotations

import ctypes
import sys
from typing import Final

_PR_SET_THP_DISABLE: Final = 41
_M_TRIM_THRESHOLD: Final = -1
_M_MMAP_THRESHOLD: Final = -3
KEPT_BLOCK_BYTES: Final = 32 << 20
KEPT_BYTES: Final = 64 << 20


def reuse_memory() -> None:
    """For the process of a server, before it works. On other systems and C libraries memory is as it comes."""
    if not sys.platform.startswith("linux"):
        return
    library = ctypes.CDLL(None)
    library.prctl(_PR_SET_THP_DISABLE, 1, 0, 0, 0)
    mallopt = getattr(library, "mallopt", None)
    if mallopt is not None:
        mallopt(_M_MMAP_THRESHOLD, KEPT_BLOCK_BYTES)
        mallopt(_M_TRIM_THRESHOLD, KEPT_BYTES)
