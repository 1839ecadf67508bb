"""Types whose values are inside of others, where nobody would write these anew: what would change them is refused."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.planner.world import World


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    """One for all, since types are known to the whole process by their OIDs."""
    yield World()


CASES = (
    (
        "alter table rows_of add b int",
        "create table rows_of (a int)",
        "create type spans as range (subtype = rows_of)",
        "create table held (s spans)",
    ),
    (
        "alter domain small add check (value < 10)",
        "create domain small as int",
        "create type pair as (x small)",
        "create type pairs as range (subtype = pair)",
    ),
    (
        "alter type point2 add attribute y positive",
        "create domain positive as int check (value > 0)",
        "create type point2 as (x int)",
        "create type points as range (subtype = point2)",
    ),
    (
        "create type asked_ones as range (subtype = asked_one)",
        "create domain above as int check (value > 0)",
        "create type asked_one as (x above)",
    ),
    (
        "alter type tone rename value 'low' to 'deep'",
        "create type tone as enum ('low', 'high')",
        "create type tones as range (subtype = tone)",
    ),
    (
        "alter type size rename value 's' to 'small'",
        "create type size as enum ('s', 'm')",
        "create type sizes as range (subtype = size[])",
    ),
    (
        "alter type mood rename value 'sad' to 'blue'",
        "create type mood as enum ('sad')",
        "create table moods (m mood[] default '{sad}')",
    ),
    (
        "alter type part rename value 'b' to 'c'",
        "create type part as enum ('a', 'b')",
        "create table parted (p part) partition by list (p)",
        "create table parted_a partition of parted for values in ('a')",
    ),
    (
        "alter function asks(int) rename to answers",
        "create table fires_on (a int)",
        "create function asks(a int) returns bool language sql immutable as 'select a > 1'",
        "create function fires() returns trigger language plpgsql as 'begin return new; end'",
        "create trigger x before insert on fires_on for each row when (asks(new.a)) execute function fires()",
    ),
)
"""A statement that is refused, and what is made before it."""


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0])
def test_what_nobody_would_write_anew_is_refused(world: World, case: tuple[str, ...]) -> None:
    refused, *before = case
    for statement in before:
        assert not world.run("", statement).startswith("ERROR"), statement
    assert world.run("", refused).startswith("ERROR 0A000")
