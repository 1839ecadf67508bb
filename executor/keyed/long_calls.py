"""What may take long of one row, for as long as it takes a moment (`planner.binding.keyed.long_calls`).

    long matches(text, pattern, flags)     at once, or some milliseconds at most     then TooFarToLook: DuckDB has threads of its own

Who calls such a function again and again has a few milliseconds for the whole statement; all sessions wait meanwhile. A statement is told
from the next by the time that it has of the clock, and in a block, where all have that of the first, by the pause before it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from time import perf_counter_ns
from typing import Any, Final

from executor.keyed.registry import scalar
from executor.keyed.text import repeated
from planner.binding.keyed.calls import is_soon_known
from planner.binding.prelude import jsonpath as paths
from planner.binding.prelude import text as prelude_text
from planner.binding.prelude.dates import FUNCTIONS as DATES
from planner.binding.regexps.translation import compile_pattern
from planner.textsearch import documents, headlines, matching, queries, ranking, text_columns, vectors
from planner.textsearch.configurations import configuration

STATEMENT_MS_MAX: Final = 5
"""As long as DuckDB may take for the whole query."""
SEARCH_S_MAX: Final = 0.002
"""Of one pattern in one text."""
CHARACTERS_MAX: Final = 20_000
"""Of a text or document that is looked into, and of one that is made without a look at the time."""
MADE_MAX: Final = 1 << 20
"""Characters of a text that is made at once."""
_PAUSE_NS: Final = 500_000
LONG: dict[str, Callable[..., Any]] = {}
"""By name; called with the session, and with arguments that are not NULL."""
_statement = _began = _last = 0


def _goes_on(session: Any, text: str) -> None:
    """Raises TooFarToLook where the statement has taken its time, or the text is long."""
    global _statement, _began, _last
    now, statement = perf_counter_ns(), session.transaction_began_us()
    if statement != _statement or now - _last > _PAUSE_NS:
        _statement, _began = statement, now
    _last = now
    if len(text) > CHARACTERS_MAX or now - _began > STATEMENT_MS_MAX * 1_000_000:
        raise _too_far()


def _timed(function: Callable[..., Any], *given: Any) -> Any:
    """The call, whose own time is no pause before the next one."""
    global _last
    made = function(*given)
    _last = perf_counter_ns()
    return made


def _too_far() -> Exception:
    from executor.snapshot.abc import TooFarToLook  # images, which are loaded there, compile expressions

    return TooFarToLook()


def _long(name: str, at: int = 0) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Registers a function, whose argument at `at` is what takes the time."""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        def limited(session: Any, *given: Any) -> Any:
            _goes_on(session, given[at])
            return _timed(function, *given)

        LONG[name] = limited
        return function

    return register


# --- patterns ------------------------------------------------------------------------------------------


@_long("long matches")
def matches(text: str, pattern: str, flags: str) -> bool:
    try:
        return compile_pattern(pattern, flags).at_once(text, SEARCH_S_MAX) is not None
    except TimeoutError:
        raise _too_far() from None


def _prelude(name: str) -> Callable[..., Any]:
    return next(function for known, function, *_ in (*prelude_text.FUNCTIONS, *DATES) if known == name)


def _by_pattern(name: str, called: str) -> None:
    made = _prelude(called)

    @_long(name)
    def of_places(text: str, pattern: str, *given: str) -> Any:
        if not is_soon_known(pattern):
            raise _too_far()
        return made(text, pattern, *given)


_by_pattern("long replace", "tw_regexp_replace")
_by_pattern("long match", "tw_regexp_match")
_by_pattern("long substring", "tw_regexp_substring")
scalar("similar pattern")(lru_cache(maxsize=256)(prelude_text.similar))


# --- lengths that a number says, and templates ---------------------------------------------------------


def _repeat(session: Any, text: str, count: int) -> Any:
    if count > CHARACTERS_MAX or len(text) * count > CHARACTERS_MAX:
        _goes_on(session, "")
        if len(text) * count > MADE_MAX:
            raise _too_far()
        return _timed(repeated, text, count)
    return repeated(text, count)


def _pad(name: str) -> None:
    made = _prelude(f"tw_{name}")

    def limited(session: Any, text: str, length: int, fill: str) -> Any:
        if length > CHARACTERS_MAX:
            _goes_on(session, "")
            if length > MADE_MAX:
                raise _too_far()
            return _timed(made, text, length, fill)
        return made(text, length, fill)

    LONG[f"long {name}"] = limited


LONG["long repeat"] = _repeat
_pad("lpad")
_pad("rpad")
for _template in ("numeric", "float", "timestamp", "timestamptz"):
    _long(f"long tw_to_char_{_template}", 1)(_prelude(f"tw_to_char_{_template}"))


# --- SQL/JSON paths ------------------------------------------------------------------------------------


def _path(name: str) -> None:
    answer = next(function for called, function, *_ in paths.FUNCTIONS if called == f"tw_jsonpath_{name}")

    @_long(f"long path {name}")
    def answered(document: str, path: str, variables: str, silent: bool, zone: str) -> Any:
        if "like_regex" in path:
            raise _too_far()  # which has no end of its own
        return answer(document, path, variables, silent, zone)


for _name in ("exists", "match", "query_array", "query_first"):
    _path(_name)


# --- text search ---------------------------------------------------------------------------------------


def _query(name: str, made: Callable[[str, str], str]) -> None:
    scalar(name)(lru_cache(maxsize=256)(lambda said, text: made(configuration(said), text)))


_query("to_tsquery", documents.query)
_query("plainto_tsquery", documents.plain)
_query("phraseto_tsquery", documents.phrase)
_query("websearch_to_tsquery", documents.websearch)


@_long("long tsvector", 1)
def vector(said: str, text: str) -> str:
    return documents.vector(configuration(said), text)


@_long("long text has", 1)
def text_has(said: str, text: str, query: str) -> bool:
    return text_columns.has(configuration(said), text, query)


@_long("long headline", 1)
def headline(said: str, text: str, query: str, options: str) -> str:
    return headlines.headline(configuration(said), text, query, options)


_long("long tsvector has")(matching.matches)
_long("long ts_rank")(lambda vector, query, method: ranking.rank(vector, query, None, method))
_long("long ts_rank_cd")(lambda vector, query, method: ranking.rank_cd(vector, query, None, method))
_long("long tsvector ||")(vectors.concatenated)
_long("long setweight")(vectors.with_weight)
scalar("tsquery &&")(lambda a, b: queries.joined(queries.AND, a, b))
scalar("tsquery ||")(lambda a, b: queries.joined(queries.OR, a, b))
scalar("!! tsquery")(queries.negated)

__all__ = ["LONG"]
