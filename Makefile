# Every command of the project; continuous integration runs the same ones. `make` lists them.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
# Everything, and of it what the wheel itself asks for, at the same versions.
CONSTRAINTS := constraints/constraints.txt
RUNTIME := constraints/runtime.txt

# The first of these that runs and is 3.11 or 3.12 makes the venv; `make setup PYTHON=…` names another.
PYTHON ?= $(shell for p in python3 python3.12 python3.11; do \
	"$$p" -c 'import sys; sys.exit((3, 11) > sys.version_info[:2] or sys.version_info[:2] > (3, 12))' 2>/dev/null && echo "$$p" && break; done)

SOURCES := policyscaler $(wildcard providers scripts benchmarks tests)
TESTS ?= tests

.PHONY: help setup fmt lint types test acceptance demo bench build aws-data verify check deflake clean constraints

help: ## list the commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: $(STAMP) ## make .venv and install everything, pinned and hashed

$(STAMP): pyproject.toml $(CONSTRAINTS)
	@[ -n "$(PYTHON)" ] || { echo "policyscaler needs Python 3.11 or 3.12: install one, or run: make setup PYTHON=/path/to/python3.12" >&2; exit 1; }
	@[ -x $(BIN)/python ] || { echo "$(PYTHON) -m venv $(VENV)"; $(PYTHON) -m venv $(VENV); } || \
		{ rm -rf $(VENV); echo "this Python cannot make a venv: install its venv package (Debian, Ubuntu: python3-venv)" >&2; exit 1; }
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-input --require-hashes -r $(CONSTRAINTS)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-input --no-deps --no-build-isolation --no-index -e .
	@touch $@

fmt: setup ## format the code and apply the safe fixes
	$(BIN)/ruff check --fix-only --quiet $(SOURCES)
	$(BIN)/ruff format $(SOURCES)

lint: setup ## ruff, import contracts, spelling, generated files unchanged
	$(BIN)/ruff format --check $(SOURCES)
	$(BIN)/ruff check $(SOURCES)
	$(BIN)/lint-imports
	$(BIN)/codespell
	@$(MAKE) verify

types: setup ## mypy, strict, on all that is shipped or run by hand
	$(BIN)/mypy policyscaler providers scripts benchmarks

test: setup ## the whole suite, in parallel and in random order
	$(BIN)/pytest -n auto $(TESTS)

demo: setup ## example 01: fifteen pods arrive, a node comes and goes
	$(BIN)/policyscaler simulate examples/01-inflate

acceptance: setup ## the tests of acceptance cases, and the table of those that pass
	$(BIN)/pytest -q -n auto --acceptance-table=docs/acceptance.md $(TESTS)

RUNS ?= 10

deflake: setup ## the suite again and again, in new orders and with new examples, until it fails; RUNS=10
	@for run in $$(seq $(RUNS)); do \
		echo "run $$run of $(RUNS): $(BIN)/pytest -q -n auto --hypothesis-profile explore $(TESTS)"; \
		$(BIN)/pytest -q -n auto --hypothesis-profile explore $(TESTS); done

BENCHMARKS := $(sort $(wildcard benchmarks/bench_*.py))

bench: setup ## cost, time and memory against the baselines, with the LP bound; nothing is asserted
	@for script in $(BENCHMARKS); do echo "$(BIN)/python $$script"; PYTHONPATH=. $(BIN)/python "$$script"; done

build: setup ## sdist and wheel into dist/
	$(BIN)/python -m build --no-isolation --outdir dist .

SOURCE ?=

aws-data: setup ## the AWS provider's data files anew, from a folder of CSV files; SOURCE=folder
	@[ -n "$(SOURCE)" ] || { echo "name the folder of CSV files: make aws-data SOURCE=folder" >&2; exit 1; }
	$(BIN)/python scripts/build_aws_data.py $(SOURCE)

# Each script writes its files; with --check it changes nothing and fails where they differ.
GENERATORS := $(wildcard scripts/generate_*.py)

verify: setup ## generated files are what their scripts write
	@for script in $(GENERATORS); do echo "$(BIN)/python $$script --check"; $(BIN)/python "$$script" --check; done

check: ## everything that continuous integration runs, cheapest first
	@$(MAKE) lint
	@$(MAKE) types
	@$(MAKE) test

RESOLVE = CUSTOM_COMPILE_COMMAND="make constraints" $(BIN)/pip-compile --quiet --strip-extras --allow-unsafe \
	--generate-hashes --annotation-style line --no-build-isolation --no-emit-options --no-emit-index-url \
	--no-emit-trusted-host --no-emit-find-links

# Resolved on 3.11: some packages' newest releases have left it, and what runs there runs on 3.12 too.
constraints: setup ## resolve and hash the dependencies anew (takes minutes)
	@$(BIN)/python -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))' || \
		{ echo "constraints are resolved on Python 3.11: make clean, then make constraints PYTHON=python3.11" >&2; exit 1; }
	$(RESOLVE) --upgrade --extra dev --extra bench --output-file $(CONSTRAINTS) pyproject.toml
	$(RESOLVE) --constraint $(CONSTRAINTS) --output-file $(RUNTIME) pyproject.toml

clean: ## remove what the other commands made, the venv too
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis .coverage
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
