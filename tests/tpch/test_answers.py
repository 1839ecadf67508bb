"""The 22 queries through the wire: names, types' text and every digit as PostgreSQL has them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tests.binding.tpch import QUERIES
from tests.postgres import NoPostgres, running_postgres
from tests.server.process import ServerProcess
from tests.tpch.data import NoGenerator, answer, generated, load

SCALE = 0.01

Pair = tuple[psycopg.Connection[Any], psycopg.Connection[Any]]


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    """Tidewire and PostgreSQL with the same eight tables."""
    folder: Path = tmp_path_factory.mktemp("tpch")
    try:
        data = generated(SCALE, folder)
    except NoGenerator as missing:
        pytest.skip(str(missing))
    try:
        with (
            running_postgres({"fsync": "off"}) as dsn,
            psycopg.connect(dsn, autocommit=True) as theirs,
            ServerProcess(folder / "data") as server,
            server.connect() as ours,
        ):
            ours.autocommit = True
            load(theirs, data)
            load(ours, data)
            yield ours, theirs
    except NoPostgres as missing:
        pytest.skip(str(missing))


@pytest.mark.parametrize("number", sorted(QUERIES))
def test_answers_are_postgresqls(pair: Pair, number: int) -> None:
    ours, theirs = pair
    assert answer(ours, number) == answer(theirs, number)


CHANGES = (
    "UPDATE lineitem SET l_quantity = l_quantity + 1, l_discount = 0.05 WHERE l_orderkey % 10 = 3",
    "UPDATE orders SET o_totalprice = o_totalprice * 1.1 WHERE o_orderkey % 20 = 7",
    "DELETE FROM lineitem WHERE l_orderkey % 10 = 7",
    "DELETE FROM customer WHERE c_custkey % 50 = 11",
    "INSERT INTO orders SELECT o_orderkey + 1000000, o_custkey, 'F', o_totalprice, o_orderdate + 1, o_orderpriority, "
    "o_clerk, o_shippriority, 'made later' FROM orders WHERE o_orderkey % 30 = 1",
)


def test_answers_after_a_tenth_has_changed(pair: Pair) -> None:
    ours, theirs = pair
    for change in CHANGES:
        assert ours.execute(change).rowcount == theirs.execute(change).rowcount, change
    for number in sorted(QUERIES):
        assert answer(ours, number) == answer(theirs, number), f"query {number}"
