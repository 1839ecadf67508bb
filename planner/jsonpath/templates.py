"""`.datetime("template")`: the fields of a text, read strictly, as the standard has it.

    YYYY YYY YY Y RRRR RR   MM DD DDD   HH24 HH12 HH MI SS SSSSS SSSS   MS US FF1..FF6   AM PM A.M. P.M.   TZH TZM
    - . / , ' ; : blank     a separator stands for itself
    "any text"              literal

Other fields of to_char's templates are 0A000.
"""

from __future__ import annotations

import datetime
import re
from dataclasses import dataclass
from typing import Final

from planner.abc import SqlError
from planner.jsonpath.errors import PathError

_FIELD: Final = re.compile(
    r'"((?:[^"\\]|\\.)*)"|(Y,YYY|YYYY|YYY|YY|Y|RRRR|RR|MM|DDD|DD|HH24|HH12|HH|MI|SSSSS|SSSS|SS|MS|US|FF[1-6]|'
    r"A\.M\.|P\.M\.|AM|PM|TZH|TZM)|([-./,';: ])",
    re.IGNORECASE | re.DOTALL,
)
_OTHER: Final = re.compile(
    r"A\.D\.|AD|B\.C\.|BC|CC|DAY|DY|D|FM|FX|ID|IW|I|J|MON|OF|Q|RM|SP|TH|TM|TZ|W", re.IGNORECASE
)
"""How the other fields of to_char's templates begin."""
_WIDTH: Final = {
    "YYYY": 4, "YYY": 3, "YY": 2, "Y": 1, "RRRR": 4, "RR": 2, "MM": 2, "DD": 2, "DDD": 3, "HH24": 2, "HH12": 2, "HH": 2,
    "MI": 2, "SS": 2, "SSSSS": 5, "SSSS": 5, "MS": 3, "US": 6,
}  # fmt: skip


@dataclass(slots=True)
class Fields:
    year: int = 0
    month: int = 1
    day: int = 1
    hour: int = 0
    minute: int = 0
    second: int = 0
    fraction_us: int = 0
    offset_s: int | None = None
    has_date: bool = False
    has_time: bool = False

    def date_text(self) -> str:
        return f"{self.year:04d}-{self.month:02d}-{self.day:02d}"

    def time_text(self) -> str:
        return f"{self.hour:02d}:{self.minute:02d}:{self.second:02d}.{self.fraction_us:06d}"

    def zone_text(self) -> str:
        if self.offset_s is None:
            return ""
        hours, rest = divmod(abs(self.offset_s), 3600)
        return f"{'-' if self.offset_s < 0 else '+'}{hours:02d}:{rest // 60:02d}"


def fields_of(text: str, template: str) -> Fields:
    """Raises PathError 22007, and 0A000 for a template that is not understood."""
    fields = Fields()
    raw: dict[str, int] = {}
    at = place = 0
    afternoon: bool | None = None
    while place < len(template):
        piece = _FIELD.match(template, place)
        if piece is None:
            if not template[place].isalpha() or not _OTHER.match(template, place):
                raise SqlError("22007", f'invalid datetime format separator: "{template[place]}"')
            raise SqlError("0A000", f'datetime template field "{template[place:]}" is not supported')
        place = piece.end()
        if piece[1] is not None:
            for c in re.sub(r"\\(.)", r"\1", piece[1], flags=re.DOTALL):
                if text[at : at + 1] != c:
                    raise PathError(
                        "22007", f'unmatched format character "{c}"' if at < len(text) else _SHORT
                    )
                at += 1
            continue
        if piece[3] is not None:
            if text[at : at + 1] != piece[3]:
                raise PathError(
                    "22007", f'unmatched format separator "{piece[3]}"' if at < len(text) else _SHORT
                )
            at += 1
            continue
        name = piece[2].upper()
        if at >= len(text):
            raise PathError("22007", _SHORT)
        if name in ("AM", "PM", "A.M.", "P.M."):
            word = text[at : at + len(name)].upper()
            if word.replace(".", "") not in ("AM", "PM"):
                raise PathError("22007", f'invalid value "{text[at : at + len(name)]}" for "{piece[2]}"',
                                detail="The given value did not match any of the allowed values for this field.")  # fmt: skip
            afternoon, at = word[0] == "P", at + len(name)
            continue
        raw_digits, at = _digits(text, at, name, piece[2], _next_is_field(template, place))
        raw[name] = raw_digits
    if at < len(text):
        raise PathError("22007", "trailing characters remain in input string after datetime format")
    _fill(fields, raw, afternoon)
    return fields


_SHORT: Final = "input string is too short for datetime format"


def _next_is_field(template: str, place: int) -> bool:
    piece = _FIELD.match(template, place)
    return piece is not None and piece[2] is not None


def _digits(text: str, at: int, name: str, shown: str, packed: bool) -> tuple[int, int]:
    """A field's number and where the text goes on."""
    width = _WIDTH.get(name, int(name[2]) if name.startswith("FF") else 2)
    pattern = rf"[+-]?\d{{1,{width}}}" if name == "TZH" else rf"\d{{1,{width}}}"
    if not packed and name in ("YYYY", "RRRR"):
        pattern = r"\d+"
    found = re.compile(pattern).match(text, at)
    if found is None:
        raise PathError(
            "22007",
            f'invalid value "{text[at : at + width]}" for "{shown}"',
            detail="Value must be an integer.",
        )
    if name in ("MS", "US") or name.startswith("FF"):
        return int(found[0].ljust(6, "0")[:6]), found.end()
    if name == "TZH":
        return (int(found[0].lstrip("+-")) + 1) * (-1 if found[0].startswith("-") else 1), found.end()
    return int(found[0]), found.end()


def _fill(fields: Fields, raw: dict[str, int], afternoon: bool | None) -> None:
    for name, value in raw.items():
        if name in ("YYYY", "RRRR", "YYY", "YY", "Y", "RR"):
            fields.year = value if name in ("YYYY", "RRRR") and value >= 100 else _near(value, name)
            fields.has_date = True
        elif name == "MM":
            fields.month, fields.has_date = value, True
        elif name == "DD":
            fields.day, fields.has_date = value, True
        elif name == "DDD":
            fields.has_date = True
        elif name == "MI":
            fields.minute, fields.has_time = value, True
        elif name == "SS":
            fields.second, fields.has_time = value, True
        elif name.startswith("HH"):
            fields.hour, fields.has_time = value, True
            if name != "HH24":
                if not 1 <= value <= 12:
                    raise PathError("22007", f'hour "{value}" is invalid for the 12-hour clock',
                                    hint="Use the 24-hour clock, or give an hour between 1 and 12.")  # fmt: skip
                fields.hour = value % 12 + (12 if afternoon else 0)
        elif name.startswith("SSSS"):
            fields.hour, rest = divmod(value, 3600)
            fields.minute, fields.second = divmod(rest, 60)
            fields.has_time = True
        elif name in ("MS", "US") or name.startswith("FF"):
            fields.fraction_us, fields.has_time = value, True
    if "DDD" in raw:
        day = datetime.date(max(fields.year, 1), 1, 1) + datetime.timedelta(days=raw["DDD"] - 1)
        fields.month, fields.day = day.month, day.day
    if "TZH" in raw:
        sign = -1 if raw["TZH"] < 0 else 1
        fields.offset_s = sign * ((abs(raw["TZH"]) - 1) * 3600 + raw.get("TZM", 0) * 60)


def _near(value: int, name: str) -> int:
    """A year of fewer digits: the one nearest to 2020."""
    if name in ("YYYY", "RRRR") or value >= 1000:
        return value + 2000 if name == "RRRR" and value < 70 else value
    if value < 70:
        return value + 2000
    return value + 1900 if value < 100 else value + (2000 if value < 520 else 1000)
