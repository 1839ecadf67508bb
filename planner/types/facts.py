"""What PostgreSQL's own catalog says of every built-in type: a table of facts, not of behaviour.

Drivers ask `pg_type` for types that a program never stores (ranges, geometry, text search), so all
of them are known here by OID and name. `registry` says which of them Tidewire can compute with.
The table lives in `pg_type.tsv`, one line a type, columns named as in `pg_type`.
"""

from __future__ import annotations

from importlib import resources
from typing import Final, NamedTuple


class BuiltinType(NamedTuple):
    """One row of `pg_type`. Functions are named, `-` where there is none."""

    oid: int
    typname: str
    typarray: int
    typlen: int
    typbyval: bool
    typtype: str
    typcategory: str
    typispreferred: bool
    typdelim: str
    typelem: int
    typinput: str
    typoutput: str
    typreceive: str
    typsend: str
    typmodin: str
    typmodout: str
    typalign: str
    typstorage: str
    typcollation: int


def _load() -> tuple[BuiltinType, ...]:
    text = (resources.files(__package__) / "pg_type.tsv").read_text("utf-8")
    header, *lines = text.splitlines()
    assert header.split("\t") == list(BuiltinType._fields), "pg_type.tsv and BuiltinType disagree"
    out = []
    for line in lines:
        f = line.split("\t")
        typinput, typoutput, typreceive, typsend, typmodin, typmodout, typalign, typstorage = f[10:18]
        out.append(
            BuiltinType(
                oid=int(f[0]),
                typname=f[1],
                typarray=int(f[2]),
                typlen=int(f[3]),
                typbyval=f[4] == "1",
                typtype=f[5],
                typcategory=f[6],
                typispreferred=f[7] == "1",
                typdelim=f[8],
                typelem=int(f[9]),
                typinput=typinput,
                typoutput=typoutput,
                typreceive=typreceive,
                typsend=typsend,
                typmodin=typmodin,
                typmodout=typmodout,
                typalign=typalign,
                typstorage=typstorage,
                typcollation=int(f[18]),
            )
        )
    return tuple(out)


BUILTIN_TYPES: Final[tuple[BuiltinType, ...]] = _load()
BY_OID: Final[dict[int, BuiltinType]] = {t.oid: t for t in BUILTIN_TYPES}
BY_NAME: Final[dict[str, BuiltinType]] = {t.typname: t for t in BUILTIN_TYPES}
ARRAY_OF: Final[dict[int, int]] = {t.oid: t.typarray for t in BUILTIN_TYPES if t.typarray}
ELEMENT_OF: Final[dict[int, int]] = {array: element for element, array in ARRAY_OF.items()}
FIRST_USER_OID: Final = 16_384
"""What is made has OIDs from here on, as PostgreSQL's FirstNormalObjectId says."""
