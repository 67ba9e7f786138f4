# The two commands of the README, and their parts.
#
#   make demo [DEVICE=cuda]     sets up, then runs the examples on real data
#   make test                   sets up, then checks what a change can break
#   make nightly                runs all tests, in slices
#
# The environment lies in .venv, with the torch that most is run with, and on NPUs the torch_npu of
# that.  To use another Python or torch: make test PYTHON=python3.12 TORCH='torch==2.11.*'.
#
# torch is a build for the CPU where the index of these can be reached (CPU_BUILDS=https://... names
# a mirror, CPU_BUILDS= looks at none), else the build that pip finds, which may be one for CUDA.
# TORCH=./torch-2.13.0+cpu-....whl takes a file.  With DEVICE=cuda the environment is .venv-cuda,
# with pip's own torch.
#
# With DEVICE=npu the environment is .venv-npu, which has torch_npu.  Where CANN is set up, the NPUs
# are the machine's own; elsewhere CANN is emulated.  Only Linux has torch_npu, so make test leaves
# that part (make npu) out on other systems, and everywhere with NPU=.  It also leaves it out, and
# says so, where torch is a build for CUDA, beside which torch_npu cannot be; with REQUIRE_NPU=1 that
# is a failure.

PYTHON ?= python3
TORCH ?= torch==2.13.0
DEVICE ?=
EXAMPLES ?= 20
VERSIONS ?= 2025.12
JOBS ?= 2
MODE ?=
FUSION ?=
NPU ?= $(filter Linux,$(shell uname -s))

comma := ,
ON_NPU := $(filter npu%,$(DEVICE))
ON_CUDA := $(filter cuda%,$(DEVICE))
CPU_BUILDS ?= $(if $(ON_CUDA),,https://download.pytorch.org/whl/cpu)
VENV ?= .venv$(if $(ON_NPU),-npu)$(if $(ON_CUDA),-cuda)
EXTRAS := $(if $(ON_NPU),npu$(comma)$(if $(FUSION),fusion$(comma)))

BIN := $(VENV)/bin
STAMP := $(VENV)/.installed-
# All pages are read anew: what a warning was about in an earlier run is a warning again.
SPHINX = $(BIN)/python -m sphinx -W --keep-going -n -q -E -a -j $(JOBS) -d docs/_build/doctrees
# A script that runs on several devices: here on two processes of the CPU.
PROCESSES = OMP_NUM_THREADS=1 $(BIN)/python -m torch.distributed.run --nproc-per-node 2
# A script on NPUs gets emulated ones where there is no CANN, and torch_npu may not go to the CPU.
SCRIPT := $(if $(ON_NPU),TORCH_NPU_FALLBACK_CPU_DISABLE=1 )$(BIN)/python \
    $(if $(ON_NPU),-m conformance.cann_emulator)

# pip would try an index that does not answer for minutes: it gets ten seconds first.
ANSWERS = $(BIN)/python -c 'import signal, urllib.request as u; signal.alarm(10); \
    u.urlopen("$(CPU_BUILDS)/torch/")' 2>/dev/null

# Each process computes with one thread: two with two each would wait for each other.
PYTEST = OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n $(JOBS) --dist worksteal -q
# Without bytecode each process that a test starts would compile the package, and each worker
# rewrite the assertions of all tests, anew: a second of each process, and fifteen of each worker.
unexport PYTHONDONTWRITEBYTECODE
# The tests marked nightly too, all items in place of drawn ones, and twice as many examples.
WHOLE = AAA_TEST_EXAMPLES=2 $(PYTEST) -m "nightly or not nightly"
# torch_npu without its own start, and without work on the CPU that nobody sees.
STRICT_NPU = TORCH_DEVICE_BACKEND_AUTOLOAD=0 TORCH_NPU_FALLBACK_CPU_DISABLE=1
# Where tests that run on NPUs are marked npu; all in backends/npu are.
NPU_TESTS = tests/backends/npu tests/array tests/chapters tests/samples tests/docs

# The slices of a nightly run.
NIGHTLY := chapters samples suite array tools devices npu npu-shared npu-functions npu-compiled \
    meshes emulator

.PHONY: demo test lint types unit conformance examples-run npu npu-ready npu-unit npu-where-ready \
    npu-in-test nightly $(NIGHTLY:%=nightly-%) nightly-slices npu-whole emulator-whole \
    docs docs-links consumers \
    op-plugin run-op-plugin bench mutants arm clean

demo: $(STAMP)$(EXTRAS)demo
	$(SCRIPT) examples/demo.py $(if $(DEVICE),--device $(DEVICE))
	$(if $(DEVICE),,$(PROCESSES) examples/sharded.py)

# What one process does runs two at a time.
test: $(STAMP)test $(STAMP)demo
	$(MAKE) --jobs $(JOBS) --output-sync types conformance lint demo
	$(MAKE) unit $(if $(NPU),npu-in-test)

# The suite and the special cases on an emulated ARM processor; Debian's packages go into .arm.
arm: $(STAMP)test
	$(BIN)/python tools/arm.py --folder .arm --examples $(EXAMPLES)

# What needs torch_npu, in an environment of its own.
npu:
	$(MAKE) --jobs $(JOBS) DEVICE=npu npu-unit conformance

npu-in-test:
	@$(MAKE) DEVICE=npu npu-where-ready

# Exit code 2 says that torch_npu cannot be imported beside this torch, and what to do.
npu-where-ready: $(STAMP)$(EXTRAS)test
	@$(BIN)/python -m conformance ready --device npu; \
	status=$$?; \
	if [ $$status -eq 0 ]; then $(MAKE) npu; \
	elif [ $$status -eq 2 ]; then \
	    echo "!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!"; \
	    echo "!!!!  NOTHING RAN ON NPUS: torch_npu cannot be imported.  Why, and     !!!!"; \
	    echo "!!!!  what mends it, says the line above.  The pip is that of $(VENV)."; \
	    echo "!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!"; \
	    if [ -n "$(REQUIRE_NPU)" ]; then exit 2; fi; \
	else exit $$status; fi

# A line that says why, and no abort, where torch_npu cannot be imported beside this torch.
npu-ready: $(STAMP)$(EXTRAS)test
	@$(BIN)/python -m conformance ready --device npu

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(STAMP)%: $(BIN)/python pyproject.toml
	@if [ -z "$(CPU_BUILDS)" ]; then also=; \
	elif $(ANSWERS); then also="--extra-index-url $(CPU_BUILDS)"; \
	else also=; echo "$(CPU_BUILDS) does not answer: torch is the build that pip finds elsewhere."; fi; \
	set -x; $(BIN)/python -m pip install --quiet "$(TORCH)" $$also
	$(BIN)/python -m pip install --quiet --editable ".[$*]" $(if $(ON_NPU),"$(TORCH)")
	touch $@

lint: $(STAMP)test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/python tools/lines.py

types: $(STAMP)test
	$(BIN)/mypy

unit: $(STAMP)test
	$(PYTEST) tests

npu-unit: npu-ready
	$(STRICT_NPU) $(PYTEST) --device npu -m "npu and not nightly" $(NPU_TESTS)

# All tests.  .ci/run takes one slice of them after make test, by turns.
nightly: $(NIGHTLY:%=nightly-%)

nightly-slices:
	@echo $(NIGHTLY)

nightly-array nightly-chapters nightly-meshes nightly-samples: nightly-%: $(STAMP)test
	$(WHOLE) tests/$*

nightly-devices: $(STAMP)test
	$(WHOLE) tests/backends tests/routes tests/packaging

# What is beside the package: commands, site, examples.
nightly-tools: $(STAMP)test docs examples-run
	$(WHOLE) conformance/tests workshop/tests tools/tests benchmarks/tests tests/docs

nightly-suite:
	$(MAKE) conformance VERSIONS="2023.12 2024.12 2025.12" EXAMPLES=30
	$(MAKE) DEVICE=npu conformance VERSIONS="2023.12 2024.12 2025.12"

# On NPUs, five slices: tests of NPUs alone, many of which start processes; those that run on every
# device; functions one by one; compiled and fused code, with a Triton (54 MB), which Inductor asks
# for, and without which these tests are skipped; the emulator and what runs on it.
NPU_FUNCTIONS := $(wildcard tests/backends/npu/test_npu_against_*.py tests/backends/npu/test_npu_gradients.py)
NPU_COMPILED := $(wildcard tests/backends/npu/test_npu_compile.py tests/backends/npu/test_npu_lazy.py)
NPU_EMULATOR := $(wildcard tests/backends/npu/test_npu_chip_*.py tests/backends/npu/test_npu_cells.py)
NPU_ALONE := $(filter-out $(NPU_FUNCTIONS) $(NPU_COMPILED) $(NPU_EMULATOR),\
    $(wildcard tests/backends/npu/test_*.py))

nightly-npu:
	$(MAKE) DEVICE=npu NPU_PART='$(NPU_ALONE)' npu-whole

nightly-npu-shared:
	$(MAKE) DEVICE=npu NPU_PART='$(filter-out tests/backends/npu,$(NPU_TESTS))' npu-whole

nightly-npu-functions:
	$(MAKE) DEVICE=npu NPU_PART='$(NPU_FUNCTIONS)' npu-whole

nightly-npu-compiled:
	$(MAKE) DEVICE=npu FUSION=1 NPU_PART='$(NPU_COMPILED)' npu-whole

npu-whole: npu-ready
	$(STRICT_NPU) $(WHOLE) --device npu -m npu $(NPU_PART)

nightly-emulator:
	$(MAKE) DEVICE=npu emulator-whole

emulator-whole: npu-ready examples-run
	$(STRICT_NPU) $(WHOLE) --device npu -m npu $(NPU_EMULATOR)
	$(STRICT_NPU) $(WHOLE) tests/backends/test_older_npus.py conformance/tests/test_cann_emulator.py
	$(WHOLE) conformance/tests/test_cann_emulator_modes.py conformance/tests/test_hardware.py \
	    workshop/tests/test_op_plugin.py

# Exit code 2 says that the suite could not be had, which is no failure of the package's.
conformance: $(STAMP)$(EXTRAS)test $(if $(ON_NPU),npu-ready)
	@$(BIN)/python -m conformance $(if $(DEVICE),--device $(DEVICE)) \
	    --version $(VERSIONS) --max-examples $(EXAMPLES) --jobs $(JOBS) \
	    --report conformance-report$(if $(ON_NPU),-npu); \
	status=$$?; \
	if [ $$status -eq 2 ]; then \
	    echo "!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!"; \
	    echo "!!!!  CONFORMANCE DID NOT RUN: the upstream suite could not be had.   !!!!"; \
	    echo "!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!"; \
	    if [ -n "$(REQUIRE_CONFORMANCE)" ]; then exit 2; fi; \
	elif [ $$status -ne 0 ]; then exit $$status; fi

# SciPy and scikit-learn need Python 3.11.
examples-run: $(STAMP)$(EXTRAS)test $(if $(ON_NPU),npu-ready)
	@if $(BIN)/python -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then \
	    for example in demo gallery scipy_statistics sklearn_pipeline compiled_fit; do \
	        echo "--- examples/$$example.py"; \
	        $(SCRIPT) examples/$$example.py $(if $(DEVICE),--device $(DEVICE)) || exit; \
	    done; \
	    $(if $(DEVICE),:,$(PROCESSES) examples/sharded.py); \
	else echo "The examples did not run: they need Python 3.11."; fi

# Which of MUTANTS drawn changes of a line no test finds, with DEVICE=npu of the backend of NPUs and
# the tests on them: hours with two processes.
MUTANTS ?= 400
mutants: $(STAMP)$(EXTRAS)mutants$(comma)test
	$(BIN)/python tools/mutants.py baseline --work .mutants --jobs $(JOBS) --device $(or $(DEVICE),cpu)
	$(BIN)/python tools/mutants.py judge --work .mutants --jobs $(JOBS) --count $(MUTANTS)

# Every warning is an error, a reference that leads nowhere included.  Sphinx needs Python 3.11.
docs: $(STAMP)test
	@if $(BIN)/python -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then \
	    $(SPHINX) -b html docs docs/_build/html && \
	    echo "The site is in docs/_build/html."; \
	else echo "The site was not built: Sphinx needs Python 3.11."; fi

# The links to other sites: for a machine with a network.
docs-links: $(STAMP)test
	$(SPHINX) -b linkcheck docs docs/_build/links

# What SciPy, scikit-learn, array-api-extra, xarray, einops, marray, Hypothesis, autoray, pyriemann,
# ccdproc, glass, DeePMD-kit, ipax, array-api-signal and drone-models test; nine minutes with two
# processes.  git clones six of them, and pip downloads the last three.
consumers: $(STAMP)$(EXTRAS)consumers$(comma)test
	$(BIN)/python -m conformance consumers $(if $(DEVICE),--device $(DEVICE)) --jobs $(JOBS) \
	    --report conformance-report$(if $(ON_NPU),-npu)

# torch_npu's own tests of its operators, over the emulated CANN, as the chip computes.
op-plugin:
	$(MAKE) DEVICE=npu run-op-plugin

run-op-plugin: $(STAMP)$(EXTRAS)test
	$(BIN)/python -m workshop op-plugin $(if $(MODE),--mode $(MODE)) --jobs $(JOBS) \
	    --report conformance-report-npu

bench: $(STAMP)test
	$(BIN)/python -m benchmarks

clean:
	rm -rf .venv .venv-npu .venv-cuda .arm .mutants build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache conformance-report conformance-report-npu \
	    docs/_build docs/reference docs/examples docs/pictures
