# The two commands of the README, and their parts.
#
#   make demo [DEVICE=cuda]     sets up, then runs the examples on real data
#   make test                   sets up, then runs everything that CI runs
#
# The environment lies in .venv.  To use another Python or torch: make test PYTHON=python3.12
# TORCH='torch==2.11.*'.

PYTHON ?= python3
TORCH ?= torch==2.13.0
VENV ?= .venv
DEVICE ?=
EXAMPLES ?= 50
JOBS ?= 2

BIN := $(VENV)/bin
STAMP := $(VENV)/.installed-

.PHONY: demo test lint types unit conformance examples-run bench clean

demo: $(STAMP)demo
	$(BIN)/python examples/demo.py $(if $(DEVICE),--device $(DEVICE))

test: lint types unit conformance examples-run

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(STAMP)%: $(BIN)/python pyproject.toml
	$(BIN)/python -m pip install --quiet "$(TORCH)"
	$(BIN)/python -m pip install --quiet --editable ".[$*]"
	touch $@

lint: $(STAMP)test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(STAMP)test
	$(BIN)/mypy

unit: $(STAMP)test
	$(BIN)/python -m pytest -n $(JOBS) -q

# Exit code 2 says that the suite could not be had, which is no failure of the package's.
conformance: $(STAMP)test
	@$(BIN)/python -m conformance $(if $(DEVICE),--device $(DEVICE)) \
	    --version 2023.12 2024.12 2025.12 --max-examples $(EXAMPLES) --jobs $(JOBS); \
	status=$$?; \
	if [ $$status -eq 2 ]; then \
	    echo "!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!"; \
	    echo "!!!!  CONFORMANCE DID NOT RUN: the upstream suite could not be had.   !!!!"; \
	    echo "!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!"; \
	    if [ -n "$(REQUIRE_CONFORMANCE)" ]; then exit 2; fi; \
	elif [ $$status -ne 0 ]; then exit $$status; fi

# SciPy and scikit-learn need Python 3.11.
examples-run: $(STAMP)test
	@if $(BIN)/python -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then \
	    $(BIN)/python examples/demo.py $(if $(DEVICE),--device $(DEVICE)); \
	else echo "The demo did not run: it needs Python 3.11."; fi

bench: $(STAMP)test
	$(BIN)/python -m benchmarks

clean:
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache conformance-report
