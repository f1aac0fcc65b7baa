# stend: each of these does all its own set-up on a fresh Debian or Ubuntu machine (root or sudo, Python 3.11+).
# A word that fails beside others says so where it does, and once more at the end.
.PHONY: demo test check tests kernels needs bench share fuzz storm lint setup soak pages docs lab clean
VENV := .venv
PY := $(VENV)/bin/python
STAMP := $(VENV)/.set-up
# Tests that wait for devices leave room for others; `make check` has none of them.
WORKERS = -n $(shell echo $$(($$(nproc) + $(if $(SOME),0,3)))) --dist loadgroup --maxprocesses 8
ORDER := $(if $(CI),-p randomly) --timeout 1800 # s of one test that waits for what never comes; the others go on
LONGER := fio or block or lab or slow or over_50_ms or soak or browser
export PATH := $(PATH):/usr/sbin:/sbin
# As `stend` has it: pytest-randomly imports numpy before tests/conftest.py can say so.
export OPENBLAS_NUM_THREADS := 1
# Where it is set, each worker and each `stend` that a test starts would compile all its modules again.
export PYTHONDONTWRITEBYTECODE :=

setup: $(STAMP) ## Python packages into .venv, fio with apt; it prints each step

$(STAMP): pyproject.toml constraints.txt tools/setup
	@tools/setup $(VENV)
	@touch $(STAMP)

demo: setup ## PTS IOPS and write saturation, shortened, on a scratch file with real fio
	@tools/demo $(VENV)

needs: setup # what tests and the lab run, where it can be installed; what is missing then is counted at the end
	@tools/apt $$($(PY) tools/packages tests lab) || true

test: export STEND_TESTS_INSTALL := 1
test: needs ## everything that must hold before a change lands
	@$(MAKE) --no-print-directory -j3 kernels lint tests

check: setup ## what a change is tried with while it is made: in under a minute
	@$(MAKE) --no-print-directory -j3 kernels lint tests SOME="not ($(LONGER))"

tests: build/collected
	@$(PY) -m pytest $(WORKERS) $(ORDER) -m '$(or $(SOME),not soak and not browser) and not alone'
	@$(if $(SOME),,$(PY) -m pytest $(ORDER) -m alone)

build/collected: | setup # once, by one process: each worker would compile every module of tests for itself
	@$(PY) -m pytest --collect-only -qq > /dev/null 2>&1 || true
	@touch $@

kernels: setup # compiled beside all else; tests that are sooner wait for them
	@$(PY) -m tests.kernels

lint: setup
	@mkdir -p build
	@$(VENV)/bin/ruff format --check --quiet src tests benchmarks docs/made
	@$(VENV)/bin/ruff check --quiet src tests benchmarks docs/made
	@$(VENV)/bin/mypy > build/types.txt || { cat build/types.txt; exit 1; }
	@$(PY) tools/wording > build/wording.txt || { cat build/wording.txt; exit 1; }
	@$(VENV)/bin/lint-imports --no-cache > build/imports.txt || { cat build/imports.txt; exit 1; }

bench: setup ## our own cost, as ratios measured in one run
	@$(PY) -m benchmarks

fuzz: setup ## strange input into every reader and whole verbs, for an hour or FUZZ="--seconds 120 --seed 7"
	@$(PY) -m tests.fuzz --seconds 3600 $(FUZZ)

storm: setup ## kills, stops, false clocks, full disks and dying loads over virtual and real runs, or STORM="--virtual 50 --seed 7"
	@$(PY) -m tests.storm $(STORM)

share: setup ## man page and shell completion, made anew from the command line itself
	@$(PY) tools/share

soak: setup
	@$(PY) -m pytest -m soak

pages: setup ## reports in a real browser, with axe; PAGES="runs/first/report.html out/report.pdf" lists their layout defects
	@command -v chromium > /dev/null || tools/apt chromium
	@$(PY) -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[pages]'
	@$(PY) -m pytest -m browser
	@$(if $(PAGES),$(PY) -m benchmarks.pages $(PAGES))

docs: setup ## the site of docs/, in English and Russian, with no warning and no dead link, into build/docs
	@tools/docs $(VENV)

lab: setup ## device tests on real kernel drivers, in a QEMU machine (docs/design.md)
	@tools/lab $(VENV)

clean:
	rm -rf $(VENV) build
