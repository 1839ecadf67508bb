"""Functions that change or ask the session itself: sequences, settings, NOTIFY, other backends.

The executor provides what they call (`tw_nextval`, ...), on its event loop, for the session whose pid comes along.
"""

from __future__ import annotations

import itertools
from typing import Final

from planner import types as t
from planner.abc import SessionValue, TypeRef
from planner.binding import ir
from planner.binding.emit import Emitter
from planner.binding.fragments import Frag, sql
from planner.binding.functions.registry import implements

PID = SessionValue("pid", TypeRef(t.INT4))
SEEDED = SessionValue("seeded", TypeRef(t.BOOL))
"""Whether random() is of the session's own generator (`setseed`)."""


@implements("nextval(regclass)", "currval(regclass)")
def _value(_emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
    return sql(f"tw_{call.op.partition('(')[0]}(CAST(", args[0], " AS BIGINT), ", PID, ")")


@implements("lastval()")
def _lastval(_emitter: Emitter, _call: ir.Call, _args: list[Frag]) -> Frag:
    return sql("tw_lastval(", PID, ")")


@implements("setval(regclass, int8)", "setval(regclass, int8, bool)")
def _setval(_emitter: Emitter, _call: ir.Call, args: list[Frag]) -> Frag:
    called: Frag | str = args[2] if len(args) > 2 else "true"
    return sql("tw_setval(CAST(", args[0], " AS BIGINT), ", args[1], ", ", called, ", ", PID, ")")


@implements("pg_sequence_last_value(regclass)")
def _last_value(_emitter: Emitter, _call: ir.Call, args: list[Frag]) -> Frag:
    oid = sql("CAST(", args[0], " AS BIGINT)")
    return sql(
        "CASE WHEN tw_sequence_known(", oid, ", ", PID, ") THEN tw_sequence_last(", oid, ", ", PID, ") END"
    )


def relation(oid: int) -> Frag:
    """A sequence in FROM: its one row, as it stands when the query runs."""
    return sql(
        f"(SELECT tw_sequence_last({oid}, ", PID, ") AS last_value, CAST(0 AS BIGINT) AS log_cnt, ",
        f"tw_sequence_called({oid}, ", PID, ") AS is_called)",
    )  # fmt: skip


@implements("set_config(text, text, bool)")
def _set_config(_emitter: Emitter, _call: ir.Call, args: list[Frag]) -> Frag:
    return sql("tw_set_config(", args[0], ", ", args[1], ", ", args[2], ", ", PID, ")")


@implements("current_setting(text)", "current_setting(text, bool)")
def _current_setting(_emitter: Emitter, _call: ir.Call, args: list[Frag]) -> Frag:
    missing_ok: Frag | str = args[1] if len(args) > 1 else "false"
    return sql("tw_current_setting(", args[0], ", ", missing_ok, ", ", PID, ")")


@implements("pg_notify(text, text)", "pg_cancel_backend(int4)", "pg_sleep(float8)", "pg_export_snapshot()")
def _of_session(_emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
    name = call.op.partition("(")[0].removeprefix("pg_")
    items = [x for a in args for x in (a, ", ")]
    return sql(f"tw_{name}(", *items, PID, ")")


@implements("pg_current_wal_lsn()", "pg_current_wal_flush_lsn()", "pg_current_wal_insert_lsn()")
def _log_place(_emitter: Emitter, _call: ir.Call, _args: list[Frag]) -> Frag:
    return sql("tw_log_place(", PID, ")")


@implements("pg_xact_status(xid8)", "txid_status(int8)")
def _status(_emitter: Emitter, _call: ir.Call, args: list[Frag]) -> Frag:
    # A number below zero is, to PostgreSQL, one of the upper half of 64 bits.
    return sql(
        "tw_transaction_status(CAST(CAST(",
        args[0],
        " AS HUGEINT) & 18446744073709551615 AS UBIGINT), ",
        PID,
        ")",
    )


@implements("random()")
def _random(_emitter: Emitter, _call: ir.Call, _args: list[Frag]) -> Frag:
    return sql("CASE WHEN ", SEEDED, " THEN tw_random(", PID, ") ELSE random() END")


@implements("clock_timestamp()")
def _clock(_emitter: Emitter, _call: ir.Call, _args: list[Frag]) -> Frag:
    """The time at which a row asks for it; `now()` and `statement_timestamp()` are what the session knows."""
    return sql("tw_clock(", PID, ")")


@implements("timeofday()")
def _time_of_day(emitter: Emitter, _call: ir.Call, _args: list[Frag]) -> Frag:
    """In the session's zone."""
    now = ir.Call(TypeRef(t.TIMESTAMPTZ), "clock_timestamp()", (), volatile=ir.drawn())
    template = ir.Lit(TypeRef(t.TEXT), "Dy Mon DD HH24:MI:SS.US YYYY TZ")
    return emitter.frag(
        ir.Call(TypeRef(t.TEXT), "to_char(timestamptz, text)", (now, template), volatile=ir.drawn())
    )


@implements("setseed(float8)")
def _setseed(_emitter: Emitter, _call: ir.Call, args: list[Frag]) -> Frag:
    return sql("tw_setseed(", args[0], ", ", PID, ")")


@implements("pg_listening_channels()")
def _channels(_emitter: Emitter, _call: ir.Call, _args: list[Frag]) -> Frag:
    return sql(SessionValue("channels", TypeRef(t.TEXT_ARRAY)))


@implements("pg_sleep_for(interval)")
def _sleep_for(_emitter: Emitter, _call: ir.Call, args: list[Frag]) -> Frag:
    return sql("tw_sleep(CAST(tw_interval_epoch(", args[0], ") AS DOUBLE), ", PID, ")")


@implements("pg_sleep_until(timestamptz)")
def _sleep_until(_emitter: Emitter, _call: ir.Call, args: list[Frag]) -> Frag:
    return sql(
        "tw_sleep(CAST(epoch_us(",
        args[0],
        ") - epoch_us(tw_clock(",
        PID,
        ")) AS DOUBLE) / 1000000, ",
        PID,
        ")",
    )


def _advisory(name: str, what: str) -> None:
    void = what.startswith("lock")

    def made(_emitter: Emitter, _call: ir.Call, args: list[Frag]) -> Frag:
        first = sql("CAST(", args[0], " AS BIGINT)")
        second = sql("CAST(", args[1], " AS BIGINT)") if len(args) > 1 else sql("CAST(NULL AS BIGINT)")
        done = sql(f"tw_advisory('{what}', ", first, ", ", second, ", ", PID, ")")
        return sql("CASE WHEN ", done, " THEN '' END") if void else done

    implements(f"{name}(int8)", f"{name}(int4, int4)")(made)


TRIED: Final = {
    f"pg_try_advisory_{xact}lock{shared}({types})": f"try{xact and ' xact'}{shared and ' shared'}"
    for xact, shared, types in itertools.product(("", "xact_"), ("", "_shared"), ("int8", "int4, int4"))
}
"""What `tw_advisory` is told of the locks that are only tried."""


def tried_first(call: ir.Call, args: list[Frag], most: Frag, number: int) -> Frag:
    """One of `TRIED` that gets so many locks as LIMIT wants rows, and no more: that of a row that is cut off would stay.

    `number`: no other call of the statement has it.
    """
    first = sql("CAST(", args[0], " AS BIGINT)")
    second = sql("CAST(", args[1], " AS BIGINT)") if len(args) > 1 else sql("CAST(NULL AS BIGINT)")
    query = SessionValue("query", TypeRef(t.INT8))
    what = sql(f"concat('{TRIED[call.op]}|', ", most, f", '|{number}|', ", query, ")")
    return sql("tw_advisory(", what, ", ", first, ", ", second, ", ", PID, ")")


for _shared in ("", "_shared"):
    _word = _shared.replace("_", " ")
    _advisory(f"pg_advisory_lock{_shared}", f"lock{_word}")
    _advisory(f"pg_advisory_xact_lock{_shared}", f"lock xact{_word}")
    _advisory(f"pg_try_advisory_lock{_shared}", f"try{_word}")
    _advisory(f"pg_try_advisory_xact_lock{_shared}", f"try xact{_word}")
    _advisory(f"pg_advisory_unlock{_shared}", f"unlock{_word}")


@implements("pg_advisory_unlock_all()")
def _unlock_all(_emitter: Emitter, _call: ir.Call, _args: list[Frag]) -> Frag:
    nothing = "CAST(NULL AS BIGINT)"
    return sql(f"CASE WHEN tw_advisory('unlock all', {nothing}, {nothing}, ", PID, ") THEN '' END")


@implements("pg_terminate_backend(int4)", "pg_terminate_backend(int4, int8)")
def _terminate(_emitter: Emitter, _call: ir.Call, args: list[Frag]) -> Frag:
    return sql("tw_terminate_backend(", args[0], ", ", PID, ")")
