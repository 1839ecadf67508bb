"""The system relations as clients see them: every one exists, and rows fit their columns."""

from __future__ import annotations

import pytest

from planner.abc import Column, Constraint, Table, TypeRef
from planner.catalog.catalog import Catalog
from planner.catalog.objects import CatalogChange, Index, IndexKey, Schema, View
from planner.catalog.system import SystemContext, relations, rows
from planner.catalog.system.function_table import function_named
from planner.catalog.system.reg_names import OUTPUT
from planner.catalog.type_objects import EnumType
from planner.types import array_datum, element_of, from_datums
from planner.types.oids import INT4, TEXT


@pytest.fixture
def context() -> SystemContext:
    table = Table(
        20000,
        2200,
        "orders",
        (
            Column("id", TypeRef(INT4), 1, not_null=True),
            Column("note", TypeRef(TEXT), 3, default="'none'"),
        ),
        (
            Constraint(20001, "orders_pkey", "p", (1,), index_oid=20002),
            Constraint(20003, "orders_note_check", "c", (3,), expression="note <> ''"),
        ),
        "t20000",
    )
    things = [
        table,
        Index(20002, 2200, "orders_pkey", 20000, (IndexKey(1),), True, True, constraint_oid=20001),
        Index(20004, 2200, "orders_note_idx", 20000, (IndexKey(3, descending=True, nulls_first=True),)),
        View(
            20005,
            2200,
            "recent",
            (Column("id", TypeRef(INT4), 1),),
            "SELECT id FROM orders",
            depends=(20000,),
        ),
        EnumType(20006, 2200, "mood", 20007, ("sad", "happy")),
        Schema(20010, "Other Place"),
        Table(20011, 20010, "t", (Column("a", TypeRef(20007), 1),), (), "t20011"),
    ]
    return SystemContext(Catalog().with_changes([CatalogChange(None, t) for t in things]))


@pytest.mark.parametrize("name", sorted(relations()))
def test_every_relation_can_be_read_and_its_rows_fit_its_columns(
    name: tuple[str, str], context: SystemContext
) -> None:
    relation = relations()[name]
    found = rows(*name, context)
    assert all(len(row) == len(relation.columns) for row in found)
    for i, column in enumerate(relation.columns):
        cells = [row[i] for row in found]
        if element_of(column.type.oid):
            cells = [array_datum(cell, column.type.oid) for cell in cells]
        assert len(from_datums(cells, column.type)) == len(found)


def select(
    context: SystemContext, name: str, *columns: str, schema: str = "pg_catalog", **where: object
) -> list[tuple[object, ...]]:
    relation = relations()[schema, name]
    places = [relation.position(c) for c in columns]
    return [
        tuple(row[p] for p in places)
        for row in rows(schema, name, context)
        if all(row[relation.position(k)] == v for k, v in where.items())
    ]


def test_a_table_its_index_and_its_view_are_in_pg_class(context: SystemContext) -> None:
    assert select(context, "pg_class", "relname", "relkind", relnamespace=2200) == [
        ("orders", "r"),
        ("orders_pkey", "i"),
        ("orders_note_idx", "i"),
        ("recent", "v"),
    ]


def test_a_dropped_column_leaves_its_number_behind(context: SystemContext) -> None:
    columns = select(context, "pg_attribute", "attnum", "attname", "attisdropped", attrelid=20000)
    assert [c for c in columns if int(str(c[0])) > 0] == [
        (1, "id", False),
        (3, "note", False),
        (2, "........pg.dropped.2........", True),
    ]


def test_information_schema_speaks_of_the_same_columns(context: SystemContext) -> None:
    assert select(
        context,
        "columns",
        "column_name",
        "ordinal_position",
        "column_default",
        "is_nullable",
        "data_type",
        schema="information_schema",
        table_name="orders",
    ) == [("id", 1, None, "NO", "integer"), ("note", 3, "'none'::text", "YES", "text")]


@pytest.mark.parametrize(
    ("function", "arguments", "expected"),
    [
        ("pg_get_indexdef", (20002,), "CREATE UNIQUE INDEX orders_pkey ON public.orders USING btree (id)"),
        (
            "pg_get_indexdef",
            (20004,),
            "CREATE INDEX orders_note_idx ON public.orders USING btree (note DESC)",
        ),
        ("pg_get_indexdef", (20004, 1, True), "note"),
        ("pg_get_indexdef", (99999,), None),
        ("pg_get_constraintdef", (20001,), "PRIMARY KEY (id)"),
        ("pg_get_constraintdef", (20003,), "CHECK ((note <> ''::text))"),
        ("pg_get_viewdef", (20005,), " SELECT orders.id\n   FROM orders;"),
        ("format_type", (23, -1), "integer"),
        ("format_type", (1043, 14), "character varying(10)"),
        ("format_type", (20006, -1), "mood"),
        ("format_type", (20007, -1), "mood[]"),
        ("format_type", (None, -1), None),
        ("pg_table_is_visible", (20000,), True),
        ("pg_table_is_visible", (20011,), False),
        ("to_regclass", ("orders",), 20000),
        ("to_regclass", ("pg_class",), 1259),
        ("to_regclass", ('"Other Place".t',), 20011),
        ("to_regclass", ("nothing",), None),
        ("pg_get_expr", ("(a > 1)", 20000), "(a > 1)"),
        ("pg_size_pretty", (10239,), "10239 bytes"),
        ("pg_size_pretty", (10240,), "10 kB"),
        ("pg_size_pretty", (-1234567890,), "-1177 MB"),
        ("pg_size_pretty", ("1234567890123",), "1150 GB"),
        ("pg_size_bytes", ("1.5 MB",), 1572864),
        ("has_table_privilege", ("orders", "SELECT, INSERT"), True),
        ("has_schema_privilege", ("public", "usage"), True),
        ("pg_has_role", ("tidewire", "MEMBER"), True),
        ("acldefault", ("d", 10), ["=Tc/tidewire", "tidewire=CTc/tidewire"]),
        (
            "aclexplode",
            (["=r/tidewire", "tidewire=a*/tidewire"],),
            [
                {"grantor": 10, "grantee": 0, "privilege_type": "SELECT", "is_grantable": False},
                {"grantor": 10, "grantee": 10, "privilege_type": "INSERT", "is_grantable": True},
            ],
        ),
        ("to_regtype", ("integer",), 23),
        ("to_regtype", ("nothing",), None),
        ("to_regnamespace", ("public",), 2200),
        ("pg_get_userbyid", (10,), "tidewire"),
        ("pg_get_userbyid", (77,), "unknown (OID=77)"),
        ("pg_encoding_to_char", (6,), "UTF8"),
    ],
)
def test_functions_over_the_catalog(
    context: SystemContext, function: str, arguments: tuple[object, ...], expected: object
) -> None:
    assert function_named(function, len(arguments)).call(context, *arguments) == expected


@pytest.mark.parametrize(
    ("kind", "oid", "expected"),
    [
        (2205, 20011, '"Other Place".t'),
        (2205, 20000, "orders"),
        (2205, 0, "-"),
        (2206, 1043, "character varying"),
        (4089, 2200, "public"),
    ],
)
def test_oids_are_shown_as_names(context: SystemContext, kind: int, oid: int, expected: str) -> None:
    assert OUTPUT[kind](context, oid) == expected


def test_a_views_tree_names_its_columns_and_a_rules_is_absent(context: SystemContext) -> None:
    names = [c.name for c in relations()["pg_catalog", "pg_rewrite"].columns]
    found = [dict(zip(names, r, strict=True)) for r in rows("pg_catalog", "pg_rewrite", context)]
    view = next(r for r in found if r["ev_class"] == 20005)
    assert str(view["ev_action"]).startswith("({QUERY ") and ":resname id " in str(view["ev_action"])
    assert all(r["ev_action"] == "<>" for r in found if r["rulename"] != "_RETURN")
