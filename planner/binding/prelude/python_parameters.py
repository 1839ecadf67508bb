"""DuckDB counts the parameters of a Python function that it is given, so one of `*arguments` is said anew with as many as it takes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

PARAMETERS_MAX: Final = 7


def with_parameters(call: Callable[..., Any], count: int) -> Callable[..., Any]:
    """`call` as a function of so many parameters, one to PARAMETERS_MAX."""
    assert 1 <= count <= PARAMETERS_MAX, "a function without arguments belongs to the binder"
    by_count: tuple[Callable[..., Any], ...] = (
        lambda a: call(a),  # noqa: PLW0108
        lambda a, b: call(a, b),  # noqa: PLW0108
        lambda a, b, c: call(a, b, c),  # noqa: PLW0108
        lambda a, b, c, d: call(a, b, c, d),  # noqa: PLW0108
        lambda a, b, c, d, e: call(a, b, c, d, e),  # noqa: PLW0108
        lambda a, b, c, d, e, f: call(a, b, c, d, e, f),  # noqa: PLW0108
        lambda a, b, c, d, e, f, g: call(a, b, c, d, e, f, g),  # noqa: PLW0108
    )
    return by_count[count - 1]
