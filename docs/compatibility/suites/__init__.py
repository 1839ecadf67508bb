"""Other projects' own test-suites, run against Tidewire and against PostgreSQL, counted side by side.

    python -m docs.compatibility.suites                      every suite, then the table in docs/compatibility.md
    python -m docs.compatibility.suites --only asyncpg       one suite; the others' figures stay as they were
    python -m docs.compatibility.suites --table              only the table, from what was counted before

    suite.py      what a suite is: how to get it, how to run it, what came of it
    sources.py    packages and source distributions, from the package indexes into .cache/compatibility
    servers.py    a server of each kind, fresh for every suite
    table.py      suites.json, and the table that is written from it
    <others>      one suite each

No suite's files are part of this project: they are fetched from where their authors publish them, by their package
managers, and a suite that cannot be had is skipped with a message.
"""
