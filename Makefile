# The front door. `make demo` sets up, builds and shows; `make test` sets up and passes the tests.
JOBS ?= $(shell nproc)
FUZZ_SECONDS ?= 60
UNITY ?= ON
PREFIX ?= /usr/local
CTEST = ctest --output-on-failure -j $(JOBS)

.PHONY: demo build test test-slurm test-prometheus test-observe agreement laws bench asan tsan coverage coverage-core fuzz tidy tidy-changed format format-check calibrate install clean

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

# What emit writes for Slurm, on a real one of four nodes with stand-in GPUs on this machine.
test-slurm: build
	@scripts/setup --slurm
	@tests/launch/slurm_test.sh build/release/loadfactor

# What emit writes for Prometheus, by promtool.
test-prometheus: build
	@scripts/setup --prometheus
	@tests/launch/prometheus_test.sh build/release/loadfactor data/scenarios/support-chat.yaml

# observe on a simulated cluster with known truth, by a real Prometheus, and on hostile servers.
test-observe: build
	@scripts/setup --prometheus
	@python3 tests/observe/observe_test.py build/release/loadfactor
	@python3 tests/observe/hostile_servers.py build/release/loadfactor observe --since 1h

# Every verb on the same scenarios, compared through their JSON; lists what disagrees.
agreement: build
	@python3 tests/agreement/agreement.py build/release/loadfactor data/scenarios --folder build/agreement
	@python3 tests/agreement/keys.py build/release/loadfactor --folder build/agreement/keys

# Plans of random scenarios, and of what each law changes in them; hours of CPU.
LAWS ?= 200
laws: build
	@python3 tests/laws/laws.py build/release/loadfactor --count $(LAWS) --folder build/laws --report docs/laws.md

bench:
	@scripts/setup --bench
	cmake --preset release -DLF_BENCH=ON -DBUILD_TESTING=OFF
	cmake --build build/release -j $(JOBS)
	@for b in build/release/*_bench; do echo "== $$b"; $$b; done

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

# Runs every fuzzer for FUZZ_SECONDS (60), from its committed corpus and the inputs of its tests.
fuzz:
	@scripts/setup --dev
	cmake --preset fuzz
	cmake --build build/fuzz -j $(JOBS) --target fuzzers
	@set -e; for f in build/fuzz/*_fuzzer; do name=$$(basename $$f _fuzzer); \
	  mkdir -p build/fuzz/corpus/$$name; \
	  echo "== $$name, $(FUZZ_SECONDS) s"; \
	  ASAN_OPTIONS=detect_leaks=0 $$f -max_total_time=$(FUZZ_SECONDS) -rss_limit_mb=4096 -timeout=10 \
	    -print_final_stats=1 -verbosity=0 build/fuzz/corpus/$$name \
	    $$(ls -d tests/fuzz/corpus/$$name tests/$$name/good tests/$$name/broken 2>/dev/null); done

fuzz-long:
	$(MAKE) fuzz FUZZ_SECONDS=3600

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

# Refits the step model to the published runs, fold by fold, and writes data/calibration.
calibrate: build
	@build/release/loadfactor calibrate training --folder data/calibration

install: build
	@cmake --install build/release --prefix $(PREFIX)

clean:
	rm -rf build

# The pages in a real Chromium, and the committed ones against their sources.
.PHONY: test-pages test-web
test-pages: build
	@tests/web/pages.sh build/release/loadfactor
test-web: test-pages
