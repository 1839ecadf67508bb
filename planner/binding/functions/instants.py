"""Zones, bins, times of day with a zone, and fields whose names are known only when the query runs (chapter 9.9)."""

from __future__ import annotations

from planner import types as t
from planner.abc import PlanError, SessionValue, SqlError, TypeRef
from planner.binding import ir
from planner.binding.emit import Emitter
from planner.binding.fragments import Frag, join, quote_text, sql
from planner.binding.functions.registry import implements, register, template, templates
from planner.binding.series import asked_for
from planner.types.timezones import abbreviation, describes_itself, icu_name, named_zone

_ZONE = SessionValue("time_zone", TypeRef(t.TEXT))
_NOW = SessionValue("now", TypeRef(t.TIMESTAMPTZ))

templates("""
make_time(int4, int4, float8) => tw_make_time({0}, {1}, {2})
make_timestamp(int4, int4, int4, int4, int4, float8) => tw_make_timestamp({0}, {1}, {2}, {3}, {4}, {5})
make_timestamptz(int4, int4, int4, int4, int4, float8, text) => tw_from_stated_zone({6}, tw_make_timestamp({0}, {1}, {2}, {3}, {4}, {5}))
date_bin(interval, timestamp, timestamp) => tw_date_bin({0}, {1}, {2})
date_bin(interval, timestamptz, timestamptz) => tw_date_bin_zoned({0}, {1}, {2})
timetz + interval => tw_timetz_plus({0}, {1})
interval + timetz => tw_timetz_plus({1}, {0})
timetz - interval => tw_timetz_minus({0}, {1})
timezone(interval, timetz) => tw_timetz_at({0}, {1})
timezone(interval, timestamptz) => (timezone('UTC', {1}) + tw_interval_offset({0}))
timezone(interval, timestamp) => timezone('UTC', {1} - tw_interval_offset({0}))
date + timetz => tw_date_timetz({0}, {1})
timetz + date => tw_date_timetz({1}, {0})
timestamptz(date, timetz) => tw_date_timetz({0}, {1})
overlaps(timestamp, timestamp, timestamp, interval) => tw_overlaps({0}, {1}, {2}, {2} + {3})
overlaps(timestamp, interval, timestamp, timestamp) => tw_overlaps({0}, {0} + {1}, {2}, {3})
overlaps(timestamptz, interval, timestamptz, interval) => tw_overlaps({0}, {0} + {1}, {2}, {2} + {3})
overlaps(timestamptz, timestamptz, timestamptz, interval) => tw_overlaps({0}, {1}, {2}, {2} + {3})
overlaps(timestamptz, interval, timestamptz, timestamptz) => tw_overlaps({0}, {0} + {1}, {2}, {3})
""")
for _op in ("=", "<>", "<", "<=", ">", ">="):
    template(f"timetz {_op} timetz", f"(tw_timetz_key({{0}}) {_op} tw_timetz_key({{1}}))")


@implements("timestamptz(date, time)")
def _moment_of_day(_emitter: Emitter, _call: ir.Call, args: list[Frag]) -> Frag:
    return sql("tw_from_session_zone(", _ZONE, ", (", args[0], " + ", args[1], "))")


@implements("make_timestamptz(int4, int4, int4, int4, int4, float8)")
def _make_zoned(_emitter: Emitter, _call: ir.Call, args: list[Frag]) -> Frag:
    y, mo, d, h, mi, s = args
    return sql(
        "tw_from_session_zone(",
        _ZONE,
        ", tw_make_timestamp(",
        y,
        ", ",
        mo,
        ", ",
        d,
        ", ",
        h,
        ", ",
        mi,
        ", ",
        s,
        "))",
    )


def icu_zone(name: str) -> str:
    """What DuckDB calls a zone that a constant names; empty where it knows nothing of its rules. Raises 22023."""
    if abbreviation(name) is not None:
        return ""
    try:
        zone = named_zone(name)
    except SqlError as e:
        raise PlanError(e.sqlstate, e.message) from None
    return "" if describes_itself(zone) else icu_name(zone)


def _at_zone(kind: str) -> None:
    """AT TIME ZONE: DuckDB's own rules where the zone is written out, ours where a value names it, or it describes itself."""

    def made(_emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
        zone = call.args[0]
        if kind == "timetz":
            return sql("tw_timetz_at_zone(", args[0], ", ", args[1], ", ", _NOW, ")")
        if isinstance(zone, ir.Lit) and isinstance(zone.value, str) and (name := icu_zone(zone.value)):
            return sql(
                "CASE WHEN isfinite(",
                args[1],
                f") THEN tw_moment(timezone({quote_text(name)}, ",
                args[1],
                ")) ELSE CAST(",
                args[1],
                f" AS {_OTHER[kind]}) END",
            )
        name_of = "tw_at_zone" if kind == "timestamptz" else "tw_from_zone"
        return sql(f"{name_of}(", args[0], ", ", args[1], ")")

    register(f"timezone(text, {kind})", made)


_OTHER = {"timestamptz": "TIMESTAMP", "timestamp": "TIMESTAMP WITH TIME ZONE"}
for _kind in ("timestamptz", "timestamp", "timetz"):
    _at_zone(_kind)


@implements("extract(text, timetz)")
def _extract(_emitter: Emitter, _call: ir.Call, args: list[Frag]) -> Frag:
    return sql("tw_timetz_part(", args[0], ", ", args[1], ")")


@implements("date_part(text, timetz)")
def _part(_emitter: Emitter, _call: ir.Call, args: list[Frag]) -> Frag:
    return sql("CAST(tw_timetz_part(", args[0], ", ", args[1], ") AS DOUBLE)")


# --- fields named by values: called by `datetime` ----------------------------------------------------


def part_by_value(kind: str, args: list[Frag]) -> Frag | None:
    """date_part of a field that a column or parameter names."""
    if kind == "timestamptz":
        return sql("tw_date_part_zoned(", args[0], ", ", args[1], ", ", _ZONE, ")")
    if kind == "timestamp":
        return sql("tw_date_part(", args[0], ", ", args[1], ")")
    if kind == "interval":
        return sql("tw_interval_part(", args[0], ", ", args[1], ")")
    return None


def trunc_by_value(kind: str, args: list[Frag]) -> Frag | None:
    """date_trunc to a unit that a column or parameter names."""
    if kind == "timestamptz":
        return sql("tw_date_trunc_zoned(", args[0], ", ", args[1], ", ", _ZONE, ")")
    if kind == "timestamp":
        return sql("tw_date_trunc(", args[0], ", ", args[1], ")")
    return None


def _series(kind: str) -> None:
    """DuckDB's own where the step is written out, points one way and asks no calendar of a zone; ours for all other steps, and where LIMIT ends the series."""

    def made(_emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
        step = call.args[2]
        if isinstance(step, ir.Lit) and step.value is not None and len(call.args) == 3:
            months, days, micros = step.value
            by_calendar = kind == "timestamptz" and (months or days)
            if (
                not by_calendar
                and (months, days, micros) != (0, 0, 0)
                and len({x > 0 for x in (months, days, micros) if x}) == 1
            ):
                first, last = (sql("tw_series_end(", a, ")") for a in args[:2])
                if not any(map(ir.varies, call.args)):  # what draws is said once
                    step_us = micros + (days + months * 28) * 86_400_000_000  # of the shortest month
                    last = sql("tw_moments_last(", first, ", ", last, f", {step_us})")
                return sql("generate_series(", first, ", ", last, ", ", args[2], ")")
        given = join(", ", [*args[:3], asked_for(args[3:])])
        if kind == "timestamptz":
            moments = sql("tw_moments_zoned(", given, ", ", _ZONE, ")")
            return sql("list_transform(", moments, ", lambda tw_x: make_timestamptz(tw_x))")
        moments = sql("tw_moments(", given, ")")
        return sql("list_transform(", moments, ", lambda tw_x: make_timestamp(tw_x))")

    register(f"generate_series({kind}, {kind}, interval)", made)


for _kind in ("timestamp", "timestamptz"):
    _series(_kind)
