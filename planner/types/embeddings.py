"""vector: the bytes of its numbers, shown as pgvector shows them (`planner.extensions.vectors`)."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from planner.extensions.vectors import fitted, typmod_in, vector_in, vector_out
from planner.types import oids
from planner.types.base import Coercion, SqlType, TextInput, TextOutput
from planner.types.settings import TypeSettings
from storage.abc import Datum


class EmbeddingType(SqlType):
    """Its modifier is how many numbers there are."""

    def __init__(self) -> None:
        super().__init__(oids.VECTOR, pa.binary(), "BLOB")

    def text_input(self, typmod: int, settings: TypeSettings) -> TextInput:
        return vector_in if typmod < 0 else lambda text: fitted(vector_in(text), typmod)

    def text_output(self, typmod: int, settings: TypeSettings) -> TextOutput:
        return vector_out

    def coercion(self, typmod: int, explicit: bool) -> Coercion | None:
        return None if typmod < 0 else lambda datum: fitted(datum, typmod)

    def literal(self, datum: Datum, typmod: int) -> str:
        return f"from_hex('{datum.hex()}')"

    def typmod_in(self, args: Sequence[str]) -> int:
        return typmod_in(args)
