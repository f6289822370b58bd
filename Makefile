# Two commands do everything on a machine with Python 3.11 or newer and make:
#   make demo   set up, train by self-play for about a minute, measure the result exactly, write the designer's report
#   make test   set up, run all tests
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
DEMO := runs/demo

.PHONY: help setup demo test lint docs bench clean

help:
	@sed -n 's/^#   //p' Makefile

setup: $(READY)

$(READY): pyproject.toml constraints.txt
	@echo "Setting up $(VENV): a few minutes the first time"
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed; say make PYTHON=...")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[train,dev]' -c constraints.txt
	@touch $(READY)

demo: $(READY)
	$(BIN)/duel train configs/train/hogwarts.toml --output $(DEMO) --resume
	$(BIN)/duel evaluate $(DEMO)
	$(BIN)/duel report hogwarts --skills 60 60 --output $(DEMO)/report
	@echo "Everything is in $(DEMO): the policy (policy.safetensors), the metrics (metrics.csv, tensorboard/), the evaluation (evaluation.json),"
	@echo "and the report on the rules: open report/ in a browser."
	@echo "Train anew after: rm -r $(DEMO)"

test: $(READY)
	$(BIN)/python -m pytest

lint: $(READY)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/codespell
	$(BIN)/python -m duel_env.docs --check

docs: $(READY)
	$(BIN)/python -m duel_env.docs

bench: $(READY)
	$(BIN)/duel bench

clean:
	rm -rf $(VENV) build dist *.egg-info
