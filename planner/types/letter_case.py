"""Capitals and small letters as PostgreSQL's C library maps them: one character to one character.

    lowered("ÀB")  'àb'        uppered("ß")  'ß'        lowered("İ")  'i'

DuckDB maps them alike, which is what lets one key be made in either place.
"""

from __future__ import annotations


def _single(c: str, mapped: str) -> str:
    return mapped if len(mapped) == 1 else c


def lowered(text: str) -> str:
    whole = text.lower()
    if text.isascii():
        return whole
    return "".join("i" if c == "İ" else _single(c, c.lower()) for c in text)


def uppered(text: str) -> str:
    whole = text.upper()
    if text.isascii():
        return whole
    return "".join(_single(c, c.upper()) for c in text)
