"""Which conditions a partial index serves: those that imply its predicate."""

from __future__ import annotations

import pytest

from planner.abc import KeyedRead
from planner.catalog import CatalogChange
from planner.catalog.objects import Index, IndexKey
from planner.keyed_plans import PartialColumns
from tests.binding.world import Context, World, make_table

T = make_table(
    1000,
    "t",
    "id int4; state text; n int4; free bool; at timestamptz; gone timestamptz; code varchar(9)",
    key="id",
)


def _is_served(predicate: str, where: str) -> bool:
    index = Index(1900, T.schema_oid, "part", T.oid, (IndexKey(3),), predicate=predicate)
    world = World((T,))
    world.context = Context(world.catalog.with_changes([CatalogChange(None, index)]))
    plan = world.plan(f"SELECT id FROM t WHERE {where} ORDER BY n LIMIT 5", prefer_keyed=True)
    read = plan.extra.get("keyed")
    if not isinstance(read, KeyedRead):
        return False
    return isinstance(read.walk.index if read.walk is not None else read.index, PartialColumns)


IMPLIED = [
    ("state = 'new'", "state = 'new'"),
    ("state = 'new'", "n > 3 AND 'new' = state AND at < now()"),
    ("state = 'new'", "state = 'new' AND (n > 3 OR at < now())"),
    ("state IN ('new', 'retry')", "state = 'retry'"),
    ("state IN ('new', 'retry')", "state IN ('retry', 'new')"),
    ("state IN ('new', 'retry', 'x')", "state = 'new' OR state = 'x'"),
    ("state IN ('new', 'retry')", "(state = 'new' AND n > 3) OR state = 'retry'"),
    ("state <> 'done'", "state = 'new'"),
    ("state IS NOT NULL", "state = 'new'"),
    ("at IS NOT NULL", "at <= now()"),
    ("gone IS NULL", "gone IS NULL AND n = 3"),
    ("gone IS NULL AND state = 'new'", "state = 'new' AND n < 9 AND gone IS NULL"),
    ("free", "free"),
    ("free", "free = true"),
    ("free = true", "free IS TRUE"),
    ("NOT free", "free = false"),
    ("free IS UNKNOWN", "free IS UNKNOWN"),
    ("free IS NOT UNKNOWN", "free = true"),
    ("n > 3", "n > 3"),
    ("n > 3", "n >= 4 AND n > 5"),
    ("n >= 3", "n = 3"),
    ("n < 7 AND n > 2", "n = 5"),
    ("n <> 3", "n < 3"),
    ("n > 3 OR state = 'new'", "n > 4"),
    ("code = 'a'", "code = 'a'"),
    ("at > '2020-01-01'::timestamptz", "at > '2021-01-01'::timestamptz"),
]
NOT_IMPLIED = [
    ("state = 'new'", "state = 'old'"),
    ("state = 'new'", "state = 'new' OR n = 3"),
    ("state = 'new'", "state IN ('new', 'retry')"),
    ("state = 'new'", "state <> 'old'"),
    ("state = 'new'", "state IS NOT NULL"),
    ("state <> 'done'", "n = 3"),
    ("state <> 'done'", "state <> 'new'"),
    ("state IS NOT NULL", "state IS NULL OR state = 'new'"),
    ("at IS NOT NULL", "at IS DISTINCT FROM now()"),
    ("gone IS NULL", "n = 3"),
    ("gone IS NULL AND state = 'new'", "state = 'new'"),
    ("free", "NOT free"),
    ("free", "free IS NOT FALSE"),
    ("free", "free IS NOT NULL"),
    ("n > 3", "n >= 3"),
    ("n > 3", "n > 2"),
    ("n > 3", "n < 9"),
    ("n <> 3", "n <= 3"),
    ("n = 3", "n >= 3"),
    ("n < 7 AND n > 2", "n < 5"),
    ("1 / n > 0", "1 / n > 0"),  # it has no value for each row
]


@pytest.mark.parametrize(("predicate", "where"), IMPLIED)
def test_conditions_that_imply_it(predicate: str, where: str) -> None:
    assert _is_served(predicate, where)


@pytest.mark.parametrize(("predicate", "where"), NOT_IMPLIED)
def test_conditions_that_do_not(predicate: str, where: str) -> None:
    assert not _is_served(predicate, where)
