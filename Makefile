# The verbs of this project, the same here and in CI. Every verb that needs the environment makes it first.
.DEFAULT_GOAL := help
.PHONY: help setup demo test lint types docs bench bench-quality soak lock wheel clean

PY := .venv/bin/python
# Two workers for two cores; more than four only fight over the disk. Override: make test PYTEST_ARGS="-x -k chain"
PYTEST_ARGS ?= -n auto --maxprocesses 4 --dist loadscope
BENCH ?= embedded
BENCH_ARGS ?=

help:  ## list the verbs
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "make %-13s %s\n", $$1, $$2}' Makefile

setup:  ## make or refresh .venv from requirements.lock; silent when nothing changed
	@sh scripts/setup_venv.sh

demo: setup  ## tell a three-week story, remember it, answer from it
	@.venv/bin/hindsight-graph demo

test: setup  ## run the test suite
	@$(PY) -m pytest $(PYTEST_ARGS)

lint: setup  ## ruff check, ruff format --check, import rules
	@$(PY) -m ruff check .
	@$(PY) -m ruff format --check .
	@.venv/bin/lint-imports

types: setup  ## pyright, strict
	@.venv/bin/basedpyright

docs: setup  ## regenerate the generated pages of docs/
	@$(PY) scripts/generate_docs.py
	@$(PY) scripts/make_browser_files.py

bench: setup  ## run a bench: make bench BENCH=embedded BENCH_ARGS="--json"
	@$(PY) -m bench.$(BENCH) $(BENCH_ARGS)

bench-quality: setup  ## what is found, beside plain search and peers: BENCH_ARGS="--own --no-peers"
	@$(PY) -m bench.quality $(BENCH_ARGS)

soak: setup  ## five minutes of 50 clients: does the service's memory grow?
	@$(PY) -m bench.serve --seconds 300

lock: setup  ## resolve requirements.lock anew, for every Python and platform
	@sh scripts/lock.sh

wheel: setup  ## build dist/*.whl and check what is inside
	@$(PY) scripts/check_wheel.py --out dist

clean:  ## remove everything that can be made again
	@rm -rf .venv .venv-peers build dist .pytest_cache .ruff_cache .hypothesis .import_linter_cache .mypy_cache
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
