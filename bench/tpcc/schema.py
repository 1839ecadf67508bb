"""Nine tables, and their rows for a number of warehouses, from a seed: the same on every server.

Of the specification's population everything that a transaction looks at is there; texts that nobody reads are shorter.
Loaded by COPY, then indexed and analyzed.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from typing import Any

import psycopg

DISTRICTS = 10
CUSTOMERS = 3_000
ORDERS = 3_000
UNDELIVERED = 900
ITEMS = 100_000
START = "2026-01-01 00:00:00"

DDL = """
CREATE TABLE warehouse (w_id int PRIMARY KEY, w_name varchar(10), w_tax numeric(4,4), w_ytd numeric(12,2));
CREATE TABLE district (d_w_id int, d_id int, d_name varchar(10), d_tax numeric(4,4), d_ytd numeric(12,2),
    d_next_o_id int, PRIMARY KEY (d_w_id, d_id));
CREATE TABLE customer (c_w_id int, c_d_id int, c_id int, c_first varchar(16), c_middle char(2), c_last varchar(16),
    c_since timestamp, c_credit char(2), c_credit_lim numeric(12,2), c_discount numeric(4,4), c_balance numeric(12,2),
    c_ytd_payment numeric(12,2), c_payment_cnt int, c_delivery_cnt int, c_data varchar(500),
    PRIMARY KEY (c_w_id, c_d_id, c_id));
CREATE TABLE history (h_c_id int, h_c_d_id int, h_c_w_id int, h_d_id int, h_w_id int, h_date timestamp,
    h_amount numeric(6,2), h_data varchar(24));
CREATE TABLE new_order (no_w_id int, no_d_id int, no_o_id int, PRIMARY KEY (no_w_id, no_d_id, no_o_id));
CREATE TABLE orders_c (o_w_id int, o_d_id int, o_id int, o_c_id int, o_entry_d timestamp, o_carrier_id int,
    o_ol_cnt int, o_all_local int, PRIMARY KEY (o_w_id, o_d_id, o_id));
CREATE TABLE order_line (ol_w_id int, ol_d_id int, ol_o_id int, ol_number int, ol_i_id int, ol_supply_w_id int,
    ol_delivery_d timestamp, ol_quantity int, ol_amount numeric(6,2), ol_dist_info char(24),
    PRIMARY KEY (ol_w_id, ol_d_id, ol_o_id, ol_number));
CREATE TABLE item (i_id int PRIMARY KEY, i_im_id int, i_name varchar(24), i_price numeric(5,2), i_data varchar(50));
CREATE TABLE stock (s_w_id int, s_i_id int, s_quantity int, s_dist char(24), s_ytd int, s_order_cnt int,
    s_remote_cnt int, s_data varchar(50), PRIMARY KEY (s_w_id, s_i_id))
"""
INDEXES = (
    "CREATE INDEX ON customer (c_w_id, c_d_id, c_last)",
    "CREATE INDEX ON orders_c (o_w_id, o_d_id, o_c_id)",
)
TABLES = (
    "warehouse",
    "district",
    "customer",
    "history",
    "new_order",
    "orders_c",
    "order_line",
    "item",
    "stock",
)
SYLLABLES = ("BAR", "OUGHT", "ABLE", "PRI", "PRES", "ESE", "ANTI", "CALLY", "ATION", "EING")
DIST = "d" * 24


def last_name(number: int) -> str:
    return SYLLABLES[number // 100] + SYLLABLES[number // 10 % 10] + SYLLABLES[number % 10]


def non_uniform(rng: random.Random, a: int, low: int, high: int, c: int = 123) -> int:
    """The specification's NURand."""
    return ((rng.randint(0, a) | rng.randint(low, high)) + c) % (high - low + 1) + low


def load(connection: psycopg.Connection[Any], warehouses: int) -> None:
    """Makes the tables anew and fills them."""
    connection.execute(f"DROP TABLE IF EXISTS {', '.join(TABLES)}")
    for statement in DDL.split(";"):
        connection.execute(statement)
    rng = random.Random(20260101)
    _copy(connection, "item", _items(rng))
    for w in range(1, warehouses + 1):
        _copy(connection, "warehouse", [(w, f"W{w}", "0.1000", 300_000)])
        _copy(connection, "district", ((w, d, f"D{d}", "0.1000", 30_000, ORDERS + 1) for d in _districts()))
        _copy(connection, "stock", _stock(rng, w))
        _copy(connection, "customer", _customers(rng, w))
        _copy(
            connection,
            "history",
            (
                (c, d, w, d, w, START, "10.00", "history")
                for d in _districts()
                for c in range(1, CUSTOMERS + 1)
            ),
        )
        _orders(connection, rng, w)
    for statement in INDEXES:
        connection.execute(statement)
    connection.execute("ANALYZE")


def _districts() -> range:
    return range(1, DISTRICTS + 1)


def _copy(connection: psycopg.Connection[Any], table: str, rows: Iterable[tuple[object, ...]]) -> None:
    block: list[str] = []
    with connection.cursor().copy(f"COPY {table} FROM STDIN") as copy:
        for row in rows:
            block.append("\t".join(r"\N" if v is None else str(v) for v in row))
            if len(block) >= 5_000:
                copy.write("\n".join(block) + "\n")
                block.clear()
        if block:
            copy.write("\n".join(block) + "\n")


def _items(rng: random.Random) -> Iterator[tuple[object, ...]]:
    for i in range(1, ITEMS + 1):
        data = "ORIGINAL data" if rng.random() < 0.1 else "some data of an item"
        yield i, rng.randint(1, 10_000), f"item {i}", f"{rng.randint(100, 10_000) / 100:.2f}", data


def _stock(rng: random.Random, w: int) -> Iterator[tuple[object, ...]]:
    for i in range(1, ITEMS + 1):
        data = "ORIGINAL data" if rng.random() < 0.1 else "some data of stock"
        yield w, i, rng.randint(10, 100), DIST, 0, 0, 0, data


def _customers(rng: random.Random, w: int) -> Iterator[tuple[object, ...]]:
    data = "customer data " * 20
    for d in _districts():
        for c in range(1, CUSTOMERS + 1):
            name = last_name(c - 1 if c <= 1000 else non_uniform(rng, 255, 0, 999))
            credit = "BC" if rng.random() < 0.1 else "GC"
            discount = f"{rng.randint(0, 5000) / 10_000:.4f}"
            yield (
                *(w, d, c, f"first {c:06d}", "OE", name, START, credit, 50_000, discount),
                *("-10.00", "10.00", 1, 0, data),
            )


def _orders(connection: psycopg.Connection[Any], rng: random.Random, w: int) -> None:
    orders: list[tuple[object, ...]] = []
    lines: list[tuple[object, ...]] = []
    undelivered: list[tuple[object, ...]] = []
    for d in _districts():
        customers = list(range(1, CUSTOMERS + 1))
        rng.shuffle(customers)
        for o, c in enumerate(customers, 1):
            waiting = o > ORDERS - UNDELIVERED
            count = rng.randint(5, 15)
            orders.append((w, d, o, c, START, None if waiting else rng.randint(1, 10), count, 1))
            if waiting:
                undelivered.append((w, d, o))
            for n in range(1, count + 1):
                amount = f"{rng.randint(1, 999_999) / 100:.2f}" if waiting else "0.00"
                delivered = None if waiting else START
                lines.append((w, d, o, n, rng.randint(1, ITEMS), w, delivered, 5, amount, DIST))
    _copy(connection, "orders_c", orders)
    _copy(connection, "new_order", undelivered)
    _copy(connection, "order_line", lines)
