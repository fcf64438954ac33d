# Each target makes what it needs: an environment in .venv, the package, its extras.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check

# The evaluation data, if it lies beside the checkout; tests that need it skip where it is absent.
export VBN_DATA ?= $(abspath $(wildcard ../shared/data))

.PHONY: demo explore test test-ray test-pythons pages lint types imports unit doctest soak bench reproduce amounts results docs package oldest clean

demo: $(VENV)/.base
	$(BIN)/vbn demo
	@echo "From this checkout: make explore"

# The demo's model in a browser.
explore: $(VENV)/.serve vbn-demo-model
	$(BIN)/vbn serve vbn-demo-model --open

vbn-demo-model: | $(VENV)/.base
	$(BIN)/vbn demo

test: lint types imports unit doctest

lint: $(VENV)/.test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.test
	$(BIN)/mypy

imports: $(VENV)/.test
	$(BIN)/lint-imports

unit: $(VENV)/.test
	$(BIN)/python -m pytest

# The quick part of the tests with every Python from 3.11 to 3.13 on this machine, pyenv's too. make test-pythons OTHERS=1
# leaves out the one of $(VENV), which runs all tests anyway.
test-pythons: $(VENV)/bin/python
	$(BIN)/python scripts/pythons.py $(if $(OTHERS),--others)

# Ray is large, so that only this target asks for it; elsewhere its tests are skipped.
test-ray: $(VENV)/.ray
	$(BIN)/python -m pytest tests/engines tests/model/test_seams.py tests/model/test_content.py tests/model/test_mixture.py

# Hours: new examples for every property, random files for every reader, memory over a million queries.
soak: $(VENV)/.soak
	$(BIN)/python -m tests.soak.endurance
	$(BIN)/python -m tests.soak.fuzz
	VBN_TESTS=soak $(BIN)/python -m pytest

doctest: $(VENV)/.test
	$(BIN)/python -m pytest --doctest-modules --doctest-glob='*.md' --ignore=reproduction/tests src reproduction README.md docs

# Speed as ratios to peers and to the memory floor; a quarter of an hour. make bench ROWS="kernel sampling"
bench: $(VENV)/.bench
	$(BIN)/python -m reproduction.bench $(ROWS) $(if $(VBN_DATA),--data '$(VBN_DATA)') --out benchmarks/results/bench-$(shell date +%F).json

# The paper's tables and today's rivals; an hour or an hour and a half on 2 cores with SEEDS=3, more with five. make reproduce DOMAIN=movies OUT=report
DOMAIN ?= all
OUT ?= report
SEEDS ?= 5

reproduce: $(VENV)/.test
	$(BIN)/python -m reproduction $(DOMAIN) --data '$(VBN_DATA)' --out '$(OUT)' --seeds $(SEEDS)

# Score against the amount of data, as a part of that report; hours, with three seeds.
amounts: $(VENV)/.test
	$(BIN)/python -m reproduction amounts --data '$(VBN_DATA)' --out '$(OUT)'

# A finished report into docs/results, its table and picture into the README, its claims into docs/evidence.md.
results: $(VENV)/.test
	$(BIN)/python scripts/results.py '$(OUT)'

# The generated parts of the documentation: parameters, verbs of the command line, notebooks.
pages: $(VENV)/.test
	$(BIN)/python scripts/parameter_table.py
	$(BIN)/python scripts/cli_page.py
	$(BIN)/python scripts/notebooks.py

docs: $(VENV)/.docs
	$(BIN)/mkdocs build --strict

# Wheel and sdist, each extra in a clean environment, licences, bill of materials.
package:
	$(PYTHON) scripts/package.py

# The tests with the oldest versions that the lower bounds allow, and the newest tools of the tests that leave these as they
# are. schemathesis asks for a newer rich, so that its test is skipped. Old packages warn of what newer ones beside them
# give up; that is no fault here.
oldest: .venv-oldest/.done
	.venv-oldest/bin/python -m pytest -W default

.venv-oldest/.done: pyproject.toml
	rm -rf .venv-oldest
	$(PYTHON) -m venv .venv-oldest
	.venv-oldest/bin/python -m pip --quiet install uv
	.venv-oldest/bin/uv pip install --quiet --python .venv-oldest/bin/python --resolution lowest-direct \
	  --editable '.[tables,plot,sklearn,gensim,data,tune,phenotypes,baselines,reproduce,serve]'
	.venv-oldest/bin/uv pip freeze --quiet --python .venv-oldest/bin/python --exclude-editable > .venv-oldest/oldest.txt
	.venv-oldest/bin/uv pip install --quiet --python .venv-oldest/bin/python --constraint .venv-oldest/oldest.txt \
	  pytest hypothesis selenium axe-core-python numpyro
	@touch $@

clean:
	rm -rf $(VENV) .venv-* build dist site .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find src reproduction tests benchmarks scripts -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "vbn needs Python 3.11 or newer; set PYTHON=/path/to/python3.11"; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.base: $(VENV)/bin/python pyproject.toml
	@echo "installing vbn into $(VENV) ..."
	$(PIP) install --no-compile --editable .
	@touch $@

$(VENV)/.serve: $(VENV)/bin/python pyproject.toml
	@echo "installing vbn and what its explorer needs into $(VENV) ..."
	$(PIP) install --editable '.[serve]'
	@touch $@ $(VENV)/.base

$(VENV)/.test: $(VENV)/bin/python pyproject.toml
	@echo "installing vbn and what its tests need into $(VENV) ..."
	$(PIP) install --editable '.[test]'
	@touch $@ $(VENV)/.base

$(VENV)/.ray: $(VENV)/.test
	@echo "installing Ray into $(VENV) ..."
	$(PIP) install --editable '.[ray]'
	@touch $@

$(VENV)/.soak: $(VENV)/.test
	@echo "installing what draws random files into $(VENV) ..."
	$(PIP) install --editable '.[soak]'
	@touch $@

$(VENV)/.bench: $(VENV)/bin/python pyproject.toml
	@echo "installing vbn and the peers that it is measured against into $(VENV) ..."
	$(PIP) install --editable '.[bench]'
	@touch $@ $(VENV)/.base

$(VENV)/.docs: $(VENV)/bin/python pyproject.toml
	@echo "installing vbn and what its documentation needs into $(VENV) ..."
	$(PIP) install --editable '.[docs]'
	@touch $@ $(VENV)/.base
