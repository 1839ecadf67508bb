"""Dates, times and intervals: arithmetic, fields, truncation, formats (chapter 9.9).

What depends on the session's time zone takes it as an argument or from DuckDB's own setting, which the executor
keeps equal to the session's.
"""

from __future__ import annotations

from planner import types as t
from planner.abc import PlanError, SessionValue, TypeRef
from planner.binding import ir
from planner.binding.emit import Emitter
from planner.binding.fragments import Frag, quote_text, sql
from planner.binding.functions.instants import icu_zone, part_by_value, trunc_by_value
from planner.binding.functions.registry import implements, register, templates
from planner.binding.templates.date_parts import ZONES, unit_named
from planner.types.datetimes import DATE_INFINITY, TIMESTAMP_INFINITY

_ZONE = SessionValue("time_zone_icu", TypeRef(t.TEXT))
_TIME_ZONE = SessionValue("time_zone", TypeRef(t.TEXT))

templates("""
date - date => tw_days_between({0}, {1})
date + interval => tw_moment({0} + {1})
interval + date => tw_moment({1} + {0})
date - interval => tw_moment({0} - {1})
date + time => ({0} + {1})
time + date => ({1} + {0})
timestamp + interval => tw_moment({0} + {1})
interval + timestamp => tw_moment({1} + {0})
timestamp - interval => tw_moment({0} - {1})
timestamp - timestamp => ({0} - {1})
timestamptz - timestamptz => (timezone('UTC', {0}) - timezone('UTC', {1}))
time + interval => ({0} + {1})
interval + time => ({1} + {0})
time - interval => ({0} - {1})
time - time => to_microseconds(epoch_us({0}) - epoch_us({1}))
interval + interval => ({0} + {1})
interval - interval => ({0} - {1})
- interval => (-{0})
interval * float8 => tw_interval_mul({0}, {1})
float8 * interval => tw_interval_mul({1}, {0})
interval / float8 => tw_interval_div({0}, {1})
age(timestamp, timestamp) => tw_age({0}, {1})
age(timestamptz, timestamptz) => tw_age({0}, {1})
make_date(int4, int4, int4) => tw_make_date({0}, {1}, {2})
make_interval(int4, int4, int4, int4, int4, int4, float8) => (to_months(CAST(tw_within(CAST({0} AS BIGINT) * 12 + {1}, 32) AS INTEGER)) + to_days(CAST(tw_within(CAST({2} AS BIGINT) * 7 + {3}, 32) AS INTEGER)) + to_microseconds(CAST(tw_within(CAST({4} AS HUGEINT) * 3600000000 + CAST({5} AS HUGEINT) * 60000000 + tw_seconds_in_micros({6}), 64) AS BIGINT)))
to_timestamp(float8) => CASE WHEN isnan({0}) THEN error('[22008] timestamp cannot be NaN') WHEN isinf({0}) THEN CAST(CASE WHEN {0} > 0 THEN 'infinity' ELSE '-infinity' END AS TIMESTAMP WITH TIME ZONE) WHEN {0} NOT BETWEEN -210866803200 AND 9223372036854 THEN error('[22008] timestamp out of range: "' || printf('%g', {0}) || '"') ELSE to_timestamp({0}) END
justify_hours(interval) => tw_justify_hours({0})
justify_days(interval) => tw_justify_days({0})
justify_interval(interval) => tw_justify_interval({0})
isfinite(date) => isfinite({0})
isfinite(timestamp) => isfinite({0})
isfinite(timestamptz) => isfinite({0})
isfinite(interval) => ({0} = {0})
to_char(interval, text) => tw_to_char_interval({0}, {1})
to_char(int4, text) => tw_to_char_numeric(CAST({0} AS VARCHAR), {1})
to_char(int8, text) => tw_to_char_numeric(CAST({0} AS VARCHAR), {1})
to_char(numeric, text) => tw_to_char_numeric({0}, {1})
to_char(float8, text) => tw_to_char_float({0}, {1}, 15)
to_char(float4, text) => tw_to_char_float(CAST({0} AS DOUBLE), {1}, 6)
to_date(text, text) => tw_to_date({0}, {1})
to_number(text, text) => tw_to_number({0}, {1})
overlaps(timestamp, timestamp, timestamp, timestamp) => tw_overlaps({0}, {1}, {2}, {3})
overlaps(timestamptz, timestamptz, timestamptz, timestamptz) => tw_overlaps({0}, {1}, {2}, {3})
overlaps(time, time, time, time) => tw_overlaps({0}, {1}, {2}, {3})
overlaps(timestamp, interval, timestamp, interval) => tw_overlaps({0}, tw_moment({0} + {1}), {2}, tw_moment({2} + {3}))
""")


def _are_plain(call: ir.Call) -> bool:
    """Whether a macro may name the arguments several times: what is nested would be computed again in each place."""
    return all(isinstance(arg, (ir.Lit, ir.Parm, ir.Session, ir.Var)) for arg in call.args)


def _days_later(date: Frag, sign: str, days: Frag, call: ir.Call) -> Frag:
    """A date and a number of days. DuckDB's dates go on for seven thousand years after PostgreSQL's last one."""
    if _are_plain(call):
        return sql("tw_date_plus(" if sign == "+" else "tw_date_minus(", date, ", ", days, ")")
    return sql("tw_day(", date, f" {sign} ", days, ")")


@implements("date + int4")
def _date_plus(_emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
    return _days_later(args[0], "+", args[1], call)


@implements("int4 + date")
def _plus_date(_emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
    return _days_later(args[1], "+", args[0], call)


@implements("date - int4")
def _date_minus(_emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
    return _days_later(args[0], "-", args[1], call)


def _moved(t_frag: Frag, i_frag: Frag, call: ir.Call) -> Frag:
    """A moment and an interval, by the session's calendar. The macro names both several times; what is nested goes by way of a lambda."""
    return sql(
        "tw_instant_plus" if _are_plain(call) else "tw_instant_plus_once",
        "(",
        t_frag,
        ", ",
        i_frag,
        ", ",
        _ZONE,
        ")",
    )


@implements("timestamptz + interval")
def _instant_plus(_emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
    return _moved(args[0], args[1], call)


@implements("interval + timestamptz")
def _plus_instant(_emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
    return _moved(args[1], args[0], call)


@implements("timestamptz - interval")
def _instant_minus(_emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
    return _moved(args[0], sql("(-", args[1], ")"), call)


@implements("to_timestamp(text, text)")
def _parse_zoned(_emitter: Emitter, _call: ir.Call, args: list[Frag]) -> Frag:
    return sql("tw_to_timestamp(", args[0], ", ", args[1], ", ", _TIME_ZONE, ")")


@implements("age(timestamp)")
def _age(_emitter: Emitter, _call: ir.Call, args: list[Frag]) -> Frag:
    now = SessionValue("now", TypeRef(t.TIMESTAMPTZ))
    return sql("tw_age(CAST(CAST(timezone(", _ZONE, ", ", now, ") AS DATE) AS TIMESTAMP), ", args[0], ")")


@implements("age(timestamptz)")
def _age_zoned(_emitter: Emitter, _call: ir.Call, args: list[Frag]) -> Frag:
    now = SessionValue("now", TypeRef(t.TIMESTAMPTZ))
    today = sql("CAST(CAST(timezone(", _ZONE, ", ", now, ") AS DATE) AS TIMESTAMP)")
    return sql("tw_age(", today, ", timezone(", _ZONE, ", ", args[0], "))")


# --- fields ------------------------------------------------------------------------------------------

_WHOLE = {
    "year": "year", "month": "month", "day": "day", "hour": "hour", "minute": "minute", "dow": "dow", "isodow": "isodow", "doy": "doy",
    "week": "week", "isoyear": "isoyear", "quarter": "quarter", "decade": "decade", "century": "century", "millennium": "millennium",
}  # fmt: skip
_DATE_ONLY = {"dow", "isodow", "doy", "week", "isoyear"}
_FORM = (20, 0)
_YEARS = {
    "year": "tw_year",
    "isoyear": "tw_year",
    "decade": "tw_decade",
    "century": "tw_century",
    "millennium": "tw_millennium",
}


def _field_name(node: ir.Node, kind: str, position: int) -> str:
    if not isinstance(node, ir.Lit) or not isinstance(node.value, str):
        raise PlanError("0A000", "a field name that is not a constant is not supported", position=position)
    return unit_named(node.value)


def _refused(name: str, known: bool, kind: str, position: int) -> PlanError:
    shown = t.format_type(TypeRef(t.BY_NAME[kind].oid))
    if known:
        return PlanError("0A000", f'unit "{name}" not supported for type {shown}', position=0)
    return PlanError("22023", f'unit "{name}" not recognized for type {shown}', position=0)


def _extract(kind: str, call: ir.Call, args: list[Frag]) -> Frag:
    name = _field_name(call.args[0], kind, call.position)
    written = str(call.args[0].value).lower() if isinstance(call.args[0], ir.Lit) else name
    x = args[1]
    clock = {"hour", "minute", "second", "milliseconds", "microseconds"}
    known = (
        name in _WHOLE
        or name in clock
        or name in ("epoch", "julian", "timezone", "timezone_hour", "timezone_minute")
    )
    if not known:
        raise _refused(written, False, kind, call.position)
    if (kind == "date" and name in clock | {"timezone", "timezone_hour", "timezone_minute"}) or (
        kind == "time" and name not in clock | {"epoch"}
    ) or (kind == "interval" and name in _DATE_ONLY | {"julian", "timezone"}):  # fmt: skip
        raise _refused(written, True, kind, call.position)
    if name.startswith("timezone") and kind != "timestamptz":
        raise _refused(written, True, kind, call.position)
    if name in ("second", "milliseconds", "microseconds"):
        micros = sql("CAST(", "extract(microsecond FROM ", x, ") AS DECIMAL(18,0))")
        if name == "microseconds":
            return micros.with_form((18, 0))
        unit, scale = ("0.000001", 6) if name == "second" else ("0.001", 3)
        return sql("(", micros, f" * CAST('{unit}' AS DECIMAL(6,{scale})))", form=(24, scale))
    if name == "epoch":
        if kind == "interval":
            return _seconds(x)
        if kind == "date":
            return sql("CAST(epoch_us(CAST(", x, " AS TIMESTAMP)) // 1000000 AS DECIMAL(20,0))", form=(20, 0))
        return sql(
            "(CAST(epoch_us(", x, ") AS DECIMAL(20,0)) * CAST('0.000001' AS DECIMAL(6,6)))", form=(26, 6)
        )
    if name == "julian":
        if kind == "date":
            return sql(
                "CAST(datediff('day', DATE '1970-01-01', ", x, ") + 2440588 AS DECIMAL(20,0))", form=_FORM
            )
        return sql("tw_julian(", _wall_clock(kind, x), ")")
    if name == "timezone":
        return sql("CAST(extract(timezone FROM ", x, ") AS DECIMAL(20,0))", form=_FORM)
    if name in _YEARS and kind != "interval":
        field = "isoyear" if name == "isoyear" else "year"
        year = sql(f"extract({field} FROM ", _wall_clock(kind, x), ")")
        return sql(f"CAST({_YEARS[name]}(", year, ") AS DECIMAL(20,0))", form=_FORM)
    field = _WHOLE.get(name, name)
    return sql(f"CAST(extract({field} FROM ", x, ") AS DECIMAL(20,0))", form=_FORM)


def _seconds(x: Frag) -> Frag:
    """Of an interval: a year has 365.25 days, a month 30."""
    years, months = (sql("tw_months(", x, f") {sign} 12") for sign in ("//", "%"))
    whole = sql("(", years, ") * 31557600 + (", months, ") * 2592000 + tw_days(", x, ") * 86400")
    parts = sql("CAST(tw_micros(", x, ") AS DECIMAL(19,0)) * CAST('0.000001' AS DECIMAL(6,6))")
    return sql("CAST(CAST(", whole, " AS DECIMAL(18,0)) + ", parts, " AS DECIMAL(25,6))", form=(25, 6))


def _wall_clock(kind: str, x: Frag) -> Frag:
    """A moment as the session's clocks show it. DuckDB's years of moments do not tell BC from AD."""
    return sql("timezone(", _ZONE, ", ", x, ")") if kind == "timestamptz" else x


_ENDLESS = {"epoch", "julian", "year", "isoyear", "decade", "century", "millennium"}
"""Fields that grow with time: of an infinite date they are infinite, all others are NULL."""


def _fields(kind: str) -> None:
    def is_endless(call: ir.Call, args: list[Frag]) -> Frag | None:
        if kind in ("time", "interval") or _field_name(call.args[0], kind, 0) not in _ENDLESS:
            return None
        return sql("CASE WHEN isinf(", args[1], ") THEN ")

    def extract(_emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
        found = _extract(kind, call, args)
        endless = is_endless(call, args)
        if endless is None:
            return found
        constant = call.args[1].value if isinstance(call.args[1], ir.Lit) else 0
        if isinstance(constant, int) and abs(constant) == (
            DATE_INFINITY if kind == "date" else TIMESTAMP_INFINITY
        ):
            return sql(quote_text("Infinity" if constant > 0 else "-Infinity"))
        # A DECIMAL holds no infinity; NULL would be a silent difference.
        refusal = "error('[0A000] extract() of an infinite date is not supported [HINT] Use date_part().')"
        return sql(endless, refusal, " ELSE ", found, " END", form=found.form)

    def part(_emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
        if not isinstance(call.args[0], ir.Lit):
            made = part_by_value(kind, args)
            if made is not None:
                return made
        if kind == "interval" and _field_name(call.args[0], kind, call.position) == "epoch":
            return sql("tw_interval_part('epoch', ", args[1], ")")
        if kind in ("timestamp", "timestamptz") and _field_name(call.args[0], kind, call.position) == "epoch":
            # The nearest double to a quotient of two, which that of a DECIMAL is not always.
            found = sql("(CAST(epoch_us(", args[1], ") AS DOUBLE) / 1e6)")
        else:
            found = sql("CAST(", _extract(kind, call, args), " AS DOUBLE)")
        endless = is_endless(call, args)
        if endless is None:
            return found
        sign = sql("CASE WHEN ", args[1], " > DATE '1970-01-01' THEN ", "1e0 ELSE -1e0 END")
        return sql(endless, sign, " * CAST('inf' AS DOUBLE) ELSE ", found, " END")

    register(f"extract(text, {kind})", extract)
    if kind != "date":
        register(f"date_part(text, {kind})", part)
    if kind == "timestamp":
        # PostgreSQL's function of a date is one in SQL, which casts: unlike extract() it has hours, too.
        register(
            "date_part(text, date)", lambda e, c, a: part(e, c, [a[0], sql("CAST(", a[1], " AS TIMESTAMP)")])
        )


for _kind in ("date", "time", "timestamp", "timestamptz", "interval"):
    _fields(_kind)

_TRUNCATIONS = [
    "microseconds",
    "milliseconds",
    "second",
    "minute",
    "hour",
    "day",
    "week",
    "month",
    "quarter",
    "year",
    "decade",
    "century",
    "millennium",
]


_LONG_UNITS = ("decade", "century", "millennium")
_CLOCK_UNITS = ("minute", "hour")
"""Cut under the offset that is in force: the hour that comes twice stays the one that it is."""


def _trunc(kind: str) -> None:
    def made(_emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
        if not isinstance(call.args[0], ir.Lit):
            by_value = trunc_by_value(kind, args)
            if by_value is not None:
                return by_value
        name = _field_name(call.args[0], kind, call.position)
        if name not in _TRUNCATIONS:
            by_value = trunc_by_value(kind, args)  # refused of what is finite alone
            if by_value is not None:
                return by_value
            raise _refused(name, name in ZONES, kind, call.position)
        if kind == "interval" and name == "week":
            raise PlanError(
                "0A000",
                'unit "week" not supported for type interval',
                detail="Months usually have fractional weeks.",
                position=0,
            )
        if name in _LONG_UNITS and kind != "interval":
            # Centuries begin with the year 1, and all of them go down before our era: DuckDB cuts digits off years.
            by_value = trunc_by_value(kind, [sql(f"'{name}'"), args[1]])
            assert by_value is not None
            return by_value
        if kind == "timestamptz" and name in _CLOCK_UNITS:
            return sql(f"tw_instant_cut('{name}', ", args[1], ", ", _ZONE, ")")
        return sql(f"date_trunc('{name}', ", args[1], ")")

    register(f"date_trunc(text, {kind})", made)


for _kind in ("timestamp", "timestamptz", "interval"):
    _trunc(_kind)


@implements("date_trunc(text, timestamptz, text)")
def _trunc_zone(_emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
    unit, zone = call.args[0], call.args[2]
    if isinstance(unit, ir.Lit) and isinstance(zone, ir.Lit) and isinstance(zone.value, str):
        name = _field_name(unit, "timestamptz", call.position)
        known = icu_zone(zone.value)
        if name in _TRUNCATIONS and name not in _LONG_UNITS and "/" in known:
            place = quote_text(known)
            if name in _CLOCK_UNITS:
                return sql(f"tw_instant_cut('{name}', ", args[1], f", {place})")
            return sql(f"timezone({place}, date_trunc('{name}', timezone({place}, ", args[1], ")))")
    return sql("tw_date_trunc_in(", args[0], ", ", args[1], ", ", args[2], ")")
