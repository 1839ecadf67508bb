"""Date and time input, second half: what each field means, given those before it.

One `Decoder` reads one string. `seen` is the set of parts known so far; a part given twice is
an error, and decides what a bare number must be: with year and month known it is the day, with
none known it is what DateStyle's order puts first, with all of the date known it is a time.
"""

from __future__ import annotations

import re
from datetime import tzinfo
from typing import Final

from planner.abc import SqlError
from planner.types import datetime_fields as f
from planner.types import timezones
from planner.types.calendar_days import JULIAN_OF_EPOCH, civil_from_days, days_from_civil, month_days
from planner.types.datetime_fields import BadFormat, FieldOverflow
from planner.types.timezones import ABBREVIATIONS, US_PER_DAY, US_PER_S, find_zone

YMD: Final = frozenset(("year", "month", "day"))
HMS: Final = frozenset(("time",))
_UNITS_OF_TIME: Final = {"hour": 3600 * US_PER_S, "minute": 60 * US_PER_S, "second": US_PER_S}
"""What units before numbers say (`H04MM05S06.7`) is a time, too, part by part."""
_DIGITS: Final = re.compile(r"[0-9]+")
_DATE_PIECES: Final = re.compile(r"[0-9]+|[A-Za-z]+|[^0-9A-Za-z]+")


class Decoder:
    """The parts of one date, time or timestamp. Raises the exceptions of `datetime_fields`."""

    __slots__ = (
        "bc",
        "day",
        "julian",
        "meridian",
        "micros",
        "month",
        "order",
        "seen",
        "special",
        "text_month",
        "time_only",
        "two_digits",
        "year",
        "year_day",
        "zone",
        "zone_s",
    )

    def __init__(self, order: str) -> None:
        self.order = order
        self.time_only = False
        self.seen: set[str] = set()
        self.year = self.month = self.day = self.micros = self.year_day = 0
        self.zone: tzinfo | None = None
        self.zone_s: int | None = None
        self.special = ""  # early, late, epoch, now, today, tomorrow, yesterday
        self.meridian = ""
        self.bc = self.two_digits = self.text_month = self.julian = False

    # --- the loop over fields

    def read(self, text: str, time_only: bool = False) -> None:
        self.time_only = time_only
        fields = f.split_fields(text)
        if not fields:
            raise BadFormat
        pending = ""  # a unit ("j") or "t" that says what the next field is
        for i, (kind, field) in enumerate(fields):
            if kind in (f.STRING, f.SPECIAL):
                pending = self._word(field, pending, fields, i, time_only)
                continue
            before = set(self.seen)
            if kind == f.DATE:
                got = self._date_field(field, pending, fields, i, time_only)
                pending = ""
            elif kind == f.TIME:
                if pending not in ("", "time"):
                    raise BadFormat
                pending = ""
                self.micros = read_time(field)
                got = {"time"}
            elif kind == f.ZONE:
                self.zone_s = f.zone_offset(field)
                got = {"zone"}
            elif pending:
                got = self._after_unit(field, pending)
                pending = ""
            else:
                got = self._bare_number(field, fields, i, time_only)
            if before & got or ("time" in got and before & _UNITS_OF_TIME.keys()):
                raise BadFormat
            self.seen = before | got
        if pending:
            raise BadFormat
        self._finish()

    def _word(self, field: str, pending: str, fields: list[f.Field], i: int, time_only: bool) -> str:
        abbreviation, moving = ABBREVIATIONS.get(field), timezones.abbreviation(field)
        kind, value = f.WORDS.get(
            field[:10] if len(field) > 10 and field[:10] in f.WORDS else field, ("", None)
        )
        got: set[str] = set()
        if moving is not None:
            self.zone = moving
            got = {"zone"}
        elif abbreviation is not None:
            self.zone_s, summer = abbreviation
            got = {"zone"}
            if summer:
                got.add("dst")
        elif time_only and kind in ("month", "weekday"):
            raise BadFormat
        elif kind == "ignore":
            return pending
        elif kind == "weekday":
            got = {"weekday"}  # not checked against the date; PostgreSQL does not either
        elif kind == "reserved":
            got = self._reserved(str(value), time_only)
        elif kind == "month":
            assert isinstance(value, int)
            if (
                "month" in self.seen
                and not self.text_month
                and "day" not in self.seen
                and 1 <= self.month <= 31
            ):
                self.day = self.month
                got = {"day"}
            else:
                got = {"month"}
            self.text_month, self.month = True, value
        elif kind == "dst":
            if self.zone_s is not None:  # "MET DST"; before a zone it says nothing
                self.zone_s += 3600
            got = {"dst"}
        elif kind == "meridian":
            self.meridian = str(value)
            got = {"meridian"}
        elif kind == "era":
            self.bc = bool(value)
            got = {"era"}
        elif kind == "unit":
            if pending:
                raise BadFormat
            return str(value)
        elif kind == "isotime":
            if not time_only and not self.seen >= YMD:
                raise BadFormat
            if i + 1 >= len(fields) or fields[i + 1][0] not in (f.NUMBER, f.TIME, f.DATE):
                raise BadFormat
            return "time"
        else:
            self.zone = find_zone(field) if field[0].isalpha() else None
            if self.zone is None:
                raise BadFormat
            got = {"zone"}
        if self.seen & got:
            raise BadFormat
        self.seen |= got
        return pending

    def _reserved(self, value: str, time_only: bool) -> set[str]:
        if value == "zulu":
            self.micros, self.zone_s = 0, 0
            return {"time", "zone"}
        if time_only and value != "now":
            raise BadFormat
        self.special = value
        if value in ("today", "tomorrow", "yesterday"):
            return set(YMD)
        return {*YMD, "time", "zone"}

    def _date_field(
        self, field: str, pending: str, fields: list[f.Field], i: int, time_only: bool
    ) -> set[str]:
        if pending == "julian":
            digits = _DIGITS.match(field)
            if digits is None:
                raise BadFormat
            self._set_julian(f.whole(digits[0]))
            self.zone_s = f.zone_offset(field[digits.end() :])
            self.micros = 0
            return {*YMD, "time", "zone"}
        if time_only:
            takes_date = i == 0 and len(fields) >= 2 and (fields[-1][0] == f.DATE or fields[1][0] == f.TIME)
        else:
            takes_date = not pending and not ("month" in self.seen and "day" in self.seen)
        if takes_date:
            return self._read_date(field)
        if field[0].isdigit() or pending:
            if pending not in ("", "time") or "time" in self.seen:
                raise BadFormat
            digits_text, dash, zone = field.partition("-")
            if not dash:
                raise BadFormat
            self.zone_s = f.zone_offset(dash + zone)
            return self._run_together(digits_text, time_only) | {"zone"}
        self.zone = find_zone(field)
        if self.zone is None:
            raise SqlError("22023", f'time zone "{field}" not recognized')
        return {"zone"}

    def _after_unit(self, field: str, pending: str) -> set[str]:
        whole, dot, part = field.partition(".")
        if not whole or (dot and pending not in ("julian", "time", "second")):
            raise BadFormat
        if pending == "time":
            got = self._run_together(field, True)
            if got != {"time"}:
                raise BadFormat
            return got
        if pending == "julian":
            self._set_julian(f.whole(whole))
            if dot:
                self.micros = round(float("0." + (part or "0")) * US_PER_DAY)
                return {*YMD, "time"}
            return set(YMD)
        if pending == "year":
            self.year = f.whole(whole)
            return {"year"}
        if pending == "month" and not self.seen >= {"month", "hour"}:
            self.month = f.whole(whole)
            return {"month"}
        if pending == "day":
            self.day = f.whole(whole)
            return {"day"}
        if pending == "month":
            pending = "minute"
        if pending in _UNITS_OF_TIME and "time" not in self.seen:
            self.micros += f.whole(whole) * _UNITS_OF_TIME[pending]
            if dot:
                self.micros += f.fraction_us("." + part)
            return {pending}
        raise BadFormat

    def _set_julian(self, day: int) -> None:
        self.year, self.month, self.day = civil_from_days(day - JULIAN_OF_EPOCH)
        self.julian = True

    def _bare_number(self, field: str, fields: list[f.Field], i: int, time_only: bool) -> set[str]:
        dot = field.find(".")
        if time_only:
            if dot >= 0:
                if i == 0 and len(fields) >= 2 and fields[-1][0] == f.DATE:
                    return self._read_date(field)
                if dot > 2:
                    return self._run_together(field, True)
                raise BadFormat
            if len(field) > 4:
                return self._run_together(field, True)
            return self._number(field, set(YMD) | self.seen)
        if dot >= 0 and not self.seen & YMD:
            return self._read_date(field)
        if dot > 2:
            return self._run_together(field, False)
        if len(field) >= 6 and (not self.seen & YMD or "time" not in self.seen):
            return self._run_together(field, False)
        return self._number(field, self.seen)

    # --- the meaning of numbers

    def _number(self, field: str, seen: set[str]) -> set[str]:
        """A single number, whose meaning depends on what is known."""
        digits, dot, part = field.partition(".")
        if not digits:
            raise BadFormat
        value, length = f.whole(digits), len(field)
        if dot:
            if len(digits) > 2:
                return self._run_together(field, True)
            f.fraction_us("." + part)
        known = seen & YMD
        if length == 3 and known == {"year"} and 1 <= value <= 366:
            self.year_day = value
            return {"yearday", "month", "day"}
        if known == YMD:
            return self._run_together(field, True)
        year_first = length >= 3 or self.order == "YMD"
        if not known:
            part_name = "year" if year_first else "day" if self.order == "DMY" else "month"
        elif known == {"year"}:
            part_name = "month"
        elif known == {"month"}:
            part_name = "year" if self.text_month and year_first else "day"
        elif known == {"year", "month"}:
            if self.text_month and length >= 3 and self.two_digits:
                self.day, self.year, self.two_digits = self.year, value, False
                return {"day"}
            part_name = "day"
        elif known == {"day"}:
            part_name = "month"
        elif known == {"month", "day"}:
            part_name = "year"
        else:
            raise BadFormat
        if part_name == "year":
            self.year, self.two_digits = value, length <= 2
        elif part_name == "month":
            self.month = value
        else:
            self.day = value
        return {part_name}

    def _run_together(self, field: str, has_date: bool) -> set[str]:
        """20010108, 990108, 040506, 0405, 040506.789"""
        digits, dot, part = field.partition(".")
        if not _DIGITS.fullmatch(digits):
            raise BadFormat
        fraction = f.fraction_us("." + part) if dot else 0
        if not dot and not (has_date or self.seen >= YMD) and len(digits) >= 6:
            self.day, self.month, self.year = int(digits[-2:]), int(digits[-4:-2]), f.whole(digits[:-4])
            if len(digits) == 6:
                self.two_digits = True
            return set(YMD)
        if "time" not in self.seen:
            if len(digits) == 6:
                self.micros = _hms(
                    int(digits[:2]), int(digits[2:4]), int(digits[4:]), fraction, self.time_only
                )
                return {"time"}
            if len(digits) == 4:
                self.micros = _hms(int(digits[:2]), int(digits[2:]), 0, fraction, self.time_only)
                return {"time"}
        raise BadFormat

    def _read_date(self, field: str) -> set[str]:
        """A date with separators: 1999-01-08, 1/8/1999, 08-Jan-1999, 1999.008"""
        pieces = [p for p in _DATE_PIECES.findall(field) if p[0].isalnum()]
        if not field[-1].isalnum():
            raise BadFormat
        got: set[str] = set()
        numbers = []
        for piece in pieces:
            if piece[0].isdigit():
                numbers.append(piece)
                continue
            kind, value = f.WORDS.get(piece.lower(), ("", None))
            if kind == "ignore":
                continue
            if kind != "month" or "month" in self.seen | got:
                raise BadFormat
            assert isinstance(value, int)
            self.month, self.text_month = value, True
            got.add("month")
        for number in numbers:
            more = self._number(number, self.seen | got)
            if more & (self.seen | got):
                raise BadFormat
            got |= more
        if not (self.seen | got) >= YMD or (self.seen | got) - YMD - {"yearday", "zone"}:
            raise BadFormat
        return got

    # --- after the last field

    def _finish(self) -> None:
        if "year" in self.seen and not self.special:
            if self.julian:
                pass
            elif self.bc:
                if self.year <= 0:
                    raise FieldOverflow(False)
                self.year = 1 - self.year
            elif self.two_digits:
                self.year += 2000 if self.year < 70 else 1900 if self.year < 100 else 0
            elif self.year <= 0:
                raise FieldOverflow(False)
            if "yearday" in self.seen:
                self.year, self.month, self.day = civil_from_days(
                    days_from_civil(self.year, 1, 1) + self.year_day - 1
                )
        if "month" in self.seen and not self.special and not 1 <= self.month <= 12:
            raise FieldOverflow(True)
        if "day" in self.seen and not self.special:
            if not 1 <= self.day <= 31:
                raise FieldOverflow(True)
            if self.seen >= YMD and self.day > month_days(self.year, self.month):
                raise FieldOverflow(False)
        if self.meridian:
            hour = self.micros // (3600 * US_PER_S)
            if hour > 12:
                raise FieldOverflow(False)
            if self.meridian == "am" and hour == 12:
                self.micros -= 12 * 3600 * US_PER_S
            elif self.meridian == "pm" and hour != 12:
                self.micros += 12 * 3600 * US_PER_S
        if "dst" in self.seen and "zone" not in self.seen:
            raise BadFormat
        partly = self.seen & YMD and not self.seen >= YMD
        if self.time_only and partly and self.zone_s is None and not self.special:
            raise BadFormat  # the date that says what a zone's offset is has to be whole

    def days(self) -> int:
        """The date as days since 1970."""
        return days_from_civil(self.year, self.month, self.day)


def _hms(hour: int, minute: int, second: int, fraction: int, check: bool = True) -> int:
    """Microseconds. Digits run together behind a date go unchecked: `20200102 1999` is 20:39."""
    micros = (hour * 3600 + minute * 60 + second) * US_PER_S + fraction
    if check and (hour > 24 or minute > 59 or second > 60 or micros > US_PER_DAY):
        raise FieldOverflow(False)
    return micros


_TIME: Final = re.compile(r"([0-9]+):([0-9]*)(?::([0-9]*))?(\.[0-9]*)?")


def read_time(field: str) -> int:
    """04:05, 04:05:06, 04:05:06.789, and 05:06.789 for minutes and seconds."""
    m = _TIME.fullmatch(field)
    if m is None:
        raise BadFormat
    hour, minute = f.whole(m[1]), f.whole(m[2] or "0")
    fraction = f.fraction_us(m[4]) if m[4] else 0
    if m[3] is None:
        if m[4]:
            return _hms(0, hour, minute, fraction)
        return _hms(hour, minute, 0, 0)
    return _hms(hour, minute, f.whole(m[3] or "0"), fraction)
