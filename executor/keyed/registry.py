"""The closed set of scalar operators and functions that the keyed engine answers itself.

A function here is a Python function of datums. It is named as a plan spells it (`int4 + int4`,
`lower(text)`) and is *strict* unless registered otherwise: the compiler answers NULL for a NULL
argument without calling it. Each is exactly PostgreSQL's, errors included; `tests/executor` compares
them with DuckDB and PostgreSQL. To add one, write it beside its siblings under `@scalar(...)`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from executor.abc import ExecutionError

Scalar = Callable[..., Any]
S = TypeVar("S", bound=Scalar)

STRICT: dict[str, Scalar] = {}
"""By name; called only with arguments that are not NULL."""

LAX: dict[str, Scalar] = {}
"""By name; called with NULLs too."""


def scalar(*names: str) -> Callable[[S], S]:
    def register(function: S) -> S:
        for name in names:
            assert name not in STRICT, f"{name} is registered twice"
            STRICT[name] = function
        return function

    return register


def lax(*names: str) -> Callable[[S], S]:
    def register(function: S) -> S:
        for name in names:
            assert name not in LAX, f"{name} is registered twice"
            LAX[name] = function
        return function

    return register


def out_of_range(what: str) -> ExecutionError:
    return ExecutionError("22003", f"{what} out of range")


def division_by_zero() -> ExecutionError:
    return ExecutionError("22012", "division by zero")
