# The two commands of the README, and their parts.
#
#   make demo [DEVICE=cuda]     sets up, then runs the examples on real data
#   make test                   sets up, then runs everything that CI runs
#
# The environment lies in .venv.  To use another Python or torch: make test PYTHON=python3.12
# TORCH='torch==2.11.*'.
#
# With DEVICE=npu the environment is .venv-npu, which has torch_npu.  Where CANN is set up, the NPUs
# are the machine's own; elsewhere CANN is emulated.  Only Linux has torch_npu, so make test leaves
# that part (make npu) out on other systems, and everywhere with NPU=.

PYTHON ?= python3
TORCH ?= torch==2.13.0
DEVICE ?=
EXAMPLES ?= 50
JOBS ?= 2
NPU ?= $(filter Linux,$(shell uname -s))

comma := ,
ON_NPU := $(filter npu%,$(DEVICE))
VENV ?= $(if $(ON_NPU),.venv-npu,.venv)
EXTRAS := $(if $(ON_NPU),npu$(comma))

BIN := $(VENV)/bin
STAMP := $(VENV)/.installed-
# All pages are read anew: what a warning was about in an earlier run is a warning again.
SPHINX = $(BIN)/python -m sphinx -W --keep-going -n -q -E -a -j $(JOBS) -d docs/_build/doctrees
# A script on NPUs gets emulated ones where there is no CANN, and torch_npu may not go to the CPU.
SCRIPT := $(if $(ON_NPU),TORCH_NPU_FALLBACK_CPU_DISABLE=1 )$(BIN)/python \
    $(if $(ON_NPU),-m conformance.cann_emulator)

.PHONY: demo test lint types unit conformance examples-run npu npu-unit docs docs-links consumers bench clean

demo: $(STAMP)$(EXTRAS)demo
	$(SCRIPT) examples/demo.py $(if $(DEVICE),--device $(DEVICE))

test: lint types unit docs conformance examples-run $(if $(NPU),npu)

# Everything that needs torch_npu, in an environment of its own.
npu:
	$(MAKE) DEVICE=npu npu-unit conformance examples-run

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

npu-unit: $(STAMP)$(EXTRAS)test
	TORCH_DEVICE_BACKEND_AUTOLOAD=0 TORCH_NPU_FALLBACK_CPU_DISABLE=1 \
	    $(BIN)/python -m pytest -n $(JOBS) -q tests/test_cann_emulator.py tests/test_npu_*.py

# Exit code 2 says that the suite could not be had, which is no failure of the package's.
conformance: $(STAMP)$(EXTRAS)test
	@$(BIN)/python -m conformance $(if $(DEVICE),--device $(DEVICE)) \
	    --version 2023.12 2024.12 2025.12 --max-examples $(EXAMPLES) --jobs $(JOBS) \
	    --report conformance-report$(if $(ON_NPU),-npu); \
	status=$$?; \
	if [ $$status -eq 2 ]; then \
	    echo "!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!"; \
	    echo "!!!!  CONFORMANCE DID NOT RUN: the upstream suite could not be had.   !!!!"; \
	    echo "!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!"; \
	    if [ -n "$(REQUIRE_CONFORMANCE)" ]; then exit 2; fi; \
	elif [ $$status -ne 0 ]; then exit $$status; fi

# SciPy and scikit-learn need Python 3.11.
examples-run: $(STAMP)$(EXTRAS)test
	@if $(BIN)/python -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then \
	    for example in demo scipy_statistics sklearn_pipeline compiled_fit; do \
	        echo "--- examples/$$example.py"; \
	        $(SCRIPT) examples/$$example.py $(if $(DEVICE),--device $(DEVICE)) || exit; \
	    done; \
	else echo "The examples did not run: they need Python 3.11."; fi

# Every warning is an error, a reference that leads nowhere included.  Sphinx needs Python 3.11.
docs: $(STAMP)test
	@if $(BIN)/python -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then \
	    $(SPHINX) -b html docs docs/_build/html && \
	    echo "The site is in docs/_build/html."; \
	else echo "The site was not built: Sphinx needs Python 3.11."; fi

# The links to other sites: for a machine with a network.
docs-links: $(STAMP)test
	$(SPHINX) -b linkcheck docs docs/_build/links

# What SciPy, scikit-learn and array-api-extra themselves test; four minutes with two processes.
consumers: $(STAMP)$(EXTRAS)test
	$(BIN)/python -m conformance consumers $(if $(DEVICE),--device $(DEVICE)) --jobs $(JOBS) \
	    --report conformance-report$(if $(ON_NPU),-npu)

bench: $(STAMP)test
	$(BIN)/python -m benchmarks

clean:
	rm -rf .venv .venv-npu build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache conformance-report conformance-report-npu \
	    docs/_build docs/reference docs/examples
