"""sqllogictest: suites by feature in `suites/`, and a runner for the dialects that others write.

`format.py` reads files into records, `compare.py` says whether a result is the expected one,
`runner.py` sends records to a server, and `python -m slt` puts them together.
"""
