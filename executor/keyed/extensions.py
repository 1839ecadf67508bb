"""Functions of extensions that are quick, by the same code as DuckDB's (`planner.extensions`), and identifiers of chance.

crypt() is not here: it takes as long as it is told to, and this is the event loop.
"""

from __future__ import annotations

from typing import Any

from executor.keyed.registry import scalar
from planner.extensions import accents, ciphers, passwords, sounds, uuids

for _names, _function in (
    (("gen_random_uuid()", "uuid_generate_v4()"), uuids.v4),
    (("uuid_generate_v1()",), uuids.v1),
    (("uuid_generate_v1mc()",), uuids.v1mc),
    (("uuid_generate_v3(uuid, text)",), uuids.v3),
    (("uuid_generate_v5(uuid, text)",), uuids.v5),
    (("digest(text, text)",), ciphers.digest_text),
    (("digest(bytea, text)",), ciphers.digest),
    (("hmac(text, text, text)",), ciphers.hmac_text),
    (("hmac(bytea, bytea, text)",), ciphers.hmac),
    (("gen_random_bytes(int4)",), ciphers.random_bytes),
    (("gen_salt(text)",), passwords.gen_salt),
    (("gen_salt(text, int4)",), passwords.gen_salt_rounds),
    (("unaccent(text)",), accents.unaccent),
    (("soundex(text)", "text_soundex(text)"), sounds.soundex),
    (("difference(text, text)",), sounds.difference),
):
    scalar(*_names)(_function)


def _constant(value: str) -> Any:
    return lambda: value


for _name, _value in uuids.NAMESPACES.items():
    scalar(f"{_name}()")(_constant(_value))
