"""Character encodings that clients may speak: PostgreSQL's names and numbers, and the codecs that know them.

The server itself speaks UTF-8 alone. What a client sends and gets is converted at the wire (`pgwire.transcoding`), by
convert_from() and convert_to(), and by COPY.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from planner.abc import SqlError

UTF8: Final = "UTF8"


@dataclass(frozen=True, slots=True)
class Encoding:
    """`codec`: Python's name, empty where it has none. SQL_ASCII is any bytes that the server takes: UTF-8."""

    number: int
    name: str
    codec: str
    max_bytes: int
    aliases: tuple[str, ...] = ()


_ISO: Final = {2: 2, 3: 3, 4: 4, 5: 9, 6: 10, 7: 13, 8: 14, 9: 15, 10: 16}
_TABLE: Final = (
    Encoding(0, "SQL_ASCII", "utf-8", 1),
    Encoding(1, "EUC_JP", "euc_jp", 3),
    Encoding(2, "EUC_CN", "gb2312", 3),
    Encoding(3, "EUC_KR", "euc_kr", 3),
    Encoding(4, "EUC_TW", "", 4),
    Encoding(5, "EUC_JIS_2004", "euc_jis_2004", 3),
    Encoding(6, UTF8, "utf-8", 4, ("unicode",)),
    Encoding(7, "MULE_INTERNAL", "", 4),
    Encoding(8, "LATIN1", "latin-1", 1, ("iso88591",)),
    *(Encoding(7 + n, f"LATIN{n}", f"iso8859_{p}", 1, (f"iso8859{p}",)) for n, p in _ISO.items()),
    Encoding(18, "WIN1256", "cp1256", 1, ("windows1256",)),
    Encoding(19, "WIN1258", "cp1258", 1, ("windows1258", "abc", "tcvn", "tcvn5712", "vscii")),
    Encoding(20, "WIN866", "cp866", 1, ("windows866", "alt")),
    Encoding(21, "WIN874", "cp874", 1, ("windows874",)),
    Encoding(22, "KOI8R", "koi8_r", 1, ("koi8",)),
    Encoding(23, "WIN1251", "cp1251", 1, ("windows1251", "win")),
    Encoding(24, "WIN1252", "cp1252", 1, ("windows1252",)),
    *(Encoding(20 + n, f"ISO_8859_{n}", f"iso8859_{n}", 1) for n in (5, 6, 7, 8)),
    Encoding(29, "WIN1250", "cp1250", 1, ("windows1250",)),
    Encoding(30, "WIN1253", "cp1253", 1, ("windows1253",)),
    Encoding(31, "WIN1254", "cp1254", 1, ("windows1254",)),
    Encoding(32, "WIN1255", "cp1255", 1, ("windows1255",)),
    Encoding(33, "WIN1257", "cp1257", 1, ("windows1257",)),
    Encoding(34, "KOI8U", "koi8_u", 1),
    Encoding(35, "SJIS", "cp932", 2, ("mskanji", "shiftjis", "win932", "windows932")),
    Encoding(36, "BIG5", "cp950", 2, ("win950", "windows950")),
    Encoding(37, "GBK", "cp936", 2, ("win936", "windows936")),
    Encoding(38, "UHC", "cp949", 2, ("win949", "windows949")),
    Encoding(39, "GB18030", "gb18030", 4),
    Encoding(40, "JOHAB", "johab", 3),
    Encoding(41, "SHIFT_JIS_2004", "shift_jis_2004", 2),
)
BY_NUMBER: Final = {e.number: e for e in _TABLE}


def _key(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


_BY_NAME: Final = {_key(n): e for e in _TABLE for n in (e.name, *e.aliases)}


def encoding_named(name: str) -> Encoding | None:
    """By any of its names, however they are spelled."""
    return _BY_NAME.get(_key(name))


def shown_bytes(data: bytes) -> str:
    return " ".join(f"0x{byte:02x}" for byte in data)


def decoded(data: bytes, encoding: Encoding) -> str:
    """Raises 22021 for bytes that are no character, also for zero, 22P05 for one that UTF-8 does not have."""
    zero = data.find(0)
    if zero >= 0:
        if encoding.max_bytes > 1:
            decoded(data[:zero], encoding)  # what comes before it is told before it
        raise SqlError("22021", f'invalid byte sequence for encoding "{encoding.name}": 0x00')
    try:
        return data.decode(encoding.codec)
    except UnicodeDecodeError as e:
        name = UTF8 if encoding.codec == "utf-8" else encoding.name
        if encoding.max_bytes == 1 and name != UTF8:
            raise _no_equivalent(data[e.start : e.start + 1], name, UTF8) from None
        seen = shown_bytes(data[e.start : e.start + _width(data[e.start], encoding)])
        raise SqlError("22021", f'invalid byte sequence for encoding "{name}": {seen}') from None


def _width(lead: int, encoding: Encoding) -> int:
    """How many bytes a character with this first byte is said to have."""
    if encoding.codec != "utf-8":
        return 1 if lead < 0x80 else encoding.max_bytes
    return utf8_width(lead)


def utf8_width(lead: int) -> int:
    return 1 if lead < 0xC0 or lead >= 0xF8 else 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4


def encoded(text: str, encoding: Encoding) -> bytes:
    """Raises 22P05 for a character that the encoding does not have."""
    try:
        return text.encode(encoding.codec)
    except UnicodeEncodeError as e:
        raise _no_equivalent(text[e.start].encode("utf-8", "surrogatepass"), UTF8, encoding.name) from None


def _no_equivalent(data: bytes, source: str, target: str) -> SqlError:
    return SqlError(
        "22P05",
        f'character with byte sequence {shown_bytes(data)} in encoding "{source}" has no equivalent in encoding '
        f'"{target}"',
    )
