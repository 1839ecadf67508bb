"""tid: where a version of a row is, as `(block,offset)`.

The datum is one number, the block's 32 bits before the offset's 16: so places are compared as PostgreSQL does it.
"""

from __future__ import annotations

import re
from typing import Final

import pyarrow as pa

from planner.types import oids
from planner.types.base import SqlType, TextInput, TextOutput, invalid_input
from planner.types.settings import TypeSettings
from storage.abc import Datum

_PLACE: Final = re.compile(r"[^(,]*\(\s*([+-]?\d+),\s*([+-]?\d+)\).*", re.ASCII | re.DOTALL)
_BLOCKS: Final = 1 << 32
_OFFSETS: Final = 1 << 16


def read_place(text: str) -> int:
    """Raises 22P02."""
    found = _PLACE.fullmatch(text)
    if found is None:
        raise invalid_input("tid", text)
    block, offset = int(found[1]), int(found[2])
    if not (-_BLOCKS // 2 <= block < _BLOCKS and 0 <= offset < _OFFSETS):
        raise invalid_input("tid", text)
    return (block % _BLOCKS) * _OFFSETS + offset


def shown_place(place: int) -> str:
    return f"({place // _OFFSETS},{place % _OFFSETS})"


class PlaceType(SqlType):
    def __init__(self) -> None:
        super().__init__(oids.TID, pa.int64(), "BIGINT")

    def text_input(self, typmod: int, settings: TypeSettings) -> TextInput:
        return read_place

    def text_output(self, typmod: int, settings: TypeSettings) -> TextOutput:
        return shown_place

    def literal(self, datum: Datum, typmod: int) -> str:
        return f"CAST({datum} AS BIGINT)"
