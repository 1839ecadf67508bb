"""The catalog: names found as PostgreSQL finds them, objects that survive the catalog shard."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as s

from planner.abc import Column, Constraint, PlanError, Table, TypeRef
from planner.catalog import (
    Catalog,
    CatalogChange,
    Comment,
    CompositeType,
    Database,
    Domain,
    EnumType,
    Grant,
    Index,
    IndexKey,
    Role,
    Schema,
    Sequence,
    View,
    decode,
    encode,
    quote_identifier,
)
from planner.catalog.domains import underneath
from planner.records import replace
from storage.abc import FormatTooNew

INT = TypeRef(23)
Relations = Table | View
TABLE = Table(
    16384, 2200, "t", (Column("a", INT, 1, True), Column("b", TypeRef(1043, 24), 3, default="'x'")),
    (Constraint(16385, "t_pkey", "p", (1,), index_oid=16386),), "t16384",
)  # fmt: skip
OBJECTS: list[Any] = [
    TABLE,
    Index(16386, 2200, "t_pkey", 16384, (IndexKey(1), IndexKey(0, "lower(b)", True, True)), True, True),
    View(
        16387, 2200, "v", (Column("a", INT, 1),), "select a from t", depends=(16384,), search_path=("public",)
    ),
    Sequence(16388, 2200, "s", TypeRef(20), table_oid=16384, attnum=1, restarted_at=7),
    EnumType(16389, 2200, "mood", 16390, ("sad", "ök"), (16391, 16392)),
    Domain(16393, 2200, "d", 16394, INT, True, "5", (Constraint(16395, "d_check", "c", (), "value > 0"),)),
    CompositeType(16396, 2200, "c", 16397, (Column("x", INT, 1),)),
    Schema(16398, "app", "bob"),
    Role(16399, "bob", login=True, password="x", member_of=("alice",)),
    Database(16400, "other"),
    Comment(16401, 16384, 1, 'says "hi"'),
    Grant(16402, 16384, "", ("select",), (), 0),
]


@pytest.mark.parametrize("thing", OBJECTS, ids=lambda o: type(o).__name__)
def test_every_object_reads_back(thing: Any) -> None:
    oid, kind, payload = encode(thing)
    assert oid == thing.oid
    assert decode((oid, kind, payload)) == thing


def test_a_newer_payload_is_refused_and_an_older_one_filled_in() -> None:
    oid, kind, payload = encode(TABLE)
    newer = {**json.loads(payload), "v": 99}
    with pytest.raises(FormatTooNew):
        decode((oid, kind, json.dumps(newer)))
    older = json.loads(payload)
    del older["last_attnum"]
    assert decode((oid, kind, json.dumps(older))) == TABLE
    with pytest.raises(ValueError, match="unknown fields"):
        decode((oid, kind, json.dumps({**json.loads(payload), "colour": "red"})))


def test_a_domain_of_an_older_server_has_the_default_of_the_domain_underneath() -> None:
    over = Domain(20010, 2200, "over", 20011, TypeRef(16393), own_default=True)
    catalog = with_objects().with_changes([CatalogChange(None, over)])
    _, use = underneath(catalog, TypeRef(20010))
    assert use is not None
    assert use.default is None
    oid, kind, payload = encode(over)
    older = json.loads(payload)
    del older["own_default"]
    read = decode((oid, kind, json.dumps(older)))
    catalog = with_objects().with_changes([CatalogChange(None, read)])
    _, use = underneath(catalog, TypeRef(20010))
    assert use is not None
    assert use.default == "5"


def with_objects() -> Catalog:
    return Catalog().with_changes([CatalogChange(None, o) for o in OBJECTS])


def test_names_are_found_along_the_search_path() -> None:
    there = Table(20000, 16398, "t", (Column("z", INT, 1),), (), "t20000")
    catalog = with_objects().with_changes([CatalogChange(None, there)])
    assert catalog.resolve_table("t") is catalog.get(16384)
    assert catalog.resolve_table("t", search_path=("app", "public")) == there
    assert catalog.resolve_table("t", "app") == there
    assert catalog.visible(there, ("app", "public"))
    assert not catalog.visible(there, ("public", "app"))
    assert catalog.creation_schema(("nope", "app")).name == "app"
    assert [x.name for x in catalog.schemas_on(("app", "nope"))] == ["pg_catalog", "app"]


WRONG = [
    (lambda c: c.resolve_table("x", position=9), "42P01", 'relation "x" does not exist', 9),
    (lambda c: c.resolve_table("x", "nope"), "42P01", 'relation "nope.x" does not exist', 0),
    (lambda c: c.resolve_table("v"), "42809", '"v" is not a table', 0),
    (lambda c: c.schema("nope", 3), "3F000", 'schema "nope" does not exist', 3),
    (lambda c: c.creation_schema(("nope",)), "3F000", "no schema has been selected to create in", 0),
    (lambda c: c.for_database("nope"), "3D000", 'database "nope" does not exist', 0),
]


@pytest.mark.parametrize(("ask", "state", "message", "position"), WRONG)
def test_what_is_not_there(ask: Any, state: str, message: str, position: int) -> None:
    with pytest.raises(PlanError) as caught:
        ask(with_objects())
    assert (caught.value.sqlstate, caught.value.message, caught.value.position) == (state, message, position)


def test_databases_have_schemas_of_their_own() -> None:
    public = Schema(20001, "public", "bob", 16400)
    elsewhere = Table(20002, 20001, "t", (Column("z", INT, 1),), (), "t20002")
    catalog = with_objects().with_changes([CatalogChange(None, public), CatalogChange(None, elsewhere)])
    other = catalog.for_database("other")
    assert other.resolve_table("t") == elsewhere
    assert catalog.resolve_table("t") == TABLE
    assert [t.oid for t in other.tables()] == [20002]
    assert {t.oid for t in other.all_tables()} == {16384, 20002}
    assert other.find_schema("pg_catalog") is not None
    assert other.find_schema("app") is None


def test_what_is_listed_of_a_kind_is_what_is_there_after_each_change() -> None:
    """Lists are taken along by what changes nothing of their kind."""

    def listed(catalog: Catalog) -> dict[Any, list[int]]:
        return {
            kind: [x.oid for x in catalog.objects(kind)] for kind in (Table, View, Relations, Sequence, Role)
        }

    catalog = with_objects()
    before = listed(catalog)
    view = View(30001, 2200, "w", (Column("a", INT, 1),), "select 1", depends=(), search_path=("public",))
    home = Schema(30002, "home", "bob")
    inside = Table(30003, 30002, "t", (Column("z", INT, 1),), (), "t30003")
    with_view = catalog.with_changes([CatalogChange(None, view)])
    assert listed(with_view) == before | {
        View: sorted([*before[View], 30001]), Relations: sorted([*before[Relations], 30001])
    }  # fmt: skip
    with_table = with_view.with_changes([CatalogChange(None, home), CatalogChange(None, inside)])
    assert listed(with_table)[Table] == [16384, 30003] == [t.oid for t in with_table.tables()]
    without = with_table.with_changes([CatalogChange(inside, None)])
    assert listed(without) == listed(with_view)
    gone = without.with_changes([CatalogChange(home, None), CatalogChange(view, None)])
    assert listed(gone) == before == listed(catalog)
    renamed = with_table.with_changes([CatalogChange(inside, replace(inside, name="u"))])
    assert [t.name for t in renamed.objects(Table)] == ["t", "u"]


def test_a_change_must_know_what_it_changes() -> None:
    """A change whose `old` is not what the catalog holds is a lost update: asserted, not applied."""
    catalog = with_objects()
    stale = Schema(16398, "app", "alice")
    with pytest.raises(AssertionError, match="not as the change believes"):
        catalog.with_changes([CatalogChange(stale, None)])
    with pytest.raises(AssertionError, match="is taken"):
        catalog.with_changes([CatalogChange(None, Schema(16398, "again"))])


def test_dependents_follow_their_table() -> None:
    catalog = with_objects()
    assert [i.oid for i in catalog.indexes_of(16384)] == [16386]
    assert [q.oid for q in catalog.sequences_of(16384)] == [16388]
    assert [c.text for c in catalog.comments_on(16384)] == ['says "hi"']
    gone = catalog.with_changes([CatalogChange(catalog.get(16386), None)])
    assert gone.indexes_of(16384) == []
    assert [i.oid for i in catalog.indexes_of(16384)] == [16386]


QUOTED = [
    ("abc", "abc"),
    ("Abc", '"Abc"'),
    ("select", '"select"'),
    ("name", "name"),
    ('a"b', '"a""b"'),
    ("1a", '"1a"'),
]


@pytest.mark.parametrize(("name", "shown"), QUOTED)
def test_quote_identifier(name: str, shown: str) -> None:
    assert quote_identifier(name) == shown


@given(s.text(min_size=1, max_size=20).filter(lambda x: "\0" not in x))
def test_a_quoted_identifier_reads_back(name: str) -> None:
    from planner.lexer import tokenize

    assert tokenize(quote_identifier(name))[0].value == name
