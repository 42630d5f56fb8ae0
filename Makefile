# Everything runs from a virtual environment of the project's own, with the tested set of packages.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
LOWEST_TRL := 1.14.2
LOWEST := .venvs/trl-$(LOWEST_TRL)
DEEPSPEED := .venvs/deepspeed
VLLM := .venvs/vllm
INSTALLED := $(VENV)/.installed
FAST := -n 2 --dist worksteal -m "not slow and not vllm"
export HF_HUB_DISABLE_TELEMETRY = 1
export PIP_DISABLE_PIP_VERSION_CHECK = 1
# Hundreds of processes of a run read the same files: they keep what they compile, whatever the shell says.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help demo test coverage test-slow test-trl test-deepspeed test-vllm lint types format clean mutants bench bench-vllm

help:  ## show this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

demo: $(INSTALLED)  ## train the embedded model with GFPO, in about a minute
	$(BIN)/gpo train gfpo --filter length

test: $(INSTALLED)  ## run the fast test suite
	$(BIN)/python -m pytest $(FAST)

coverage: $(INSTALLED)  ## run the fast test suite and list the lines that it does not run
	$(BIN)/python -m pytest $(FAST) --cov --cov-report=term-missing

test-slow: $(INSTALLED)  ## run the tests that train for minutes
	$(BIN)/python -m pytest -n 2 --dist loadfile -m "slow and not vllm and not deepspeed"

test-trl: test test-trl-lowest  ## run the suite on the highest and the lowest supported TRL

test-trl-lowest: $(LOWEST)/.installed  ## run the suite on the lowest supported TRL alone, with coverage
	$(LOWEST)/bin/python -m pytest $(FAST) --cov --cov-report=term

test-deepspeed: $(DEEPSPEED)/.installed  ## run the slow tests with DeepSpeed on the CPU (needs a C++ compiler)
	$(DEEPSPEED)/bin/python -m pytest -m deepspeed

test-vllm: $(VLLM)/.installed  ## run the tests with real vLLM on the CPU (makes an environment of 3 GB)
	$(VLLM)/bin/python -m pytest -m vllm

lint: $(INSTALLED)  ## check style
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(INSTALLED)  ## check types
	$(BIN)/mypy

format: $(INSTALLED)  ## rewrite the source in the house format
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

mutants: $(VENV)/.mutants  ## put faults into a copy of the core and list what no test notices (SAMPLE=100 SEED=0)
	nice -n 10 $(BIN)/python -m tests.mutants --sample $(or $(SAMPLE),100) --seed $(or $(SEED),0)

bench: $(INSTALLED)  ## measure against TRL (makes two more environments; about an hour)
	$(BIN)/python -m benchmarks

bench-vllm: $(INSTALLED) $(VLLM)/.installed  ## measure races on vLLM (about a quarter of an hour); results in benchmarks/vllm.md
	$(BIN)/python -m benchmarks.vllm_races

clean:  ## remove the environments and caches
	rm -rf $(VENV) .venvs .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage
	find gpocli tests plugins examples benchmarks -name __pycache__ -prune -exec rm -rf {} +

$(INSTALLED): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet -c constraints.txt -e '.[dev]'
	touch $@

$(VENV)/.mutants: $(INSTALLED)
	$(BIN)/python -m pip install --quiet -c constraints.txt -e '.[dev,mutants]'
	touch $@

# The same environment with an older TRL in front of it.
$(LOWEST)/.installed: $(INSTALLED)
	$(PYTHON) -m venv $(LOWEST)
	$(BIN)/python -c "import sysconfig; print(f'import site; site.addsitedir({sysconfig.get_path(\"purelib\")!r})')" > \
		"$$($(LOWEST)/bin/python -c "import sysconfig; print(sysconfig.get_path('purelib'))")/base.pth"
	$(LOWEST)/bin/python -m pip install --quiet --no-deps trl==$(LOWEST_TRL)
	touch $@

# And one with DeepSpeed, which every run would import if it stood beside the others.
$(DEEPSPEED)/.installed: $(INSTALLED)
	$(PYTHON) -m venv $(DEEPSPEED)
	$(BIN)/python -c "import sysconfig; print(f'import site; site.addsitedir({sysconfig.get_path(\"purelib\")!r})')" > \
		"$$($(DEEPSPEED)/bin/python -c "import sysconfig; print(sysconfig.get_path('purelib'))")/base.pth"
	$(DEEPSPEED)/bin/python -m pip install --quiet -c constraints.txt deepspeed
	touch $@

# vLLM brings versions of its own, so its environment shares nothing with the others.
$(VLLM)/.installed: pyproject.toml requirements-vllm.txt
	$(PYTHON) -m venv $(VLLM)
	$(VLLM)/bin/python -m pip install --quiet --no-deps -r requirements-vllm.txt -e .
	touch $@
