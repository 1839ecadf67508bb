"""How deeply expressions may nest: `a || ',' || b || ...` over the columns of a wide table is some hundred levels.

    reading       in C (sqlglot's compiled parser), whose frames are large: as many calls as Python allows by itself
    binding       four calls of Python's a level, which take little of a thread's stack: five times as many
    DuckDB        two levels of its own a level (`executor.columnar.submitting`)

Each limit is met as a RecursionError, 54001, long before the 8 MB of a stack are full.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

READING: Final = 1000
BINDING: Final = 5000


@contextmanager
def calls_up_to(count: int) -> Iterator[None]:
    """Python's calls may be so many inside of one another. Raises RecursionError where they are more already."""
    before = sys.getrecursionlimit()
    if before == count:
        yield
        return
    sys.setrecursionlimit(count)
    try:
        yield
    finally:
        sys.setrecursionlimit(before)
