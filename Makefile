# Every target does its own set-up, in .venv or .venv-release; nothing outside this folder is touched.
PYTHON ?= python3
BIN := .venv/bin
RELEASE := .venv-release/bin
RUST := $(wildcard rust/src/*.rs rust/src/*/*.rs) rust/Cargo.toml rust/Cargo.lock pyproject.toml
CARGO := CARGO_TARGET_DIR=$(CURDIR)/target cargo
MANIFEST := --manifest-path rust/Cargo.toml

.PHONY: build develop demo test quick check quality soak bench results docs pictures licences audit wheel wheel-test lock clean
.DELETE_ON_ERROR:

# What running needs, and no more. Compiled as an installed package is, also where Python writes no bytecode by itself.
build: .venv/built
	@$(BIN)/python -m compileall -q src

develop: build .venv/developed

demo: build
	$(BIN)/wirecopy demo demo-archive --run

test: develop
	$(CARGO) test -q --locked $(MANIFEST) --no-default-features
	$(BIN)/python -m pytest -n auto --dist loadgroup

# What one runs while working: everything but the slow tests, on all cores.
quick: develop
	$(BIN)/python -m pytest -m 'not slow' -n auto --dist loadgroup

check: develop
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy $(wildcard src tests quality benchmarks docs fuzz release)
	$(CARGO) fmt $(MANIFEST) --check
	$(CARGO) clippy -q --locked $(MANIFEST) --all-targets -- -D warnings
	@test -f src/wirecopy/_core.pyi || { echo 'src/wirecopy/_core.pyi is missing: stubtest would pass on nothing' >&2; exit 1; }
	$(BIN)/python -m mypy.stubtest --mypy-config-file pyproject.toml wirecopy._core

quality: develop
	$(BIN)/python quality/run.py

# Fifty thousand requests of every shape to a service.
soak: develop
	$(BIN)/python quality/soak.py

bench: develop
	$(BIN)/python -m benchmarks.pages
	$(BIN)/python -m benchmarks.evaluation
	$(BIN)/python benchmarks/run.py
	$(BIN)/python benchmarks/run.py --methods
	$(BIN)/python benchmarks/work.py
	$(BIN)/python benchmarks/extraction.py
	$(BIN)/python benchmarks/archive.py
	$(BIN)/python benchmarks/report.py
	$(BIN)/python benchmarks/report_browser.py
	$(BIN)/python benchmarks/service.py

# Runs what benchmarks/results.json does not hold yet: hours from nothing, and may be stopped and continued.
results: develop
	$(BIN)/python -m benchmarks.results
	$(BIN)/python -m benchmarks.results --write

docs: develop
	$(BIN)/python docs/make.py

# Of real reports, where there is a Chromium.
pictures: develop
	$(BIN)/python docs/pictures.py

licences: develop
	$(BIN)/python release/licences.py

audit: .venv-release/installed
	$(RELEASE)/python release/audit.py

# Built from the sdist, against a C library that is older than this machine's, without the places where it was built.
wheel: .venv-release/installed
	rm -rf dist
	PATH="$(CURDIR)/$(RELEASE):$$PATH" CARGO_TARGET_DIR=$(CURDIR)/target \
		RUSTFLAGS="--remap-path-prefix=$${CARGO_HOME:-$$HOME/.cargo}=cargo" \
		maturin build -q --release --locked --zig --compatibility manylinux_2_28 --sdist --out dist

wheel-test: wheel develop
	$(BIN)/python -m pytest tests/test_package.py
	$(PYTHON) release/trial.py

# Lock files hold names, versions and hashes only: no index, no file locations.
COMPILE := UV_FIND_LINKS= $(RELEASE)/uv pip compile -q --no-config --upgrade --generate-hashes --no-header --no-annotate \
	--universal --python-version 3.11
lock: .venv-release/installed
	$(COMPILE) pyproject.toml requirements.in -o requirements.lock
	$(COMPILE) --all-extras pyproject.toml requirements-dev.in -c requirements.lock -o requirements-dev.lock
	$(COMPILE) requirements-release.in -c requirements.lock -o requirements-release.lock

clean:
	rm -rf .venv .venv-release target dist demo-archive

.venv/built: .venv/installed $(RUST)
	@command -v cargo >/dev/null || { printf '%s\n' \
		'wirecopy is built with Rust 1.88 or newer, and cargo is not on the PATH. Get it with' \
		'  rustup (https://rustup.rs): curl -sSf https://sh.rustup.rs | sh' \
		'  or Debian: apt-get install rustup && rustup default stable' >&2; exit 1; }
	CARGO_TARGET_DIR=$(CURDIR)/target VIRTUAL_ENV=$(CURDIR)/.venv PIP_QUIET=1 \
		$(BIN)/maturin develop -q --release --locked
	@touch $@

.venv/developed: requirements-dev.lock | .venv/built
	$(BIN)/python -m pip install -q --require-hashes -r $<
	@touch $@

.venv/installed: requirements.lock
.venv-release/installed: requirements-release.lock
.venv/installed .venv-release/installed:
	@$(PYTHON) -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' || { printf '%s\n' \
		'wirecopy needs Python 3.11 or newer with venv: name one with make PYTHON=python3.11,' \
		'or install it (Debian: apt-get install python3 python3-venv)' >&2; exit 1; }
	$(PYTHON) -m venv $(@D)
	$(@D)/bin/python -m pip install -q --require-hashes -r $<
	@touch $@
