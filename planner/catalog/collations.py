"""Collations: those that order text by its bytes, and ICU's, which order it as a language does.

    "C", "POSIX", "default", "ucs_basic", "C.utf8"     by bytes: they differ in name only
    "sv-SE-x-icu", "und-x-icu", ...          by ICU's sort keys, which DuckDB makes (`duckdb_locale`), then by bytes

    made by CREATE COLLATION                 "#16400", its OID, is its key: by ICU, as far as the levels that it says

They are PostgreSQL's objects under their names there; a column keeps the one that it was declared with. Other
locales of the operating system are of one machine and do not exist here (42704).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from planner.abc import Column, Oid
from planner.types.oids import BPCHAR, CITEXT, CITEXT_ARRAY, NAME, TEXT, VARCHAR

if TYPE_CHECKING:
    from planner.catalog.type_objects import Collation

DEFAULT: Final = 100
NONE: Final = "?"
"""Stands for the collation of a query's column that nobody can tell, for two meet in it."""
COLLATED: Final = frozenset((TEXT, VARCHAR, BPCHAR, 1009, 1015, 1014))
"""Types whose columns have the default collation where none is said; `name` has "C"."""

_FACTS: Final = Path(__file__).parent / "system" / "facts" / "pg_collation.tsv"


def _facts() -> tuple[dict[str, Oid], dict[str, str]]:
    """Every collation's OID, and the locale of ICU's."""
    oids: dict[str, Oid] = {}
    locales: dict[str, str] = {}
    head, *lines = _FACTS.read_text().splitlines()
    names = head.split("\t")
    for line in lines:
        row = dict(zip(names, line.split("\t"), strict=True))
        oids[row["collname"]] = int(row["oid"])
        if row["collprovider"] == "i":
            locales[row["collname"]] = row["colliculocale"]
    return oids, locales


COLLATIONS, _LOCALES = _facts()

_NAMES: Final = """
    aa af am ar ar_sa as az bal be bg blo bn bo br bs ca ceb chr cs cu cy da de de_at dsb dz ee el en
    en_us eo es et fa fa_af ff fi fil fo fr fr_ca fy ga gl gu ha haw he he_il hi hr hsb hu hy id id_id
    ig is it ja ka kk kl km kn ko kok ku ky lb lij lkt ln lo lt lv mk ml mn mr ms mt my nb nb_no ne nl
    nn no nso om or pa pa_in pl ps pt ro ru sa se sgs si sk sl smn sq sr sr_ba sr_me sr_rs ssy st sv sw
    ta te th tk tn to tr ug uk ur uz vi vo wae wo xh yi yo zh zh_cn zh_hk zh_mo zh_sg zh_tw zu
"""
_DUCKDB: Final = frozenset(_NAMES.split())
"""Locales that DuckDB has orders of; all others' order is the root's, as is that of English."""
_WRITTEN_OTHERWISE: Final = {
    "bs-cyrl": "sr", "sr-latn": "hr", "yue": "zh_hk", "yue-hant": "zh_hk", "yue-hans": "zh", "zh-hant": "zh_tw",
}  # fmt: skip
"""Languages whose order depends on the script, which DuckDB's names do not say."""


_ALWAYS_BY_BYTES: Final = frozenset((1003, 194))
"""Arrays of names, and pg_node_tree."""


def is_collatable(oid: Oid) -> bool:
    return oid in COLLATED or oid == NAME


def collation_oid(column: Column) -> Oid:
    """`attcollation`; 0 for types without."""
    if column.type.oid in (CITEXT, CITEXT_ARRAY):  # by the default one, and no other
        return DEFAULT
    if column.type.oid in _ALWAYS_BY_BYTES:
        return COLLATIONS["C"]
    if not is_collatable(column.type.oid):
        return 0
    return oid_of(column.collation or ("C" if column.type.oid == NAME else "default"))


def oid_of(collation: str) -> Oid:
    return int(collation[1:]) if collation.startswith("#") else COLLATIONS[collation]


# --- those of CREATE COLLATION ------------------------------------------------------------------------

_MADE: Final[dict[str, Collation]] = {}
"""By key. OIDs are never used twice, so what a dropped one leaves behind is met by nobody."""
nondeterministic: Final[set[str]] = set()
"""The keys of those whose equal texts may differ. Nobody looks for them while there are none."""
LEVELS: Final = 3
"""Of ICU's sort keys: letters, accents, and case with all else that makes a difference by default."""

_LANGUAGE: Final = re.compile(r"(|root|und|[a-z]{2,3})(-[a-z]{4})?(-([a-z]{2}|[0-9]{3}))?")
_STRENGTHS: Final = {"level1": 1, "level2": 2, "level3": 3}
_SHORT: Final = {
    "colstrength": "ks", "colnumeric": "kn", "colcasefirst": "kf", "colalternate": "ka", "collation": "co",
}  # fmt: skip
_SHORT_VALUES: Final = {
    "primary": "level1", "secondary": "level2", "tertiary": "level3", "yes": "true", "no": "false", "non-ignorable": "noignore",
}  # fmt: skip
_DONE_BY_TEXT: Final = frozenset(("kn-true", "kf-upper", "ka-shifted"))
_AS_USUAL: Final = frozenset(("kn-false", "kf-false", "kf-lower", "ka-noignore", "co-standard"))


def key_of(oid: Oid) -> str:
    return f"#{oid}"


def declare(made: Collation) -> None:
    key = key_of(made.oid)
    _MADE[key] = made
    if not made.deterministic:
        nondeterministic.add(key)


def telling_apart(collation: str) -> str:
    """The collation, if it is nondeterministic; else empty: texts are told apart by their bytes."""
    return collation if collation in nondeterministic else ""


def shown(collation: str) -> str:
    """What it is called."""
    return _MADE[collation].name if collation.startswith("#") else collation


def made(collation: str) -> Collation | None:
    """What CREATE COLLATION made; None for PostgreSQL's own."""
    return _MADE.get(collation)


class Locale(NamedTuple):
    """What the name of one of ICU's locales says."""

    language: str
    levels: int = LEVELS
    attributes: tuple[str, ...] = ()
    """Those that are done by saying texts otherwise (`planner.binding.prelude.collated_texts`), as BCP 47 spells them."""


def read_locale(locale: str) -> Locale | None:
    """What is meant by `sv-SE`, `und-u-ks-level2-kn-true`, `en@colStrength=secondary;colNumeric=yes`.

    None where something else is asked for: DuckDB's ICU knows no attributes of a locale.
    """
    text = locale.lower().replace("_", "-")
    head, _, keywords = text.partition("@")
    language, _, said = head.partition("-u-")
    if not _LANGUAGE.fullmatch(language) or (said and keywords):
        return None
    levels, attributes = LEVELS, set[str]()
    for key, value in [*_extension(said), *_keywords(keywords)]:
        if key == "ks":
            levels = _STRENGTHS.get(value, 0)
        elif f"{key}-{value}" in _DONE_BY_TEXT:
            attributes.add(f"{key}-{value}")
        elif f"{key}-{value}" not in _AS_USUAL:
            levels = 0
        if not levels:
            return None
    return Locale(language, levels, tuple(sorted(attributes)))


def _extension(said: str) -> Iterator[tuple[str, str]]:
    """The keys and values of `kn-true-ks-level2`; a key alone says that it is true."""
    if not said:
        return
    parts = said.split("-")
    places = [i for i, x in enumerate(parts) if len(x) == 2]
    if not places or places[0]:
        yield "", said  # an attribute, as BCP 47 has them for no order
        return
    for at, end in zip(places, [*places[1:], len(parts)], strict=True):
        yield parts[at], "-".join(parts[at + 1 : end]) or "true"


def _keywords(said: str) -> Iterator[tuple[str, str]]:
    """The same of `colNumeric=yes;colStrength=secondary`."""
    for keyword in filter(None, said.split(";")):
        name, _, value = keyword.partition("=")
        yield _SHORT.get(name, name), _SHORT_VALUES.get(value, value)


def attributes(collation: str) -> tuple[str, ...]:
    """Those of one of ICU's that its texts are said otherwise for."""
    found = _MADE.get(collation)
    read = read_locale(found.locale) if found is not None else None
    return read.attributes if read is not None else ()


def levels(collation: str) -> int:
    """How many levels of ICU's sort key tell texts apart, under one of ICU's."""
    found = _MADE.get(collation)
    read = read_locale(found.locale) if found is not None else None
    return read.levels if read is not None else LEVELS


def _language(collation: str) -> str:
    found = _MADE.get(collation)
    read = read_locale(found.locale) if found is not None else None
    return read.language if read is not None else _LOCALES[collation].lower()


def language_of(collation: str) -> str:
    """The language of one of ICU's, whose letters have its upper and lower case; empty for the root's."""
    return _language(collation).partition("-")[0]


def by_bytes(collation: str) -> bool:
    """Whether text is ordered by its bytes under it; the empty name is the default collation's."""
    found = _MADE.get(collation)
    return found.provider != "i" if found is not None else collation not in _LOCALES


def duckdb_locale(collation: str) -> str:
    """What `icu_sort_key` calls the order of one of ICU's collations."""
    parts = _language(collation).split("-")
    for many in range(len(parts), 0, -1):
        name = "_".join(parts[:many])
        found = _WRITTEN_OTHERWISE.get("-".join(parts[:many])) or (name if name in _DUCKDB else "")
        if found:
            return found
    return "en"
