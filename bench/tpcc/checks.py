"""What TPC-C says must hold between its tables (clause 3.3.2), each as a query that finds what breaks it."""

from __future__ import annotations

from typing import Any

import psycopg

CONDITIONS = {
    "1: a warehouse's payments are its districts'": """
        SELECT w_id FROM warehouse JOIN (SELECT d_w_id, sum(d_ytd) AS ytd FROM district GROUP BY 1) d ON d_w_id = w_id
        WHERE w_ytd <> ytd""",
    "2: a district's next order follows its last": """
        SELECT d_w_id, d_id FROM district
        JOIN (SELECT o_w_id, o_d_id, max(o_id) AS o FROM orders_c GROUP BY 1, 2) o ON o_w_id = d_w_id AND o_d_id = d_id
        WHERE d_next_o_id - 1 <> o""",
    "2: its undelivered orders are its last ones": """
        SELECT d_w_id, d_id FROM district
        JOIN (SELECT no_w_id, no_d_id, max(no_o_id) AS o FROM new_order GROUP BY 1, 2) n
          ON no_w_id = d_w_id AND no_d_id = d_id
        WHERE d_next_o_id - 1 <> o""",
    "3: undelivered orders have no gaps": """
        SELECT no_w_id, no_d_id FROM new_order GROUP BY 1, 2 HAVING max(no_o_id) - min(no_o_id) + 1 <> count(*)""",
    "4: a district's orders have their lines": """
        SELECT o_w_id, o_d_id FROM (SELECT o_w_id, o_d_id, sum(o_ol_cnt) AS n FROM orders_c GROUP BY 1, 2) o
        JOIN (SELECT ol_w_id, ol_d_id, count(*) AS n FROM order_line GROUP BY 1, 2) l
          ON ol_w_id = o_w_id AND ol_d_id = o_d_id
        WHERE o.n <> l.n""",
    "5: what has no carrier is undelivered, and the other way about": """
        SELECT o_w_id, o_d_id, o_id FROM orders_c
        FULL JOIN new_order ON no_w_id = o_w_id AND no_d_id = o_d_id AND no_o_id = o_id
        WHERE (o_carrier_id IS NULL) <> (no_o_id IS NOT NULL)""",
    "6: every order has the lines that it says": """
        SELECT o_w_id, o_d_id, o_id FROM orders_c
        LEFT JOIN (SELECT ol_w_id, ol_d_id, ol_o_id, count(*) AS n FROM order_line GROUP BY 1, 2, 3) l
          ON ol_w_id = o_w_id AND ol_d_id = o_d_id AND ol_o_id = o_id
        WHERE o_ol_cnt <> coalesce(n, 0)""",
    "7: a line has been delivered if its order has": """
        SELECT ol_w_id, ol_d_id, ol_o_id FROM order_line
        JOIN orders_c ON o_w_id = ol_w_id AND o_d_id = ol_d_id AND o_id = ol_o_id
        WHERE (ol_delivery_d IS NULL) <> (o_carrier_id IS NULL)""",
    "8: a warehouse's payments are in the history": """
        SELECT w_id FROM warehouse JOIN (SELECT h_w_id, sum(h_amount) AS paid FROM history GROUP BY 1) h ON h_w_id = w_id
        WHERE w_ytd <> paid""",
    "9: and so are a district's": """
        SELECT d_w_id, d_id FROM district
        JOIN (SELECT h_w_id, h_d_id, sum(h_amount) AS paid FROM history GROUP BY 1, 2) h
          ON h_w_id = d_w_id AND h_d_id = d_id
        WHERE d_ytd <> paid""",
    "12: a customer's balance is what was delivered less what was paid": """
        SELECT c_w_id, c_d_id, c_id FROM customer
        JOIN (SELECT o_w_id, o_d_id, o_c_id, sum(ol_amount) AS delivered FROM orders_c
              JOIN order_line ON ol_w_id = o_w_id AND ol_d_id = o_d_id AND ol_o_id = o_id
              WHERE ol_delivery_d IS NOT NULL GROUP BY 1, 2, 3) l
          ON o_w_id = c_w_id AND o_d_id = c_d_id AND o_c_id = c_id
        WHERE c_balance + c_ytd_payment <> delivered""",
}


def check(connection: psycopg.Connection[Any]) -> None:
    """Raises AssertionError that names the condition and what breaks it."""
    for name, sql in CONDITIONS.items():
        broken = connection.execute(sql).fetchmany(5)
        assert not broken, f"condition {name}: broken at {broken}"
