# Every target first brings up to date what it needs (tests/setup): in .venv and .deps, nowhere else.
PYTHON ?= python3
export PYTHON
# Tests that run beside each other; what measures time is surest alone.
JOBS ?= 0

SETUP = @tests/setup/setup.sh
RUN = .venv/bin/python

.PHONY: help setup demo test lint format bench env install ci
help:
	@echo 'make demo     a real Pi session, resumed in Neovim (offline, leaves nothing behind)'
	@echo 'make test     all tests on one Neovim and one Pi; ARGS="…" goes to pytest, JOBS=3 runs three at a time;'
	@echo '              .ci/run: the whole matrix'
	@echo 'make lint     ruff, mypy, stylua, luacheck, help tags; make format: ruff and stylua, writing'
	@echo 'make bench    the numbers, beside the real Pi; ARGS="…" goes to it'
	@echo 'make env      paths of the tools that the tests use (make -s env)'
	@echo 'make setup    only the set-up, all of it;  make install: what the plugin itself needs'

setup:
	$(SETUP)

install:
	@$(PYTHON) pivi/install.py

demo:
	$(SETUP) python pi
	@exec $(RUN) -m tests.demo $(ARGS)

test:
	$(SETUP)
	@$(RUN) -m pytest -n $(JOBS) $(ARGS)

bench:
	$(SETUP) python pi
	@$(RUN) -m tests.bench $(ARGS)

env:
	$(SETUP)
	@$(RUN) -m tests.support.tools

lint:
	$(SETUP)
	@tests/setup/lint.sh

format:
	$(SETUP) python lint
	@tests/setup/lint.sh --fix

ci:
	@.ci/run
