"""Dictionaries that are made of files: synonyms, phrases, spellings of Ispell and Hunspell."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

import psycopg
import pytest

from planner.abc import SqlError
from planner.textsearch import chains, documents, files
from planner.textsearch.chains import Step
from planner.textsearch.tokens import ASCIIWORD

FILES = {
    "tw_words.dict": "4\nwalk/DG\nbank/N\nnote/N\nMoon\n",
    "tw_words.affix": "COMPOUNDFLAG N\n\nSFX D Y 1\nSFX D 0 ed [^y]\n\nSFX G Y 1\nSFX G 0 ing .\n\nPFX R N 1\nPFX R 0 re .\n",
    "tw_broken.affix": "suffixes\nflag *A:\n    . > S\nSFX A Y 1\n",
    "tw_same.syn": "pg postgres\nindices index*\nalone\n",
    "tw_phrases.ths": "# phrases\nnew york : *nyc\nnew york ? city : *bigapple tree\n",
    "tw_short.stop": "moon\nsun  and what follows\n",
}
STEMMED = Step("snowball", "english", "english")
THESAURUS = Step("thesaurus", files=("tw_phrases",), within=STEMMED)


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    before = files._folder[0]
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    files.look_in(tmp_path)
    yield tmp_path
    files.look_in(before)


def made(template: str, **options: str) -> Step:
    step = chains.step(template, options, chains.built_in)
    documents.stop_list(step.stops)
    chains.read(step, anew=True)
    return step


def test_words_have_normal_forms_and_parts(folder: Path) -> None:
    words = made("ispell", dictfile="tw_words", afffile="tw_words", stopwords="tw_short")
    assert chains.lexized(words, "Walking") == ("walk",)
    assert chains.lexized(words, "rewalked") is None, "walk has no flag for what begins with re"
    assert chains.lexized(words, "banknote") == ("bank", "note")
    assert chains.lexized(words, "moon") == (), "a stop word, in small letters"
    assert chains.lexized(words, "river") is None


def test_parts_of_a_word_are_looked_for_together(folder: Path) -> None:
    words = made("ispell", dictfile="tw_words", afffile="tw_words")
    fr = chains.definition({ASCIIWORD: [words, STEMMED]})
    assert documents.vector(fr, "banknotes banknote walking") == "'bank':2 'banknot':1 'note':2 'walk':3"
    assert documents.query(fr, "banknote & !walked") == "'bank' & 'note' & !'walk'"


def test_synonyms(folder: Path) -> None:
    assert chains.lexized(made("synonym", synonyms="tw_same"), "PG") == ("postgres",)
    assert chains.lexized(made("synonym", synonyms="tw_same", casesensitive="on"), "PG") is None
    same = chains.definition({ASCIIWORD: [made("synonym", synonyms="tw_same"), STEMMED]})
    assert documents.query(same, "indices & pg") == "'index':* & 'postgres'"


def test_the_longest_phrase_is_taken(folder: Path) -> None:
    by = chains.definition({ASCIIWORD: [THESAURUS, STEMMED]})
    assert documents.vector(by, "in New York, new ideas") == "'idea':4 'new':3 'nyc':2"
    assert documents.vector(by, "New York the city sleeps") == "'bigapple':1 'sleep':3 'tree':2"
    assert documents.vector(by, "New York the sleeps") == "'nyc':1 'sleep':3"


def test_files_that_changed_are_read_when_a_dictionary_is_defined(folder: Path) -> None:
    step = made("synonym", synonyms="tw_same")
    assert chains.lexized(step, "kube") is None
    (folder / "tw_same.syn").write_text("kube kubernetes\n")
    made("synonym", synonyms="tw_same")
    assert chains.lexized(step, "kube") == ("kubernetes",)


@pytest.mark.parametrize(
    ("template", "options", "said"),
    [
        ("synonym", {}, "22023 missing Synonyms parameter"),
        ("ispell", {"dictfile": "tw_words"}, "22023 missing AffFile parameter"),
        ("thesaurus", {"dictfile": "tw_phrases"}, "22023 missing Dictionary parameter"),
        ("synonym", {"synonyms": "../passwd"}, '22023 invalid text search configuration file name "../passwd"'),
        (
            "ispell",
            {"dictfile": "tw_words", "afffile": "tw_broken"},
            "F0000 affix file contains both old-style and new-style commands",
        ),
    ],
)  # fmt: skip
def test_refused(folder: Path, template: str, options: dict[str, str], said: str) -> None:
    with pytest.raises(SqlError) as refused:
        made(template, **options)
    assert f"{refused.value.sqlstate} {refused.value.message}" == said


@pytest.mark.postgres
def test_words_of_chance_are_what_postgresql_makes_of_them(postgres: psycopg.Connection) -> None:
    found = postgres.execute("SELECT setting FROM pg_config WHERE name = 'SHAREDIR'").fetchone()
    assert found is not None
    before = files._folder[0]
    files.look_in(Path(found[0]) / "tsearch_data")
    try:
        _compared(postgres)
    finally:
        files.look_in(before)


def _compared(postgres: psycopg.Connection) -> None:
    r = Random(3)
    parts = [
        "re",
        "un",
        "book",
        "booking",
        "ings",
        "ing",
        "s",
        "foot",
        "ball",
        "klubber",
        "football",
        "y",
        "sk",
        "ies",
        "ky",
        "ex-",
    ]
    words = ["".join(r.choices(parts, k=r.randint(1, 5))) for _ in range(3000)]
    pairs = [
        ("ispell_sample", "ispell_sample"), ("ispell_sample", "hunspell_sample"), ("hunspell_sample_long", "hunspell_sample_long"),
        ("hunspell_sample_num", "hunspell_sample_num"), ("hunspell_sample_long", "ispell_sample"), ("hunspell_sample_num", "ispell_sample"),
    ]  # fmt: skip
    for words_file, rules in pairs:
        postgres.execute("DROP TEXT SEARCH DICTIONARY IF EXISTS tw_files")
        postgres.execute(
            f"CREATE TEXT SEARCH DICTIONARY tw_files (TEMPLATE = ispell, DICTFILE = {words_file}, AFFFILE = {rules})".encode()
        )
        step = made("ispell", dictfile=words_file, afffile=rules)
        wanted = postgres.execute(
            "SELECT ts_lexize('tw_files', w) FROM unnest(%s::text[]) WITH ORDINALITY AS x(w, i) ORDER BY i",
            (words,),
        ).fetchall()
        for word, (theirs,) in zip(words, wanted, strict=True):
            mine = chains.lexized(step, word)
            assert (None if mine is None else list(mine)) == theirs, (words_file, rules, word)
    postgres.execute("DROP TEXT SEARCH DICTIONARY IF EXISTS tw_files")
