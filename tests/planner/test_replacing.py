"""Instances with some fields changed are those that the standard library makes."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import Any

import pytest

from planner.abc import TypeRef
from planner.binding import ir
from planner.relations import DomainRef
from planner.replacing import replace


@dataclass(slots=True)
class Counted:
    name: str
    seen: list[int] = field(default_factory=list)
    letters: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        self.letters = len(self.name)


@pytest.mark.parametrize(
    ("instance", "changes"),
    [
        (ir.Var(TypeRef(23), 1, 2, 7), {"position": 9}),
        (ir.Call(TypeRef(23), "int4 + int4", (ir.Lit(TypeRef(23), 1),), True, 5), {"args": ()}),
        (ir.Session(TypeRef(25), "now"), {}),
        (TypeRef(1700, 10), {"typmod": -1}),
        (DomainRef(23, -1, 16400), {"typmod": 4}),
        (Counted("abc", [1]), {"name": "d"}),
    ],
    ids=repr,
)
def test_as_the_library_does(instance: Any, changes: dict[str, Any]) -> None:
    made, expected = replace(instance, **changes), dataclasses.replace(instance, **changes)
    assert type(made) is type(expected)
    for one in dataclasses.fields(expected):
        assert getattr(made, one.name) == getattr(expected, one.name)
    assert made is not instance


def test_what_is_no_field_of_the_constructor_is_refused() -> None:
    with pytest.raises(TypeError):
        replace(Counted("a"), letters=2)
    with pytest.raises(TypeError):
        replace(ir.Var(TypeRef(23), 1, 2), missing=2)  # type: ignore[call-arg]
