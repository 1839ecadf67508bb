"""What RETURNING reads: the rows that a statement wrote, and which version of a row each of them is.

c1, c2, ...   the table's columns; of DELETE as they were
_rid          the row that the statement's query found: FROM's and USING's columns are joined to it
_version      the row id of the version that is shown: ctid and xmin are made of it
_ended        the same where xmax says something, otherwise 0: the row is deleted, or it is what ON CONFLICT DO UPDATE made of another,
              which PostgreSQL locks first and says so in the new version (so `RETURNING xmax = 0` tells inserted
              rows from updated ones; the new version of a plain UPDATE has 0)
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from executor.keyed.row_ids import as_numpy

Written = tuple[pa.Table, int]
"""Rows with physical column names and what is listed above, and how many."""


def versions(rows: pa.Table, ids: pa.ChunkedArray | pa.Array, ended: Sequence[bool] | bool) -> pa.Table:
    """Rows that end with `_rid`, with what their versions are known by. `ended`: of each, or of all."""
    marked = np.where(ended, as_numpy(ids), 0)
    return rows.append_column("_version", ids).append_column("_ended", pa.array(marked, pa.int64()))
