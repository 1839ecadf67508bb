"""Collations: those that order text by its bytes, and ICU's, which order it as a language does.

    "C", "POSIX", "default", "ucs_basic"     by bytes: they differ in name only
    "sv-SE-x-icu", "und-x-icu", ...          by ICU's sort keys, which DuckDB makes (`duckdb_locale`), then by bytes

They are PostgreSQL's objects under their names there; a column keeps the one that it was declared with. Those of the
operating system are of one machine and do not exist here (42704).
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from planner.abc import Column, Oid
from planner.types.oids import BPCHAR, NAME, TEXT, VARCHAR

DEFAULT: Final = 100
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


def is_collatable(oid: Oid) -> bool:
    return oid in COLLATED or oid == NAME


def collation_oid(column: Column) -> Oid:
    """`attcollation`; 0 for types without."""
    if not is_collatable(column.type.oid):
        return 0
    return COLLATIONS[column.collation or ("C" if column.type.oid == NAME else "default")]


def by_bytes(collation: str) -> bool:
    """Whether text is ordered by its bytes under it; the empty name is the default collation's."""
    return collation not in _LOCALES


def duckdb_locale(collation: str) -> str:
    """What `icu_sort_key` calls the order of one of ICU's collations."""
    parts = _LOCALES[collation].lower().split("-")
    for many in range(len(parts), 0, -1):
        name = "_".join(parts[:many])
        found = _WRITTEN_OTHERWISE.get("-".join(parts[:many])) or (name if name in _DUCKDB else "")
        if found:
            return found
    return "en"
