"""The geometric types: texts, in the form in which PostgreSQL shows them with all digits (`planner.geometry`)."""

from __future__ import annotations

from typing import Final

from planner.geometry.texts import OF_DATUM, SHOW, input_of
from planner.types import oids
from planner.types.base import TextInput, TextOutput
from planner.types.floats import float8_output
from planner.types.settings import TypeSettings
from planner.types.texts import TextType

GEOMETRIC: Final = frozenset(
    (oids.POINT, oids.LSEG, oids.BOX, oids.LINE, oids.PATH, oids.POLYGON, oids.CIRCLE)
)
INSIDE: Final = {
    oids.POINT: oids.FLOAT8,
    oids.LINE: oids.FLOAT8,
    oids.LSEG: oids.POINT,
    oids.BOX: oids.POINT,
}
"""What a subscript takes out, of those that have subscripts: fixed places, from 0."""


class GeometryType(TextType):
    """Point, lseg, box, line, path, polygon or circle. There is no order, and equality is not that of texts."""

    def text_input(self, typmod: int, settings: TypeSettings) -> TextInput:
        return input_of(self.name)

    def text_output(self, typmod: int, settings: TypeSettings) -> TextOutput:
        if settings.extra_float_digits > 0:
            return super().text_output(typmod, settings)
        of_datum, show, digits = OF_DATUM[self.name], SHOW[self.name], float8_output(settings)
        return lambda text: show(of_datum(text), digits)
