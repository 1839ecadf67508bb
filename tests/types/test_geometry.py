"""Geometric functions against PostgreSQL: every one of them over all pairs of some values, errors included."""

from __future__ import annotations

import itertools
from typing import Any

import psycopg
import pytest

from pgwire.encoding.binary import binary_input, binary_output
from planner.abc import SqlError, TypeRef
from planner.binding.facts import procs
from planner.geometry.table import FUNCTIONS
from planner.types import TypeSettings, output_text, resolve_name
from tests.types.geometry_samples import VALUES

_OWN = ("subscript(", "put(")
SIGNATURES = sorted(s for s in FUNCTIONS if not s.startswith(_OWN))


def _said(sqlstate: str, message: str) -> str:
    """Of two operands that are out of range C says which it has computed first, in no order that is laid down."""
    return sqlstate if message.startswith("value out of range: ") else f"{sqlstate} {message}"


def ours(signature: str, values: tuple[Any, ...]) -> str | None:
    found = FUNCTIONS[signature]
    try:
        made = found.call(*values)
    except SqlError as e:
        return _said(e.sqlstate, e.message)
    return None if made is None else output_text(made, resolve_name(found.result))


def theirs(postgres: psycopg.Connection, signature: str, values: tuple[Any, ...]) -> str | None:
    found = FUNCTIONS[signature]
    name = signature.partition("(")[0]
    given = ", ".join(f"'{v}'::{kind}" for v, kind in zip(values, found.arguments, strict=True))
    try:
        return postgres.execute(f"SELECT pg_catalog.{name}({given})::text").fetchall()[0][0]  # type: ignore[no-any-return,call-overload]
    except psycopg.Error as e:
        return _said(str(e.sqlstate), str(e.diag.message_primary))


@pytest.mark.postgres
@pytest.mark.parametrize("signature", SIGNATURES)
def test_a_function_is_alike(postgres: psycopg.Connection, signature: str) -> None:
    kinds = FUNCTIONS[signature].arguments
    words = {"t": "true", "f": "false"} if FUNCTIONS[signature].result == "bool" else {}
    postgres.execute("SET extra_float_digits = 1; SET bytea_output = hex")
    for values in itertools.product(*(VALUES[kind] for kind in kinds)):
        made = ours(signature, values)
        assert (words.get(str(made), made), values) == (theirs(postgres, signature, values), values)


def test_the_table_is_whole() -> None:
    """What pg_proc has over geometric types is there, but what only indexes call."""
    kinds = set(VALUES) - {"float8", "int4"}
    named = {
        f"{name}({', '.join(p.args)})"
        for name, rows in procs().items()
        for p in rows
        if kinds & set(p.args) and not name.endswith("_out")
    }
    assert named - set(SIGNATURES) == {"spg_poly_quad_compress(polygon)"}
    assert set(SIGNATURES) <= named | {"point(float8, float8)"}


@pytest.mark.parametrize("kind", sorted(set(VALUES) - {"float8", "int4"}))
def test_binary_there_and_back(kind: str) -> None:
    ref = resolve_name(kind)
    for value in VALUES[kind]:
        assert binary_input(ref)(binary_output(ref)(value)) == value
    data = binary_output(ref)(VALUES[kind][0])
    for cut, sqlstate in ((data[:-1], "08P01"), (data + b"\0", "22P03")):
        with pytest.raises(SqlError) as raised:
            binary_input(ref)(cut)
        assert raised.value.sqlstate == sqlstate


@pytest.mark.parametrize(
    ("kind", "data", "message"),
    [
        ("line", bytes(24), "invalid line specification: A and B cannot both be zero"),
        ("path", bytes(5), 'invalid number of points in external "path" value'),
        ("polygon", bytes(4), 'invalid number of points in external "polygon" value'),
        ("circle", bytes(16) + b"\xc0" + bytes(7), 'invalid radius in external "circle" value'),
    ],
)
def test_what_is_no_value_in_binary(kind: str, data: bytes, message: str) -> None:
    with pytest.raises(SqlError) as raised:
        binary_input(resolve_name(kind))(data)
    assert (raised.value.sqlstate, raised.value.message) == ("22P03", message)


def test_fewer_digits() -> None:
    few = TypeSettings(extra_float_digits=-3)
    assert output_text("<(0.1234567890123456,1),2>", TypeRef(718), few) == "<(0.123456789012,1),2>"
    boxes = resolve_name("box[]")
    assert output_text('{"(0.1234567890123456,1),(0,0)"}', boxes, few) == "{(0.123456789012,1),(0,0)}"
