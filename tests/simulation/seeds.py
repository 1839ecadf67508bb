"""Seeds, judged: each is a whole run of a world, and what is wrong with it is said beside its number."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any


def judge(run: Callable[[int], tuple[Any, Sequence[Any]]], seeds: Iterable[int]) -> None:
    """Runs every seed; `run` answers the world and its problems. Raises AssertionError that names the guilty ones."""
    guilty = {}
    for seed in seeds:
        try:
            _, problems = run(seed)
        except Exception as error:
            raise AssertionError(f"seed {seed} does not even come to an end") from error
        if problems:
            guilty[seed] = problems[:5]
    assert not guilty, f"seeds and what is wrong with them: {guilty}"
