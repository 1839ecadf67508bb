"""What the plans of MERGE, of writes in WITH and of RETURNING with joins say to the executor."""

from __future__ import annotations

import pytest

from planner.abc import (
    DeleteQuery,
    InsertQuery,
    MergeQuery,
    PlanError,
    Query,
    StatementKind,
    UpdateQuery,
    WithWrites,
    statement_reads,
)
from tests.binding.world import World, make_table

T = make_table(1000, "t", "id int4; v int4; s text", key="id")
U = make_table(1010, "u", "k int4; w int4")
WORLD = World((T, U))


def test_merge_says_which_columns_its_updates_set_and_reads_both_tables() -> None:
    plan = WORLD.plan(
        "MERGE INTO t USING u ON id = k WHEN MATCHED AND w = 0 THEN DELETE WHEN MATCHED THEN UPDATE SET s = 'x', v = w",
        prefer_keyed=True,
    )
    assert isinstance(plan.body, MergeQuery)
    assert (plan.kind, plan.tag, plan.columns) == (StatementKind.READ_THEN_WRITE, "MERGE", None)
    assert plan.body.assigned == (1, 2)
    assert [x.name for x in statement_reads(plan)] == ["t", "t", "u"]


@pytest.mark.parametrize(
    ("text", "body", "joined"),
    [
        ("UPDATE t SET v = w FROM u WHERE id = k RETURNING id", UpdateQuery, 0),
        ("UPDATE t SET v = w FROM u WHERE id = k RETURNING id, w, w + k", UpdateQuery, 2),
        ("DELETE FROM t USING u WHERE id = k RETURNING *", DeleteQuery, 2),
    ],
)
def test_a_query_hands_over_the_joined_columns_that_returning_names(
    text: str, body: type[UpdateQuery | DeleteQuery], joined: int
) -> None:
    made = WORLD.plan(text, prefer_keyed=True).body
    assert isinstance(made, body)
    assert made.joined == joined


def test_writes_in_with_are_parts_of_the_plan_and_never_keyed() -> None:
    plan = WORLD.plan(
        "WITH d AS (DELETE FROM t WHERE id = 1 RETURNING *) INSERT INTO u SELECT id, v FROM d",
        prefer_keyed=True,
    )
    assert isinstance(plan.body, WithWrites)
    assert [(w.slot, type(w.body)) for w in plan.body.writes] == [("w0", DeleteQuery)]
    assert isinstance(plan.body.body, InsertQuery)
    read = WORLD.plan(
        "WITH i AS (INSERT INTO u VALUES (1, 2) RETURNING k) SELECT * FROM i", prefer_keyed=True
    )
    assert isinstance(read.body, WithWrites) and isinstance(read.body.body, Query)
    assert read.kind is StatementKind.READ_THEN_WRITE


def test_do_update_beyond_the_keyed_set_is_a_query() -> None:
    body = WORLD.plan(
        "INSERT INTO t VALUES (1) ON CONFLICT (id) DO UPDATE SET s = regexp_replace(t.s, excluded.s, 'x')",
        prefer_keyed=True,
    ).body
    assert isinstance(body, InsertQuery) and body.on_conflict is not None
    assert body.on_conflict.assignments is None
    assert body.on_conflict.query is not None


def test_writes_in_with_stand_at_the_top() -> None:
    with pytest.raises(PlanError) as e:
        WORLD.plan(
            "SELECT * FROM (WITH d AS (DELETE FROM t RETURNING *) SELECT * FROM d) x", prefer_keyed=True
        )
    assert e.value.sqlstate == "0A000"


def test_a_query_that_may_find_another_row_for_each_column_is_refused() -> None:
    with pytest.raises(PlanError) as e:
        WORLD.plan(
            "UPDATE t SET (v, s) = (SELECT w, 'x' FROM u ORDER BY random() LIMIT 1)", prefer_keyed=True
        )
    assert (e.value.sqlstate, e.value.position) == ("0A000", 54)
    body = WORLD.plan(
        "UPDATE t SET (v, s) = (SELECT w, 'x' FROM u ORDER BY k LIMIT 1)", prefer_keyed=True
    ).body
    assert isinstance(body, UpdateQuery)
