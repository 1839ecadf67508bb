"""Configurations that users make: for each kind of tokens a chain of dictionaries, asked one after the other.

    word    unaccent -> french_stem        Hôtels    unaccent: Hotels, and on with that    french_stem: hotel

A dictionary knows a word (what it is searched for as, or that it is a stop word), or leaves it to the next one; a **filter** changes it
for those behind it. What none of them knows is not indexed, and has no place.

A definition is a text that says all of it, so that whoever reads documents by it needs no catalog, and sees no other one than the
statement that asks.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from planner.abc import SqlError
from planner.extensions.accents import unaccent
from planner.textsearch import documents
from planner.types.letter_case import lowered

SIMPLE, SNOWBALL, UNACCENT = "simple", "snowball", "unaccent"
BY_FILES: Final = ("synonym", "thesaurus", "ispell")
"""Templates whose dictionaries are made of files."""
_OPTION: Final = re.compile(r'("(?:[^"]|"")+"|\w+) = (E?\'(?:[^\']|\'\')*\'|[^,\']+)(?:, |$)')
_BOOLEANS: Final = {"true": True, "on": True, "1": True, "false": False, "off": False, "0": False}


class Step(NamedTuple):
    """A dictionary: what it does, and with what."""

    template: str
    language: str = ""
    stops: str = ""
    accept: bool = True


Chains = Mapping[int, Sequence[Step]]


def built_in(name: str) -> Step:
    """A dictionary of PostgreSQL's own."""
    if name == SIMPLE:
        return Step(SIMPLE)
    language = name.removesuffix("_stem")
    return Step(SNOWBALL, language, language if language in documents.stop_words() else "")


# --- what a dictionary is made of ------------------------------------------------------------------------


def options_of(text: str) -> dict[str, str]:
    """`language = 'english', accept = 'false'` as the catalog keeps it."""
    found: dict[str, str] = {}
    for name, value in _OPTION.findall(text):
        bare = name[1:-1].replace('""', '"') if name.startswith('"') else name
        if value.startswith(("'", "E'")):
            inner = value[value.index("'") + 1 : -1].replace("''", "'")
            value = inner.replace("\\\\", "\\") if value.startswith("E") else inner
        found[bare] = value
    return found


def written(options: Iterable[tuple[str, str, bool]]) -> str:
    """Options as the catalog keeps them; numbers (the third) have no quotes."""
    return ", ".join(
        f"{_name(name)} = {value if number else _quoted(value)}" for name, value, number in options
    )


def _name(name: str) -> str:
    from planner.catalog.names import quote_identifier

    return quote_identifier(name)


def _quoted(value: str) -> str:
    doubled = value.replace("'", "''")
    return "E'" + doubled.replace("\\", "\\\\") + "'" if "\\" in value else f"'{doubled}'"


def step(template: str, options: Mapping[str, str]) -> Step:
    """The dictionary of a template and its options. Raises 22023, 42704, F0000, 0A000."""
    if template == SIMPLE:
        _only(options, ("stopwords", "accept"), "simple dictionary")
        return Step(SIMPLE, "", _stops(options), _boolean(options, "accept"))
    if template == SNOWBALL:
        _only(options, ("stopwords", "language"), "Snowball")
        language = options.get("language")
        if language is None:
            raise SqlError("22023", "missing Language parameter")
        if language.lower() not in documents.LANGUAGES:
            raise SqlError(
                "42704", f'no Snowball stemmer available for language "{language}" and encoding "UTF8"'
            )
        return Step(SNOWBALL, language.lower(), _stops(options))
    if template == UNACCENT:
        _only(options, ("rules",), "Unaccent")
        rules = options.get("rules")
        if rules is None:
            raise SqlError("22023", "missing Rules parameter")
        if _file(rules) != UNACCENT:
            raise SqlError(
                "F0000", f'could not open unaccent file "{rules}.rules": No such file or directory'
            )
        return Step(UNACCENT)
    raise SqlError("0A000", f'text search dictionaries of template "{template}" are not supported')


def _only(options: Mapping[str, str], known: Sequence[str], what: str) -> None:
    for name in options:
        if name not in known:
            raise SqlError("22023", f'unrecognized {what} parameter: "{name}"')


def _file(name: str) -> str:
    if not re.fullmatch("[a-z0-9_]+", name):
        raise SqlError("22023", f'invalid text search configuration file name "{name}"')
    return name


def _stops(options: Mapping[str, str]) -> str:
    said = options.get("stopwords")
    if said is None:
        return ""
    if _file(said) not in documents.stop_words():
        raise SqlError("F0000", f'could not open stop-word file "{said}.stop": No such file or directory')
    return said


def _boolean(options: Mapping[str, str], name: str) -> bool:
    said = options.get(name, "true").lower()
    if said not in _BOOLEANS:
        raise SqlError("42601", f"{name} requires a Boolean value")
    return _BOOLEANS[said]


# --- definitions -----------------------------------------------------------------------------------------


def definition(chains: Chains) -> str:
    """What a configuration is, as text."""
    steps = list(dict.fromkeys(s for chain in chains.values() for s in chain))
    places = {s: i for i, s in enumerate(steps)}
    kinds = {kind: [places[s] for s in chain] for kind, chain in sorted(chains.items())}
    return json.dumps({"dictionaries": steps, "kinds": kinds}, separators=(",", ":"))


@lru_cache(maxsize=64)
def chains_of(text: str) -> Chains:
    read = json.loads(text)
    steps = [Step(*fields) for fields in read["dictionaries"]]
    return {int(kind): [steps[i] for i in places] for kind, places in read["kinds"].items()}


@lru_cache(maxsize=64)
def step_of(text: str) -> Step:
    """A dictionary by itself."""
    return Step(*json.loads(text))


def among(oid: str, definitions: str) -> str:
    """The definition of a configuration or dictionary among those of a database, by OID; that itself where it is none of them."""
    return _read(definitions).get(oid, oid) if definitions else oid


@lru_cache(maxsize=16)
def _read(definitions: str) -> dict[str, str]:
    found: dict[str, str] = json.loads(definitions)
    return found


# --- reading ---------------------------------------------------------------------------------------------


@lru_cache(maxsize=65_536)
def lexized(made: Step, word: str) -> tuple[str, ...] | None:
    """What a dictionary makes of a word: itself or none (a stop word); None: it does not know it."""
    if made.template == UNACCENT:
        plain = unaccent(word)
        return (plain,) if plain != word else None
    small = lowered(word)
    if made.template == SNOWBALL:
        return documents.stemmed(made.language, made.stops, small)
    if not small or small in documents.stop_words().get(made.stops, ()):
        return ()
    return (small,) if made.accept else None


def taken(chain: Sequence[Step], word: str) -> tuple[int, tuple[str, ...]] | None:
    """Which dictionary of a chain knows a word, and what it makes of it."""
    for i, made in enumerate(chain):
        found = lexized(made, word)
        if found is None:
            continue
        if made.template != UNACCENT:
            return i, found
        word = found[0]
    return None


__all__ = [
    "BY_FILES", "SIMPLE", "SNOWBALL", "UNACCENT", "Chains", "Step", "among", "built_in", "chains_of", "definition", "lexized",
    "options_of", "step", "step_of", "taken", "written",
]  # fmt: skip
