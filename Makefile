# Two commands set everything up: `make serve` and `make test`.
# The fastest Python on the PATH that will do, unless you say which: make serve PYTHON=python3.12
PYTHON ?= $$(python3 tidewire/interpreters.py)
VENV := .venv
BIN := $(VENV)/bin

.PHONY: serve test test-spark bench-spark check lint types imports compat soak bench bench-full demo lock clean

$(VENV)/.installed: requirements.lock pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check -r requirements.lock
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps -e .
	@touch $@

# make serve ARGS="--data-dir /var/lib/tidewire --listen 127.0.0.1:5488"
serve: $(VENV)/.installed
	$(BIN)/tidewire serve $(ARGS)

# Everything that must hold before a change goes in. psql, pgbench and PostgreSQL are used where they are
# installed; tests that need them are skipped with a message where they are not. A process for each core, up to four:
# each has servers of its own, and a file of tests stays in one.
test: check
	$(BIN)/pytest -n auto --maxprocesses 4 --dist loadfile -m "not soak" $(ARGS)

# The tests that need Spark: Java 17 or newer on the PATH, PySpark in an environment of its own, and PostgreSQL's JDBC
# driver (found, or Debian's package unpacked into .cache/).
SPARK_VENV := .venv-spark
$(SPARK_VENV)/.installed: requirements.lock pyproject.toml
	$(PYTHON) -m venv $(SPARK_VENV)
	$(SPARK_VENV)/bin/pip install --quiet --disable-pip-version-check -r requirements.lock 'pyspark>=4.3,<5' 'tpchgen-cli>=4'
	$(SPARK_VENV)/bin/pip install --quiet --disable-pip-version-check --no-deps -e .
	@touch $@

test-spark: $(SPARK_VENV)/.installed
	$(SPARK_VENV)/bin/python -m tests.pipeline.jdbc_driver
	$(SPARK_VENV)/bin/pytest tests/pipeline -m "not soak" -o timeout=0 $(ARGS)

# Spark in and out of Tidewire beside bare Parquet and JDBC to PostgreSQL; writes bench/spark.*
bench-spark: $(SPARK_VENV)/.installed
	$(SPARK_VENV)/bin/python -m tests.pipeline.jdbc_driver
	$(SPARK_VENV)/bin/python -m bench.spark --save $(ARGS)

check: lint types imports

lint: $(VENV)/.installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.installed
	$(BIN)/mypy

imports: $(VENV)/.installed
	$(BIN)/lint-imports

# Writes docs/functions.md (which of PostgreSQL's functions and operators are there), then runs other projects' own
# test-suites on Tidewire and on PostgreSQL and writes their table into docs/compatibility.md. One of them:
# make compat ARGS="--only asyncpg"; sqllogictest files: ARGS="--sqllogictest DIR".
compat: $(VENV)/.installed
	$(BIN)/python docs/compatibility/functions.py
	$(BIN)/python -m docs.compatibility.suites $(ARGS)

# The long runs: simulated histories, real processes killed and started again.
soak: $(VENV)/.installed
	$(BIN)/pytest -m soak -o timeout=0 $(ARGS)

# Tidewire beside PostgreSQL, DuckDB and SlateDB on this machine; writes bench/results.* and bench/plots/. One workload:
# make bench ARGS="--only 'pgbench -S prepared c8'", its profile: ARGS="--only ... --profile /tmp/profiles"
BENCH_VENV := .venv-bench
$(BENCH_VENV)/.installed: requirements.lock pyproject.toml
	$(PYTHON) -m venv $(BENCH_VENV)
	$(BENCH_VENV)/bin/pip install --quiet --disable-pip-version-check -r requirements.lock 'matplotlib>=3.11' 'slatedb>=0.17,<0.18' 'tpchgen-cli>=4'
	$(BENCH_VENV)/bin/pip install --quiet --disable-pip-version-check --no-deps -e .
	@touch $@

bench: $(BENCH_VENV)/.installed
	$(BENCH_VENV)/bin/python -m bench $(ARGS)

bench-full: $(BENCH_VENV)/.installed
	$(BENCH_VENV)/bin/python -m bench --full --explain $(ARGS)

# The README's tour, on a real data set.
demo: $(VENV)/.installed
	$(BIN)/tidewire demo

# Writes requirements.lock anew from pyproject.toml (needs uv).
lock:
	uv pip compile --quiet --universal --python-version 3.11 --extra dev --extra demo --no-header --no-annotate --no-emit-index-url pyproject.toml -o requirements.lock

clean:
	rm -rf $(VENV) $(SPARK_VENV) $(BENCH_VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
