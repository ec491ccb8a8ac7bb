# The front door. `make demo` sets up, builds and shows; `make test` sets up and passes the tests.
JOBS ?= $(shell nproc)
FUZZ_SECONDS ?= 60
FUZZ_RUNS ?= -1
UNITY ?= ON
PREFIX ?= /usr/local
CTEST = ctest --output-on-failure -j $(JOBS)

.PHONY: demo build test python test-python docs pictures test-slurm test-mpi scale test-prometheus test-observe test-observe-slurm test-web wasm test-wasm test-pages test-container agreement laws bench bench-compare peers asan tsan coverage coverage-core fuzz fuzz-long fuzz-minimise fuzz-verbs costly faults mutants check-all tidy tidy-changed format format-check calibrate install package static test-static test-package clean

demo: build
	@build/release/loadfactor demo

build:
	@scripts/setup
	@cmake --preset release -DBUILD_TESTING=OFF -DLF_UNITY=$(UNITY) > build-configure.log 2>&1 || (cat build-configure.log; exit 1)
	@rm -f build-configure.log
	@cmake --build build/release -j $(JOBS) --target loadfactor

test:
	@scripts/setup --test
	cmake --preset dev -DLF_UNITY=$(UNITY)
	cmake --build build/dev -j $(JOBS)
	cd build/dev && $(CTEST)

# What emit writes for Slurm, and a sweep as an array, on a real one of four nodes with stand-in GPUs on
# this machine.
test-slurm: build
	@scripts/setup --slurm
	@tests/launch/slurm_test.sh build/release/loadfactor

# Sweeps and searches on MPI ranks of this machine: the same rows and plans, whoever dies.
test-mpi:
	@scripts/setup --mpi
	@cmake --preset release -DBUILD_TESTING=OFF -DLF_UNITY=$(UNITY) -DLF_MPI=ON > build-configure.log 2>&1 || (cat build-configure.log; exit 1)
	@rm -f build-configure.log
	@cmake --build build/release -j $(JOBS) --target loadfactor --target loadfactor-mpi
	@python3 tests/sweep/mpi_test.py build/release/loadfactor build/release/loadfactor-mpi

# The figures of docs/scale.md, measured on this machine.
scale:
	@scripts/setup --mpi
	@cmake --preset release -DBUILD_TESTING=OFF -DLF_UNITY=$(UNITY) -DLF_MPI=ON > build-configure.log 2>&1 || (cat build-configure.log; exit 1)
	@rm -f build-configure.log
	@cmake --build build/release -j $(JOBS) --target loadfactor --target loadfactor-mpi
	@python3 tools/scale/measure.py build/release/loadfactor build/release/loadfactor-mpi

# What emit writes for Prometheus, by promtool.
test-prometheus: build
	@scripts/setup --prometheus
	@tests/launch/prometheus_test.sh build/release/loadfactor data/scenarios/support-chat.yaml

# observe on a simulated cluster with known truth, by a real Prometheus, and on hostile servers; the
# dashboard and the rules on the same; a week of 1,000 GPUs and a year of 10,000.
test-observe: build
	@scripts/setup --prometheus
	@python3 tests/observe/observe_test.py build/release/loadfactor
	@python3 tests/observe/scrape_test.py build/release/loadfactor
	@python3 tests/observe/dashboard_test.py build/release/loadfactor
	@python3 tests/observe/broken_test.py build/release/loadfactor
	@python3 tests/observe/outputs_test.py build/release/loadfactor
	@python3 tests/observe/random_clusters.py build/release/loadfactor 100
	@python3 tests/observe/year_test.py build/release/loadfactor --gpus 1000 --days 7 --step 60 --raw
	@python3 tests/observe/year_test.py build/release/loadfactor
	@python3 tests/observe/hostile_servers.py build/release/loadfactor observe --since 1h
	@python3 tests/observe/day_test.py build/release/loadfactor

# observe on a real Slurm with a database of accounts, and on one without, on this machine.
test-observe-slurm: build
	@scripts/setup --slurm-accounts
	@tests/observe/slurm_test.sh build/release/loadfactor
	@tests/observe/slurm_bare_test.sh build/release/loadfactor

# The server: what programs and strangers meet, every shipped scenario by HTTP and by the command
# line, and two hundred clients for a minute.
test-web: build
	@scripts/setup --web
	@python3 tests/web/web_test.py build/release/loadfactor . --all
	@python3 tests/web/scenarios_test.py build/release/loadfactor .
	@python3 tests/web/load_test.py build/release/loadfactor .
	@python3 tests/web/day_test.py build/release/loadfactor . 480 24
	@tests/web/pages.sh build/release/loadfactor

# The pages alone: the committed ones against their sources, then stories in a real Chromium.
test-pages: build
	@scripts/setup --web
	@tests/web/pages.sh build/release/loadfactor

# The engine for live pages, by Debian's emscripten: build/wasm/page-engine.html, where `plan --live` and
# `make install` find it. A quarter of an hour of one core, from scratch; what is current is kept.
wasm:
	@scripts/setup --wasm
	@python3 tools/wasm/build.py build/wasm --jobs $(JOBS)

# That engine against the program: in node for each verb, and in Chromium at 50 positions of sliders.
test-wasm: build wasm
	@python3 tests/wasm/unpack_test.py
	@python3 tests/wasm/same_answers.py build/release/loadfactor build/wasm quick
	@python3 tests/wasm/live_test.py build/release/loadfactor build/wasm/pages 50 data/scenarios/coding-assistant.yaml data/scenarios/chatbot-spiky.yaml

# The container file without a container: its stages in clean Debian roots, with a whole build in one.
test-container:
	@scripts/setup --package
	@python3 tests/web/container_test.py .

# A wheel for Debian's Python, from Debian's packages alone: build/wheel/loadfactor-*.whl.
PYTHON ?= $(firstword $(wildcard /usr/bin/python3) python3)
python:
	@scripts/setup --python
	@cmake --preset release -DBUILD_TESTING=OFF -DLF_UNITY=$(UNITY) > build-configure.log 2>&1 || (cat build-configure.log; exit 1)
	@rm -f build-configure.log
	@cmake --build build/release -j $(JOBS) --target loadfactor lf_python lf_shared
	@rm -rf build/wheel
	@LOADFACTOR_BUILD=build/release $(PYTHON) python/setup.py -q bdist_wheel --dist-dir $(CURDIR)/build/wheel 2> build/wheel.log || (cat build/wheel.log; exit 1)
	@ls build/wheel/*.whl

# The package, its wheel in a clean environment, all scenarios against the program, the notebooks.
test-python: python
	@scripts/setup --test-python
	@$(PYTHON) tests/python/package_test.py build/release/python build/release/loadfactor
	@$(PYTHON) tools/write_stubs.py check build/release/python
	@$(PYTHON) tests/python/c_interface.py build/release
	@$(PYTHON) tests/python/run_page.py build/release/python docs/python.md
	@$(PYTHON) tests/python/wheel_test.py build/wheel build/release/loadfactor
	@$(PYTHON) tools/render_notebooks.py check build/release/python
	@$(PYTHON) tests/python/same_answers.py build/release/python build/release/loadfactor all

# The documentation as a site with search, in build/site, without the network.
docs:
	@scripts/setup --docs
	@mkdocs build --quiet --clean
	@python3 tests/site/site_test.py build/site

# Pictures of the site, taken of the pages that the program writes.
pictures: build
	@scripts/setup --pictures
	@$(PYTHON) tools/take_pictures.py build/release/loadfactor docs/pictures

# Every verb on the same scenarios, compared through their JSON; lists what disagrees.
agreement: build
	@python3 tests/agreement/agreement.py build/release/loadfactor data/scenarios --folder build/agreement
	@python3 tests/agreement/keys.py build/release/loadfactor --folder build/agreement/keys

# Plans of random scenarios, and of what each law changes in them; hours of CPU. RESUME=1 goes on
# with what an earlier run had tried.
LAWS ?= 200
laws: build
	@python3 tests/laws/laws.py build/release/loadfactor --count $(LAWS) --folder build/laws \
		$(if $(RESUME),--resume) --report docs/laws.md

bench:
	@scripts/setup --bench
	cmake --preset release -DLF_BENCH=ON -DBUILD_TESTING=OFF
	cmake --build build/release -j $(JOBS)
	@for b in build/release/*_bench; do echo "== $$b"; $$b; done

# Is this tree slower than another commit? Both are built and run in turn; fails above +5 % at 95 %.
ROUNDS ?= 8
bench-compare:
	@test -n "$(BASE)" || { echo "make bench-compare BASE=<commit>"; exit 2; }
	@scripts/setup --bench
	@mkdir -p build
	@python3 tools/bench/compare.py $(BASE) --rounds $(ROUNDS) --jobs $(JOBS) $(if $(ONLY),--only '$(ONLY)') --write build/bench-compare.json

# Other planners beside ours, from checkouts of yours; a row for each in docs/peers.md.
# VIDUR=FOLDER, VIDUR_COMMAND='…' and so on reach it by the environment.
peers:
	@python3 tools/peers/run.py build/release/loadfactor docs/peers.md --check
	@$(MAKE) --no-print-directory build
	@python3 tools/peers/run.py build/release/loadfactor docs/peers.md

asan:
	@scripts/setup --test
	cmake --preset asan
	cmake --build build/asan -j $(JOBS)
	cd build/asan && ASAN_OPTIONS=detect_leaks=0 $(CTEST)

tsan:
	@scripts/setup --test
	cmake --preset tsan
	cmake --build build/tsan -j $(JOBS)
	cd build/tsan && $(CTEST) -L unit

# The whole of src, at the price of a second build; the figure is kept for those who do not measure.
coverage:
	@scripts/setup --dev
	cmake --preset coverage
	cmake --build build/coverage -j $(JOBS)
	cd build/coverage && $(CTEST)
	@tools/line_coverage.py build/coverage --write docs/coverage.txt

# Units, files, arithmetic and money by their unit tests alone: a minute, not a build.
CORE = base config facility economics audit collective cost sim workload
coverage-core:
	@scripts/setup --test
	@cmake --preset coverage -DLF_UNITY=$(UNITY) > build-configure.log 2>&1 || (cat build-configure.log; exit 1)
	@rm -f build-configure.log
	@cmake --build build/coverage -j $(JOBS) --target $(addsuffix _test,$(CORE)) > build-coverage.log 2>&1 || (tail -50 build-coverage.log; exit 1)
	@rm -f build-coverage.log
	@find build/coverage -name '*.gcda' -delete
	@for m in $(CORE); do build/coverage/$${m}_test --gtest_brief=1 > /dev/null || exit 1; done
	@tools/line_coverage.py build/coverage $(CORE)

# Runs every fuzzer for FUZZ_SECONDS (60) or FUZZ_RUNS inputs, from its committed corpus and the inputs of its tests.
fuzz:
	@scripts/setup --dev
	cmake --preset fuzz
	cmake --build build/fuzz -j $(JOBS) --target fuzzers
	@python3 tests/fuzz/readers.py build/fuzz --seconds $(FUZZ_SECONDS) --runs $(FUZZ_RUNS)

# What was found in such runs into the committed corpora, as little of it as reaches the same; then how much of
# each module they reach.
fuzz-minimise:
	@python3 tests/fuzz/readers.py build/fuzz --minimise
	@python3 tests/fuzz/readers.py build/fuzz --coverage

# Whole questions, mutated, of every verb; each reply is held to what must always be true. Most are asked in one
# process, whose answers are then held to their schemas; those that need files or the screen go to the program.
FUZZ_SEED ?= 1
fuzz-verbs: build
	@scripts/setup --test
	@cmake --build build/release -j $(JOBS) --target lf_shared --target question_driver
	@rm -rf build/fuzz-questions && mkdir -p build/fuzz-questions
	@python3 tests/fuzz/verbs/fuzz_verbs.py --write-seeds build/fuzz-questions/seeds.json
	@build/release/question_driver build/fuzz-questions/seeds.json --seconds $(FUZZ_SECONDS) --seed $(FUZZ_SEED) --folder build/fuzz-questions --markdown
	@python3 tests/fuzz/verbs/fuzz_verbs.py --check-samples build/fuzz-questions/samples.jsonl
	@python3 tests/fuzz/verbs/fuzz_verbs.py build/release/loadfactor --library build/release/libloadfactor.so --seconds $(FUZZ_SECONDS) --seed $(FUZZ_SEED)

# What it costs to refuse files that nest, grow, refer to themselves and count to a billion.
costly: build
	@python3 tests/fuzz/verbs/costly.py build/release/loadfactor

# An hour for each reader, and a night for whole questions.
fuzz-long:
	$(MAKE) fuzz FUZZ_SECONDS=3600
	$(MAKE) fuzz-verbs FUZZ_SECONDS=28800

# Memory, disks, reads, pipes, signals, folders and clocks that fail.
faults: build
	@python3 tests/faults/faults.py build/release/loadfactor

# Rules of small modules broken one by one, each noticed by its unit tests; needs `make test` before.
MUTATED ?= facility economics decide training/memory resolve/demand resolve/model resolve/terms:*.cc \
           serving/simulator:policy,scaler,prefix_cache,cluster_routing,engine_rules
mutants:
	@python3 tests/mutants.py $(MUTATED) --build build/dev --report tests/mutants_left.txt

# Everything that looks for faults, one after the other, with a summary; hours.
check-all:
	@tests/check_all.sh

tidy:
	@scripts/setup --dev
	cmake --preset tidy
	cmake --build build/tidy -j $(JOBS)

# What changed since the last release, a score of sources at most.
tidy-changed:
	@scripts/setup --ci
	@scripts/tidy-changed

format:
	@git ls-files '*.cc' '*.h' | xargs clang-format-14 -i

format-check:
	@git ls-files '*.cc' '*.h' | xargs clang-format-14 --dry-run --Werror

# Refits the step model to the published runs, fold by fold, and writes data/calibration. With ROWS, a table of
# serving results (and WEIGHTS, theirs by id), the serving model too: the sample that ships does not hold all of them.
calibrate: build
	@build/release/loadfactor calibrate training --folder data/calibration
ifdef ROWS
	@build/release/loadfactor calibrate serving --data $(ROWS) $(if $(WEIGHTS),--weights $(WEIGHTS)) --folder data/calibration
endif

install: build
	@cmake --install build/release --prefix $(PREFIX)

# A .deb and a tarball for this machine's architecture, in build/release.
package: build
	@scripts/setup --package
	@cmake --build build/release -j $(JOBS)
	@cd build/release && cpack --config CPackConfig.cmake
	@ls build/release/*.deb build/release/*.tar.gz

# One binary without shared libraries, for other distributions: build/release/loadfactor-static.
static:
	@scripts/setup --static
	@scripts/debian-source cpp-httplib build/sources
	@cmake --preset release -DBUILD_TESTING=OFF -DLF_UNITY=$(UNITY) -DLF_STATIC=ON -DLF_HTTPLIB_SOURCE=$(CURDIR)/build/sources/cpp-httplib > build-configure.log 2>&1 || (cat build-configure.log; exit 1)
	@rm -f build-configure.log
	@cmake --build build/release -j $(JOBS) --target loadfactor lf_static
	@ls -l build/release/loadfactor-static

# The static binary alone in an empty root, and in those of other Debian releases: the same answers.
test-static: static
	@tests/package/static_test.sh build/release/loadfactor build/release/loadfactor-static

# The package in a clean Debian root: installed, asked, and linked by a program of another's.
test-package: package
	@tests/package/hardened_test.sh build/release/loadfactor
	@tests/package/package_test.sh build/release

clean:
	rm -rf build
