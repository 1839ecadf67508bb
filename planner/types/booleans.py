"""bool: `t` and `f` out; any unambiguous beginning of true, false, yes, no, on, off in."""

from __future__ import annotations

from typing import Final

import pyarrow as pa

from planner.types import oids
from planner.types.base import WHITESPACE, SqlType, TextInput, TextOutput, invalid_input
from planner.types.settings import TypeSettings
from storage.abc import Datum


def _spellings() -> dict[str, bool]:
    words = {"1": True, "0": False, "on": True, "of": False, "off": False}
    for word, value in (("true", True), ("false", False), ("yes", True), ("no", False)):
        for n in range(1, len(word) + 1):
            words[word[:n]] = value
    return words


_SPELLINGS: Final = _spellings()


def bool_in(text: str) -> bool:
    value = _SPELLINGS.get(text)
    if value is None:
        value = _SPELLINGS.get(text.strip(WHITESPACE).lower())
        if value is None:
            raise invalid_input("boolean", text)
    return value


def bool_out(value: Datum) -> str:
    return "t" if value else "f"


class BoolType(SqlType):
    def __init__(self) -> None:
        super().__init__(oids.BOOL, pa.bool_(), "BOOLEAN", "boolean")

    def text_input(self, typmod: int, settings: TypeSettings) -> TextInput:
        return bool_in

    def text_output(self, typmod: int, settings: TypeSettings) -> TextOutput:
        return bool_out

    def literal(self, datum: Datum, typmod: int) -> str:
        return "TRUE" if datum else "FALSE"
