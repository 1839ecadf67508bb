"""The five transactions, each a function of a connection in a transaction block and a terminal's choices."""

from __future__ import annotations

import random
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import psycopg

from bench.tpcc.schema import CUSTOMERS, DISTRICTS, ITEMS, last_name, non_uniform

Connection = psycopg.Connection[Any]
Work = Callable[[Connection, random.Random, int, int], None]
"""(connection, choices, home warehouse, warehouses)"""
NAME_C = 157
"""NURand's constant of a run, which is not that of the load."""


class UnusedItem(Exception):
    """One New-Order in a hundred asks for an item that does not exist, and is rolled back."""


def _one(conn: Connection, sql: str, *values: object) -> tuple[Any, ...]:
    row = conn.execute(sql, values, prepare=True).fetchone()
    assert row is not None, (sql, values)
    return tuple(row)


def _do(conn: Connection, sql: str, *values: object) -> int:
    return conn.execute(sql, values, prepare=True).rowcount


def new_order(conn: Connection, rng: random.Random, w: int, warehouses: int) -> None:
    d, c = rng.randint(1, DISTRICTS), non_uniform(rng, 1023, 1, CUSTOMERS)
    lines = []
    for _ in range(rng.randint(5, 15)):
        remote = warehouses > 1 and rng.random() < 0.01
        supply = rng.choice([x for x in range(1, warehouses + 1) if x != w]) if remote else w
        lines.append((supply, non_uniform(rng, 8191, 1, ITEMS), rng.randint(1, 10)))
    lines = sorted(set(lines))  # in one order for all, so that two never wait for each other
    unused = rng.random() < 0.01
    (tax,) = _one(conn, "SELECT w_tax FROM warehouse WHERE w_id = %s", w)
    o, district_tax = _one(
        conn,
        "UPDATE district SET d_next_o_id = d_next_o_id + 1 WHERE d_w_id = %s AND d_id = %s "
        "RETURNING d_next_o_id - 1, d_tax",
        *(w, d),
    )
    (discount,) = _one(
        conn, "SELECT c_discount FROM customer WHERE c_w_id = %s AND c_d_id = %s AND c_id = %s", w, d, c
    )
    local = int(all(supply == w for supply, _, _ in lines))
    _do(
        conn,
        "INSERT INTO orders_c VALUES (%s, %s, %s, %s, now(), NULL, %s, %s)",
        *(w, d, o, c, len(lines), local),
    )
    _do(conn, "INSERT INTO new_order VALUES (%s, %s, %s)", w, d, o)
    total = Decimal(0)
    for number, (supply, item, quantity) in enumerate(lines, 1):
        if unused and number == len(lines):
            item = ITEMS + 1
        found = conn.execute("SELECT i_price FROM item WHERE i_id = %s", (item,), prepare=True).fetchone()
        if found is None:
            raise UnusedItem
        amount = found[0] * quantity
        total += amount
        stock, info = _one(
            conn,
            "SELECT s_quantity, s_dist FROM stock WHERE s_w_id = %s AND s_i_id = %s FOR UPDATE",
            *(supply, item),
        )
        left = stock - quantity if stock >= quantity + 10 else stock - quantity + 91
        _do(
            conn,
            "UPDATE stock SET s_quantity = %s, s_ytd = s_ytd + %s, s_order_cnt = s_order_cnt + 1, "
            "s_remote_cnt = s_remote_cnt + %s WHERE s_w_id = %s AND s_i_id = %s",
            *(left, quantity, int(supply != w), supply, item),
        )
        _do(
            conn,
            "INSERT INTO order_line VALUES (%s, %s, %s, %s, %s, %s, NULL, %s, %s, %s)",
            *(w, d, o, number, item, supply, quantity, amount, info),
        )
    assert total * (1 - discount) * (1 + tax + district_tax) >= 0


def _customer(conn: Connection, rng: random.Random, w: int, d: int) -> int:
    """A customer's number: given, or (six times of ten) the one in the middle of those of a name."""
    if rng.random() >= 0.6:
        return non_uniform(rng, 1023, 1, CUSTOMERS)
    name = last_name(non_uniform(rng, 255, 0, 999, NAME_C))
    found = conn.execute(
        "SELECT c_id FROM customer WHERE c_w_id = %s AND c_d_id = %s AND c_last = %s ORDER BY c_first",
        (w, d, name),
        prepare=True,
    ).fetchall()
    return int(found[len(found) // 2][0])


def payment(conn: Connection, rng: random.Random, w: int, warehouses: int) -> None:
    d = rng.randint(1, DISTRICTS)
    amount = Decimal(rng.randint(100, 500_000)) / 100
    theirs, their_district = w, d
    if warehouses > 1 and rng.random() < 0.15:
        theirs = rng.choice([x for x in range(1, warehouses + 1) if x != w])
        their_district = rng.randint(1, DISTRICTS)
    _one(conn, "UPDATE warehouse SET w_ytd = w_ytd + %s WHERE w_id = %s RETURNING w_name", amount, w)
    _one(
        conn,
        "UPDATE district SET d_ytd = d_ytd + %s WHERE d_w_id = %s AND d_id = %s RETURNING d_name",
        *(amount, w, d),
    )
    c = _customer(conn, rng, theirs, their_district)
    (credit,) = _one(
        conn,
        "UPDATE customer SET c_balance = c_balance - %s, c_ytd_payment = c_ytd_payment + %s, "
        "c_payment_cnt = c_payment_cnt + 1 WHERE c_w_id = %s AND c_d_id = %s AND c_id = %s RETURNING c_credit",
        *(amount, amount, theirs, their_district, c),
    )
    if credit == "BC":
        _do(
            conn,
            "UPDATE customer SET c_data = left(%s || c_data, 500) WHERE c_w_id = %s AND c_d_id = %s AND c_id = %s",
            *(f"{c} {their_district} {theirs} {d} {w} {amount} ", theirs, their_district, c),
        )
    _do(
        conn,
        "INSERT INTO history VALUES (%s, %s, %s, %s, %s, now(), %s, 'payment')",
        *(c, their_district, theirs, d, w, amount),
    )


def order_status(conn: Connection, rng: random.Random, w: int, warehouses: int) -> None:
    d = rng.randint(1, DISTRICTS)
    c = _customer(conn, rng, w, d)
    _one(
        conn,
        "SELECT c_balance, c_first, c_last FROM customer WHERE c_w_id = %s AND c_d_id = %s AND c_id = %s",
        *(w, d, c),
    )
    (o, count) = _one(
        conn,
        "SELECT o_id, o_ol_cnt FROM orders_c WHERE o_w_id = %s AND o_d_id = %s AND o_c_id = %s "
        "ORDER BY o_id DESC LIMIT 1",
        *(w, d, c),
    )
    lines = conn.execute(
        "SELECT ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, ol_delivery_d FROM order_line "
        "WHERE ol_w_id = %s AND ol_d_id = %s AND ol_o_id = %s",
        (w, d, o),
        prepare=True,
    ).fetchall()
    assert len(lines) == count, (w, d, o, len(lines), count)


def delivery(conn: Connection, rng: random.Random, w: int, warehouses: int) -> None:
    carrier = rng.randint(1, 10)
    for d in range(1, DISTRICTS + 1):
        found = conn.execute(
            "SELECT no_o_id FROM new_order WHERE no_w_id = %s AND no_d_id = %s ORDER BY no_o_id LIMIT 1 FOR UPDATE",
            (w, d),
            prepare=True,
        ).fetchone()
        if found is None:
            continue
        (o,) = found
        deleted = _do(
            conn, "DELETE FROM new_order WHERE no_w_id = %s AND no_d_id = %s AND no_o_id = %s", w, d, o
        )
        assert deleted == 1
        (c,) = _one(
            conn,
            "UPDATE orders_c SET o_carrier_id = %s WHERE o_w_id = %s AND o_d_id = %s AND o_id = %s RETURNING o_c_id",
            *(carrier, w, d, o),
        )
        _do(
            conn,
            "UPDATE order_line SET ol_delivery_d = now() WHERE ol_w_id = %s AND ol_d_id = %s AND ol_o_id = %s",
            *(w, d, o),
        )
        (amount,) = _one(
            conn,
            "SELECT sum(ol_amount) FROM order_line WHERE ol_w_id = %s AND ol_d_id = %s AND ol_o_id = %s",
            *(w, d, o),
        )
        _do(
            conn,
            "UPDATE customer SET c_balance = c_balance + %s, c_delivery_cnt = c_delivery_cnt + 1 "
            "WHERE c_w_id = %s AND c_d_id = %s AND c_id = %s",
            *(amount, w, d, c),
        )


def stock_level(conn: Connection, rng: random.Random, w: int, warehouses: int) -> None:
    d = rng.randint(1, DISTRICTS)
    (o,) = _one(conn, "SELECT d_next_o_id FROM district WHERE d_w_id = %s AND d_id = %s", w, d)
    _one(
        conn,
        "SELECT count(DISTINCT s_i_id) FROM order_line JOIN stock ON s_w_id = %s AND s_i_id = ol_i_id "
        "WHERE ol_w_id = %s AND ol_d_id = %s AND ol_o_id BETWEEN %s AND %s AND s_quantity < %s",
        *(w, w, d, o - 20, o - 1, rng.randint(10, 20)),
    )


MIX: dict[Work, int] = {
    new_order: 45,
    payment: 43,
    order_status: 4,
    delivery: 4,
    stock_level: 4,
}
