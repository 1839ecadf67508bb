"""Dataclasses with methods that are not compiled are like others in all that can be asked of them."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from dataclasses import dataclass, field
from typing import Any

import pytest

from tidewire.dataclass_methods import quick_dataclasses


@dataclass(frozen=True, slots=True)
class Ordinary:
    name: str
    parts: tuple[Any, ...] = ()
    hidden: int = field(default=0, repr=False)


with quick_dataclasses():

    @dataclass(frozen=True, slots=True)
    class Quick:
        name: str
        parts: tuple[Any, ...] = ()
        hidden: int = field(default=0, repr=False)

    @dataclass(frozen=True)
    class Open:
        """Without slots: a frozen class whose subclasses may have attributes of their own."""

        name: str

    @dataclass(frozen=True, slots=True)
    class Empty:
        pass

    @dataclass
    class Linked:
        next: Linked | None = None


class Further(Open):
    pass


def test_they_show_themselves_alike() -> None:
    assert repr(Quick("a", (1, None), 3)) == repr(Ordinary("a", (1, None), 3)).replace("Ordinary", "Quick")
    assert repr(Empty()) == "Empty()"
    around = Linked()
    around.next = around
    assert repr(around) == "Linked(next=...)"
    assert Quick.__repr__.__qualname__ == "Quick.__repr__"


@pytest.mark.parametrize("made", [Ordinary("a"), Quick("a"), Open("a"), Further("a")], ids=repr)
def test_fields_are_neither_set_nor_deleted(made: Any) -> None:
    with pytest.raises(dataclasses.FrozenInstanceError, match=r"^cannot assign to field 'name'$"):
        made.name = "b"
    with pytest.raises(dataclasses.FrozenInstanceError, match=r"^cannot delete field 'name'$"):
        del made.name
    assert made.name == "a"


def test_a_frozen_class_takes_no_other_attributes_and_its_subclass_does() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError, match=r"^cannot assign to field 'other'$"):
        Open("a").other = 1  # type: ignore[attr-defined]
    further: Any = Further("a")
    further.other = 1
    del further.other
    assert not hasattr(further, "other")


def test_they_are_compared_hashed_replaced_copied_and_pickled_as_others() -> None:
    made = Quick("a", (1,), 2)
    assert made == Quick("a", (1,), 2) != Quick("b")
    assert hash(made) == hash(Ordinary("a", (1,), 2))
    assert dataclasses.replace(made, name="b") == Quick("b", (1,), 2)
    assert dataclasses.asdict(made) == {"name": "a", "parts": (1,), "hidden": 2}
    assert copy.deepcopy(made) == made == pickle.loads(pickle.dumps(made))


def test_outside_methods_are_compiled() -> None:
    @dataclass(frozen=True)
    class Outside:
        name: str

    assert "frozen.<locals>" not in Outside.__setattr__.__code__.co_qualname
    assert "frozen.<locals>" in Open.__setattr__.__code__.co_qualname
