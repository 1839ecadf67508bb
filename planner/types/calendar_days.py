"""The proleptic Gregorian calendar in whole numbers: days since 1970-01-01 and back.

Years are astronomical here (0 is 1 BC). PostgreSQL's dates reach from 4714-11-24 BC to 5874897,
far outside Python's own. The arithmetic counts 400-year eras of 146,097 days from a year that
begins in March, so that the leap day is the last of its year.
"""

from __future__ import annotations

from typing import Final

DAYS_IN_MONTH: Final = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
JULIAN_OF_EPOCH: Final = 2_440_588
"""The Julian day of 1970-01-01."""


def is_leap(year: int) -> bool:
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def month_days(year: int, month: int) -> int:
    return 29 if month == 2 and is_leap(year) else DAYS_IN_MONTH[month - 1]


def days_from_civil(year: int, month: int, day: int) -> int:
    year -= month <= 2
    era, year_of_era = divmod(year, 400)
    day_of_year = (153 * (month + (-3 if month > 2 else 9)) + 2) // 5 + day - 1
    return era * 146_097 + year_of_era * 365 + year_of_era // 4 - year_of_era // 100 + day_of_year - 719_468


def civil_from_days(days: int) -> tuple[int, int, int]:
    era, day_of_era = divmod(days + 719_468, 146_097)
    year_of_era = (day_of_era - day_of_era // 1460 + day_of_era // 36_524 - day_of_era // 146_096) // 365
    day_of_year = day_of_era - (365 * year_of_era + year_of_era // 4 - year_of_era // 100)
    m = (5 * day_of_year + 2) // 153
    month = m + 3 if m < 10 else m - 9
    return year_of_era + era * 400 + (month <= 2), month, day_of_year - (153 * m + 2) // 5 + 1
