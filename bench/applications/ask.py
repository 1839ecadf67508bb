"""One statement that an application sends, and the values that it is asked with: what all lists of statements are made of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from random import Random

from bench.applications.schema import CATEGORIES, POSTS, USERS

Values = tuple[object, ...]
BEGIN = datetime(2024, 1, 1, tzinfo=UTC)

KEPT = POSTS - 10_000
"""Posts behind these may be deleted."""


@dataclass(frozen=True)
class Ask:
    """One statement. `text` says that its driver puts values into the text (Django's does)."""

    name: str
    sql: str
    values: Callable[[Random], Values]
    text: bool = False


def user(r: Random) -> Values:
    return (r.randint(1, USERS),)


def post(r: Random) -> Values:
    return (r.randint(1, KEPT),)


def posts(n: int) -> Callable[[Random], Values]:
    """One value, a list."""
    return lambda r: ([r.randint(1, POSTS) for _ in range(n)],)


def ids(n: int) -> Callable[[Random], Values]:
    """Posts, each a value."""
    return lambda r: tuple(r.randint(1, POSTS) for _ in range(n))


def category(r: Random) -> Values:
    return (r.randint(1, CATEGORIES),)


def at(r: Random) -> datetime:
    return BEGIN + timedelta(minutes=r.randint(1000, POSTS - 1000))


def none(_: Random) -> Values:
    return ()


def in_list(column: str, n: int) -> str:
    return f"{column} IN ({', '.join(['%s'] * n)})"
