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
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple

from planner.abc import SqlError
from planner.extensions.accents import unaccent
from planner.textsearch import documents, files, spelling, synonyms, thesauri
from planner.textsearch.spelling import Lexeme
from planner.types.letter_case import lowered

SIMPLE, SNOWBALL, UNACCENT = "simple", "snowball", "unaccent"
SYNONYM, THESAURUS, ISPELL = "synonym", "thesaurus", "ispell"
"""Templates whose dictionaries are made of files (`planner.textsearch.files`)."""
_OPTION: Final = re.compile(r'("(?:[^"]|"")+"|\w+) = (E?\'(?:[^\']|\'\')*\'|[^,\']+)(?:, |$)')
_BOOLEANS: Final = {"true": True, "on": True, "1": True, "false": False, "off": False, "0": False}


class Step(NamedTuple):
    """A dictionary: what it does, and with what."""

    template: str
    language: str = ""
    stops: str = ""
    accept: bool = True
    files: tuple[str, ...] = ()
    """What it is made of: their names, without endings."""
    within: Step | None = None
    """The dictionary that a thesaurus asks."""


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


def step(template: str, options: Mapping[str, str], named: Callable[[str], Step]) -> Step:
    """The dictionary of a template and its options; `named`: another one. Raises 22023, 42601, 42704, F0000, 0A000."""
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
        if files.bare(rules) != UNACCENT:
            raise SqlError(
                "F0000", f'could not open unaccent file "{rules}.rules": No such file or directory'
            )
        return Step(UNACCENT)
    if template == SYNONYM:
        _only(options, ("synonyms", "casesensitive"), "synonym")
        sensitive = _boolean(options, "casesensitive", "false")
        return Step(SYNONYM, accept=sensitive, files=_files(options, "Synonyms"))
    if template == ISPELL:
        _only(options, ("dictfile", "afffile", "stopwords"), "Ispell")
        stops = _stops(options)
        return Step(ISPELL, stops=stops, files=_files(options, "AffFile", "DictFile"))
    if template == THESAURUS:
        _only(options, ("dictfile", "dictionary"), "Thesaurus")
        made_of = _files(options, "DictFile")
        if "dictionary" not in options:
            raise SqlError("22023", "missing Dictionary parameter")
        return Step(THESAURUS, files=made_of, within=named(options["dictionary"]))
    raise SqlError("0A000", f'text search dictionaries of template "{template}" are not supported')


def _only(options: Mapping[str, str], known: Sequence[str], what: str) -> None:
    for name in options:
        if name not in known:
            raise SqlError("22023", f'unrecognized {what} parameter: "{name}"')


def _files(options: Mapping[str, str], *names: str) -> tuple[str, ...]:
    for name in names:
        if name.lower() not in options:
            raise SqlError("22023", f"missing {name} parameter")
    return tuple(files.bare(options[name.lower()]) for name in names)


def _stops(options: Mapping[str, str]) -> str:
    said = options.get("stopwords")
    return files.bare(said) if said is not None else ""


def _boolean(options: Mapping[str, str], name: str, default: str = "true") -> bool:
    said = options.get(name, default).lower()
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
    steps = [_step(fields) for fields in read["dictionaries"]]
    return {int(kind): [steps[i] for i in places] for kind, places in read["kinds"].items()}


@lru_cache(maxsize=64)
def step_of(text: str) -> Step:
    """A dictionary by itself."""
    return _step(json.loads(text))


def _step(fields: Sequence[Any]) -> Step:
    made = Step(*fields)
    return made._replace(files=tuple(made.files), within=_step(made.within) if made.within else None)


def among(oid: str, definitions: str) -> str:
    """The definition of a configuration or dictionary among those of a database, by OID; that itself where it is none of them."""
    return _read(definitions).get(oid, oid) if definitions else oid


@lru_cache(maxsize=16)
def _read(definitions: str) -> dict[str, str]:
    found: dict[str, str] = json.loads(definitions)
    return found


def read(made: Step, *, anew: bool = False) -> Any:
    """What a dictionary has in its files. `anew`: look whether they have changed. Raises F0000, 22023, 54000, 22021."""
    names, make = _sources(made)
    return files.kept((made.template, *made.files, made.accept, made.within), names, make, anew=anew)


def _sources(made: Step) -> tuple[tuple[str, ...], Callable[[], Any]]:
    if made.template == ISPELL:
        rules, words = made.files
        return (f"{rules}.affix", f"{words}.dict"), lambda: spelling.read(words, rules)
    (name,) = made.files
    if made.template == SYNONYM:
        return (f"{name}.syn",), lambda: synonyms.read(name, made.accept)
    within = made.within
    assert within is not None
    return (f"{name}.ths",), lambda: thesauri.read(name, lambda word: lexemes(within, word))


# --- reading ---------------------------------------------------------------------------------------------


@lru_cache(maxsize=65_536)
def lexemes(made: Step, word: str) -> tuple[Lexeme, ...] | None:
    """What a dictionary makes of a word: itself or none (a stop word); None: it does not know it."""
    if made.template == UNACCENT:
        plain = unaccent(word)
        return (Lexeme(plain),) if plain != word else None
    if made.template == THESAURUS:
        phrase = read(made).found([word])
        return None if phrase is None else tuple(x for place in phrase.substitute for x in place)
    if made.template == SYNONYM:
        other = read(made).get(word if made.accept else lowered(word))
        return None if other is None else (other,)
    small = lowered(word)
    if made.template == SNOWBALL:
        return tuple(map(Lexeme, documents.stemmed(made.language, made.stops, small)))
    stops = documents.stop_list(made.stops)
    if made.template == ISPELL:
        found = read(made).lexemes(small)
        return tuple(x for x in found if x.text not in stops) if found else None
    if not small or small in stops:
        return ()
    return (Lexeme(small),) if made.accept else None


def lexized(made: Step, word: str) -> tuple[str, ...] | None:
    """The texts of these."""
    found = lexemes(made, word)
    return None if found is None else tuple(x.text for x in found)


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


def phrases(
    chains: Chains, tokens: Sequence[tuple[int, str]], place: int
) -> Iterator[tuple[tuple[Lexeme, ...], int]]:
    """What a configuration makes of a text's tokens, with their places, counted on from `place`; stop words are nothing."""
    at = 0
    while at < len(tokens):
        kind, word = tokens[at]
        ahead = 1
        for made in chains.get(kind, ()):
            if made.template == THESAURUS:
                places = [at]
                phrase = read(made).found(_ahead(chains, tokens, made, word, places))
                if phrase is None:
                    continue
                ahead = places[phrase.words - 1] - at + 1
                for substitute in phrase.substitute:
                    place += 1
                    yield substitute, place
                break
            found = lexemes(made, word)
            if found is None:
                continue
            if made.template != UNACCENT:
                place += 1
                yield found, place
                break
            word = found[0].text
        at += ahead


def _ahead(
    chains: Chains, tokens: Sequence[tuple[int, str]], made: Step, first: str, places: list[int]
) -> Iterator[str | None]:
    """The first word of what may be a phrase and those behind it, whose places are noted; None: one that its thesaurus is not asked for."""
    yield first
    for i in range(places[0] + 1, len(tokens)):
        kind, word = tokens[i]
        chain = chains.get(kind)
        if chain:
            places.append(i)
            yield word if made in chain else None


files.on_change.append(lexemes.cache_clear)


__all__ = [
    "SIMPLE", "SNOWBALL", "THESAURUS", "UNACCENT", "Chains", "Step", "among", "built_in", "chains_of", "definition", "lexemes",
    "lexized", "options_of", "phrases", "read", "step", "step_of", "taken", "written",
]  # fmt: skip
