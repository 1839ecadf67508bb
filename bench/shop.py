"""What an application asks of a shop: pages of lists, what belongs to a customer, a look-up that ignores case, an order that goes.

    customers 10,000 ── orders 100,000 ── items 400,000        an index on each way that a page takes

None of it is a single row by its key, none of it is analytics; it is most of what users of a framework wait for. There is
no aim: the rows say how far the two engines behind one snapshot carry, one client at a time.
"""

from __future__ import annotations

from collections.abc import Callable

from bench.peers import Peer
from bench.pgbench import script_run
from bench.workload import Workload

CUSTOMERS, ORDERS, ITEMS = 10_000, 100_000, 4

_TABLES = (
    "DROP TABLE IF EXISTS shop_items, shop_orders, shop_customers",
    "CREATE TABLE shop_customers (id int PRIMARY KEY, email text NOT NULL, name text)",
    "CREATE TABLE shop_orders (id int PRIMARY KEY, customer int NOT NULL REFERENCES shop_customers, status text NOT NULL,"
    " created timestamp NOT NULL, total int NOT NULL)",
    "CREATE TABLE shop_items (id int PRIMARY KEY, order_id int NOT NULL REFERENCES shop_orders ON DELETE CASCADE, quantity int)",
    "CREATE INDEX ON shop_orders (customer)",
    "CREATE INDEX ON shop_orders (status, created)",
    "CREATE INDEX ON shop_items (order_id)",
    "CREATE INDEX ON shop_customers (lower(email))",
    f"INSERT INTO shop_customers SELECT i, 'User' || i || '@Example.com', 'name ' || i FROM generate_series(1, {CUSTOMERS}) g(i)",
    "INSERT INTO shop_orders SELECT i, 1 + i % 10000, CASE WHEN i % 5 = 0 THEN 'paid' ELSE 'sent' END,"
    f" timestamp '2025-01-01' + i * interval '1 minute', i % 100 FROM generate_series(1, {ORDERS}) g(i)",
    f"INSERT INTO shop_items SELECT i, 1 + (i - 1) / {ITEMS}, 1 + i % 3 FROM generate_series(1, {ORDERS * ITEMS}) g(i)",
    "ANALYZE shop_customers, shop_orders, shop_items",
)

_PAGE = (
    "SELECT o.id, o.total, c.name FROM shop_orders o JOIN shop_customers c ON c.id = o.customer"
    " WHERE o.status = 'paid' ORDER BY o.created DESC LIMIT 20"
)
_HOURS = (
    "SELECT count(*), sum(total) FROM shop_orders WHERE status = 'paid'"
    " AND created >= timestamp '2025-01-01' + :a * interval '1 minute'"
    " AND created < timestamp '2025-01-01' + (:a + 600) * interval '1 minute'"
)
_EITHER = "SELECT id, total FROM shop_orders WHERE id = :a OR customer = :c"
_EMAIL = "SELECT id, name FROM shop_customers WHERE lower(email) = 'user' || :c || '@example.com'"
_ORDERS = "SELECT id, status, total FROM shop_orders WHERE customer = :c ORDER BY id"
_DELETE = (
    "BEGIN; INSERT INTO shop_orders VALUES (:b, :c, 'new', '2026-01-01', 1);"
    " INSERT INTO shop_items VALUES (:b * 10, :b, 1), (:b * 10 + 1, :b, 2); COMMIT; DELETE FROM shop_orders WHERE id = :b"
)


def _prepare(peer: Peer) -> None:
    with peer.connect() as conn:
        for text in _TABLES:
            conn.execute(text)


def _page(rows: list[tuple[object, ...]]) -> bool:
    return [r[0] for r in rows] == list(range(ORDERS, ORDERS - 100, -5)) and rows[0][2] == "name 1"


def _hours(rows: list[tuple[object, ...]]) -> bool:
    return rows == [(120, sum(i % 100 for i in range(5000, 5600, 5)))]


def _either(rows: list[tuple[object, ...]]) -> bool:
    return sorted(int(str(r[0])) for r in rows) == sorted({5000, *range(17 - 1, ORDERS + 1, CUSTOMERS)})


def _email(rows: list[tuple[object, ...]]) -> bool:
    return rows == [(17, "name 17")]


def _orders(rows: list[tuple[object, ...]]) -> bool:
    return [r[0] for r in rows] == list(range(17 - 1, ORDERS + 1, CUSTOMERS))


_READS: dict[str, tuple[str, Callable[[list[tuple[object, ...]]], bool]]] = {
    "a page of orders and their customers": (_PAGE, _page),
    "ten hours' orders summed": (_HOURS, _hours),
    "orders by number or customer": (_EITHER, _either),
    "a customer by lower(email)": (_EMAIL, _email),
    "a customer's orders, values in the text": (_ORDERS, _orders),
}
_IN_THE_TEXT = "values in the text"
"""As drivers send it that have no parameters: the simple protocol, and each text another."""


def _checked_read(
    sql: str, right: Callable[[list[tuple[object, ...]]], bool], mode: str
) -> Callable[[Peer, float], float]:
    measure = script_run(1, f"\\set a random(1, 90000)\n\\set c random(1, {CUSTOMERS})\n{sql};\n", mode)

    def run(peer: Peer, seconds: float) -> float:
        with peer.connect() as conn:
            rows = conn.execute(sql.replace(":a", "5000").replace(":c", "17")).fetchall()
        assert right(rows), (peer.name, sql, rows)
        return measure(peer, seconds)

    return run


def _come_and_go(peer: Peer, seconds: float) -> float:
    """Orders are made with two items each, and deleted; nothing of them is left."""
    made = (
        "\\set b random(1000000, 100000000)\n\\set c random(1, 10000)\n"
        + _DELETE.replace("; ", ";\n")
        + ";\n"
    )
    tps = script_run(1, made)(peer, seconds)
    with peer.connect() as conn:
        left = conn.execute(
            f"SELECT (SELECT count(*) FROM shop_orders), (SELECT count(*) FROM shop_items WHERE order_id > {ORDERS})"
        ).fetchone()
    assert left == (ORDERS, 0), (peer.name, left)
    return tps


def workloads() -> list[Workload]:
    reads = [
        Workload(
            f"shop: {name}",
            "tps",
            _checked_read(sql, right, "simple" if name.endswith(_IN_THE_TEXT) else "prepared"),
            _prepare,
            "shop",
            quick=False,
        )
        for name, (sql, right) in _READS.items()
    ]
    return [
        *reads,
        Workload("shop: an order comes and goes", "tps", _come_and_go, _prepare, "shop", quick=False),
    ]
