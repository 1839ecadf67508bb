"""The session settings that input and output of values depend on, as one hashable value.

Compiled closures are cached by it, so a session keeps one object and replaces it on SET.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from typing import Final

RegOutput = Callable[[int, int], str]
"""(type OID, object OID) -> name, for regclass and its kin."""
RegInput = Callable[[int, str], int]
"""(type OID, name) -> object OID; raises SqlError 42P01, 42883, ..."""
Shown = Callable[[], AbstractContextManager[None]]
"""Nothing may be awaited, or yielded, within."""


UNSAID_US: Final = -1
"""As `now_us`: nobody knows yet when it is, so input that depends on it raises `MomentUnsaid`."""


class MomentUnsaid(Exception):
    """A value says its time by the moment, and is to be read again under settings that say which."""


@dataclass(frozen=True, slots=True)
class TypeSettings:
    """Values as `SHOW` spells them.

    `reg_output` and `reg_input` give names to regclass and its kin (without them: numbers alone);
    `now_us` is what `now`, `today` and the like mean in input (None: this moment).
    """

    date_style: str = "ISO, MDY"
    interval_style: str = "postgres"
    time_zone: str = "UTC"
    extra_float_digits: int = 1
    bytea_output: str = "hex"
    reg_output: RegOutput | None = None
    reg_input: RegInput | None = None
    now_us: int | None = None
    shown: Shown | None = None
    """Within it, users' types are those of a transaction that has changed the catalog; None: they are everybody's."""
    client_encoding: str = "UTF8"
    """Text itself is UTF-8 everywhere; what goes to the client and comes from it is in this."""
    look: int = field(init=False, compare=False, repr=False)
    """The same number, the same settings but for names of objects: sessions share what does not depend on these."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "look", _look(self))

    @property
    def exact(self) -> TypeSettings:
        """The same with all digits of floating points: for texts that are read again."""
        return self if self.extra_float_digits > 0 else replace(self, extra_float_digits=1)

    def of_all(self) -> TypeSettings:
        """The settings of this look that are nobody's own: without names of objects, with everybody's types."""
        return replace(self, reg_output=None, reg_input=None, shown=None)


def moments_unsaid(settings: TypeSettings) -> TypeSettings:
    """The same, for readers that are kept: what a value says by the moment raises `MomentUnsaid`."""
    return replace(settings, now_us=UNSAID_US)


_LOOKS_MAX: Final = 10_000
_looks: dict[tuple[object, ...], int] = {}
_numbers = itertools.count(1)


def _look(s: TypeSettings) -> int:
    told = (
        s.date_style, s.interval_style, s.time_zone, s.extra_float_digits, s.bytea_output, s.now_us, s.client_encoding,
    )  # fmt: skip
    known = _looks.get(told)
    if known is None:
        if len(_looks) >= _LOOKS_MAX:
            _looks.clear()  # numbers are never used again, so nothing is taken for anything else
        known = _looks[told] = next(_numbers)
    return known


DEFAULT_SETTINGS: Final = TypeSettings()
