"""What the catalog keeps of partitioned tables: how rows are dealt out, and which of them a partition takes.

    orders   PARTITION BY RANGE (day)          Table.partitioning = PartitionKey("r", (2,))      it has no rows of its own
      ├── orders_1   FROM ('2024-01-01') TO ('2024-02-01')      Table.partition = Partition(parent, Bound, tests)
      └── orders_2   DEFAULT                                    a table like any other, with an own shard

Bounds are kept as texts of the key's types. A partition also keeps what its rows are asked for (`tests`, one for each table above it,
in its own columns), so that its definition is complete: whoever has planned a write of it before a sibling of the DEFAULT
came is overtaken, as after any ALTER TABLE.
"""

from __future__ import annotations

from dataclasses import dataclass

WORDS = {"r": "RANGE", "l": "LIST", "h": "HASH"}
HIDDEN = "........partition."
"""How the names of hidden columns begin that are expressions of a key (`planner.ddl.partitions.keys`)."""


@dataclass(frozen=True, slots=True)
class PartitionKey:
    """PARTITION BY: `strategy` as pg_partitioned_table has it ("r", "l", "h"), and attribute numbers; an expression is a hidden column's."""

    strategy: str
    columns: tuple[int, ...]
    collations: tuple[str, ...] = ()
    """Of each its own where COLLATE says another than the column has; empty: nobody says one. All of them order texts as bytes."""


@dataclass(frozen=True, slots=True)
class Bound:
    """FOR VALUES, or DEFAULT. In `values` (LIST), None is NULL; `ends` say what is at a RANGE's edges: -1 MINVALUE, 0 a text, 1 MAXVALUE."""

    default: bool = False
    values: tuple[str | None, ...] = ()
    lower: tuple[str, ...] = ()
    lower_ends: tuple[int, ...] = ()
    upper: tuple[str, ...] = ()
    upper_ends: tuple[int, ...] = ()
    modulus: int = 0
    remainder: int = 0


@dataclass(frozen=True, slots=True)
class PartitionTest:
    """What one table above asks of a partition's rows: that they are within `bound`, or, of a DEFAULT, in none of `others`."""

    strategy: str
    columns: tuple[int, ...]  # the partition's own
    bound: Bound
    others: tuple[Bound, ...] = ()


@dataclass(frozen=True, slots=True)
class Partition:
    """What makes a table a partition of another."""

    parent: int
    bound: Bound
    tests: tuple[PartitionTest, ...] = ()
