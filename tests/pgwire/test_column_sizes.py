"""RowDescription tells the length of a column's type, as drivers read it (`PQfsize`, JDBC's metadata)."""

from __future__ import annotations

from struct import unpack_from

import pytest

from pgwire.replies import row_description
from planner.abc import ResultColumn, TypeRef
from planner.types.facts import BY_NAME


@pytest.mark.parametrize(
    ("name", "size"),
    [("int4", 4), ("text", -1), ("numeric", -1), ("interval", 16), ("money", 8), ("macaddr", 6), ("macaddr8", 8), ("circle", 24), ("regconfig", 4)],
)  # fmt: skip
def test_a_type_has_the_length_of_pg_type(name: str, size: int) -> None:
    sent = row_description([ResultColumn("a", TypeRef(BY_NAME[name].oid))])
    assert unpack_from(">IhIhih", sent, sent.index(b"a\0") + 2)[3] == size
