"""pg_lsn and snapshots: their operators and functions (chapters 8.20 and 9.27.5)."""

from __future__ import annotations

from planner import types as t
from planner.abc import SessionValue, TypeRef
from planner.binding import ir
from planner.binding.emit import Emitter
from planner.binding.fragments import Frag, sql
from planner.binding.functions.registry import implements, template, templates

templates("""
pg_lsn - pg_lsn => tw_lsn_distance({0}, {1})
pg_wal_lsn_diff(pg_lsn, pg_lsn) => tw_lsn_distance({0}, {1})
pg_lsn + numeric => tw_lsn_after({0}, {1})
numeric + pg_lsn => tw_lsn_after({1}, {0})
pg_lsn - numeric => tw_lsn_before({0}, {1})
pg_lsn(numeric) => tw_lsn_of({0})
pg_lsn_hash(pg_lsn) => tw_hash_pg_lsn({0})
pg_lsn_hash_extended(pg_lsn, int8) => tw_hash_pg_lsn_extended({0}, {1})
pg_lsn_send(pg_lsn) => tw_send_pg_lsn({0})
pg_lsn_cmp(pg_lsn, pg_lsn) => CASE WHEN {0} < {1} THEN -1 WHEN {0} > {1} THEN 1 WHEN {0} = {1} THEN 0 END
pg_lsn_mi(pg_lsn, pg_lsn) => tw_lsn_distance({0}, {1})
pg_lsn_pli(pg_lsn, numeric) => tw_lsn_after({0}, {1})
numeric_pl_pg_lsn(numeric, pg_lsn) => tw_lsn_after({1}, {0})
pg_lsn_mii(pg_lsn, numeric) => tw_lsn_before({0}, {1})
pg_lsn_larger(pg_lsn, pg_lsn) => CASE WHEN {0} < {1} THEN {1} WHEN {1} IS NOT NULL THEN {0} END
pg_lsn_smaller(pg_lsn, pg_lsn) => CASE WHEN {0} > {1} THEN {1} WHEN {1} IS NOT NULL THEN {0} END
""")
for _part, _said in (("xmin", "low"), ("xmax", "high"), ("xip", "running")):
    template(f"pg_snapshot_{_part}(pg_snapshot)", f"tw_snapshot_{_said}({{0}})")
    template(f"txid_snapshot_{_part}(txid_snapshot)", f"tw_txid_snapshot_{_said}({{0}})")
template("txid_visible_in_snapshot(int8, txid_snapshot)", "tw_snapshot_sees({0}, {1})")
template("pg_visible_in_snapshot(xid8, pg_snapshot)", "tw_snapshot_shows({0}, {1})")


# Numbers of transactions are taken of the clock, none comes again, and nothing is ever frozen: 0, which is what pg_class and
# pg_database say of it, is as old as nothing, so that who watches for a wraparound sees none coming.


@implements("age(xid)")
def _age(_emitter: Emitter, _call: ir.Call, args: list[Frag]) -> Frag:
    snapshot = SessionValue("snapshot", TypeRef(t.PG_SNAPSHOT))
    number = sql("CAST(tw_snapshot_high(", snapshot, ") AS HUGEINT)")
    x = args[0]
    distance = sql("CAST((", number, " - CAST(", x, " AS HUGEINT)) % 4294967296 AS BIGINT)")
    signed = sql("CAST((", distance, " + 6442450944) % 4294967296 - 2147483648 AS INTEGER)")
    return sql("CASE WHEN ", x, " = 0 THEN 0 WHEN ", x, " < 3 THEN 2147483647 ELSE ", signed, " END")


template(
    "mxid_age(xid)",
    "CAST((1 - CAST({0} AS BIGINT) + 6442450944) % 4294967296 - 2147483648 AS INTEGER) * CAST({0} <> 0 AS INTEGER)",
)
