"""The registries and the facts agree: every implementation implements something that PostgreSQL has."""

from __future__ import annotations

import pytest

from planner.abc import PlanError
from planner.binding.facts import casts, operators, procs, types_by_name
from planner.binding.functions import aggregates, registry
from planner.binding.offered import every_signature
from planner.binding.prelude.installation import PRELUDE_SQL, PRELUDE_UDFS
from planner.binding.resolve import castable, common_type, find_operator, find_proc
from tests.binding.world import World

_OURS = (
    "array subscript",
    "array slice",
    "array put",
    "composite put",
    "jsonb put",
    "hstore put",
    "array put slice",
    "record field",
    "composite field",
    "vector subscript",
    "run routine",
    "array of routine",
    "rows of routine",
    "record of text",
    "text of cstring",
    "cstring of value",
)
_TIDEWIRE = ("tidewire_", "xml ", "#(", "subscript(", "put(")
"""`#(`: functions that come with a user's type; the last two are what subscripts of geometric types mean."""


def _known(signature: str) -> bool:
    if (
        signature in every_signature()
        or "distinct from" in signature
        or signature in _OURS
        or signature.startswith(_TIDEWIRE)
    ):
        return True
    if signature.endswith(")"):
        name, _, args = signature[:-1].partition("(")
        wanted = tuple(args.removeprefix("variadic ").split(", ")) if args else ()
        return any(p.args[: len(wanted)] == wanted or "any" in p.args for p in procs().get(name, ()))
    words = signature.split(" ")
    left, op, right = words if len(words) == 3 else ("", *words)
    return any(o.left == left and o.right == right for o in operators().get(op, ()))


def test_every_implementation_has_a_signature_of_postgresql() -> None:
    system = (
        "format_type",
        "pg_",
        "has_",
        "obj_",
        "col_",
        "shobj_",
        "to_reg",
        "current_",
        "information_schema",
        "_pg",
    )
    unknown = [s for s in registry.signatures() if not _known(s) and not s.startswith(system)]
    assert unknown == []
    assert [s for s in aggregates.signatures() if s != "count()" and not _known(s)] == []


def test_facts_are_whole() -> None:
    assert len(procs()["abs"]) == 6
    assert types_by_name()["int4"].array == "_int4"
    assert casts()["int4", "int8"][0] == "i"


def test_prelude_names_are_ours() -> None:
    assert all(u.name.startswith("tw_") for u in PRELUDE_UDFS)
    assert "CREATE OR REPLACE MACRO tw_" in PRELUDE_SQL


@pytest.mark.parametrize(
    ("op", "left", "right", "found"),
    [
        ("+", "int4", "int8", "int4 int8"),
        ("+", "int4", "unknown", "int4 int4"),
        ("=", "varchar", "unknown", "text text"),
        ("=", "varchar", "bpchar", "bpchar bpchar"),
        ("||", "int4", "unknown", ""),
        ("=", "numeric", "float8", "float8 float8"),
        ("+", "bool", "bool", ""),
        ("=", "_int4", "_int4", "anyarray anyarray"),
        ("->", "jsonb", "unknown", "jsonb text"),
    ],
)
def test_operator_resolution(op: str, left: str, right: str, found: str) -> None:
    made = find_operator(op, left, right)
    if op == "||":
        assert made is not None
        assert made.result == "text"
    else:
        assert ("" if made is None else f"{made.left} {made.right}") == found


@pytest.mark.parametrize(
    ("name", "given", "args"),
    [
        ("abs", ("unknown",), "float8"),
        ("substr", ("varchar", "int4"), "text int4"),
        ("round", ("int4",), "float8"),
        ("round", ("numeric", "int4"), "numeric int4"),
        ("concat", ("int4", "text"), "any any"),
    ],
)
def test_function_resolution(name: str, given: tuple[str, ...], args: str) -> None:
    found = find_proc(name, given)
    assert found is not None
    assert " ".join(found[1]) == args


@pytest.mark.parametrize(
    ("given", "common"),
    [
        (("int4", "int8"), "int8"),
        (("int4", "numeric", "unknown"), "numeric"),
        (("unknown", "unknown"), "text"),
        (("int4", "text"), None),
        (("varchar", "text"), "varchar"),
        (("date", "timestamp"), "timestamp"),
    ],
)
def test_common_types(given: tuple[str, ...], common: str | None) -> None:
    assert common_type(given) == common


def test_assignment_casts_are_wider_than_implicit_ones() -> None:
    assert castable("int8", "int4", "a")
    assert not castable("int8", "int4", "i")
    assert castable("text", "int4", "e")
    assert not castable("text", "int4", "a")


def test_known_but_missing_functions_are_named(catalog_only: World) -> None:
    with pytest.raises(PlanError) as e:
        catalog_only.plan("select pg_switch_wal()")
    assert e.value.sqlstate == "0A000"
    with pytest.raises(PlanError) as e:
        catalog_only.plan("select no_such_function(1)")
    assert e.value.sqlstate == "42883"


_WITHIN = "with recursive q(n) as (select 1 union all (with recursive x(m) as (select n from q where n < 3 union all {}) select m from x)) "


@pytest.mark.parametrize(
    "step",
    ["select m from x", "(select 1 union all select m from x)", "(select m from x union all select 1)"],
)
def test_a_recursion_seen_to_have_no_end_is_refused_within_the_step_of_another(
    catalog_only: World, step: str
) -> None:
    with pytest.raises(PlanError, match="recursion without an end") as e:
        catalog_only.plan(_WITHIN.format(step) + "select * from q limit 3")
    assert e.value.sqlstate == "0A000"


@pytest.mark.parametrize(
    "step",
    [
        "select m + 1 from x where m < 2",
        "select distinct m from x",
        "select x.m from x, (select 1 where false) y",
    ],
)
def test_others_within_the_step_of_another_are_planned(catalog_only: World, step: str) -> None:
    catalog_only.plan(_WITHIN.format(step) + "select * from q limit 3")
