#!/bin/bash
# Sanitizers, fuzzers, faults, mutants and laws in sequence; a line for each in the summary, its
# output beside it.
#
#   tests/check_all.sh [SUMMARY]        (build/check-all/summary.txt unless said)
#
# FUZZ_SECONDS (60) for each fuzzer, LAWS (20) scenarios. Ends with 1 if anything failed; what fails
# does not keep the rest from being run.
cd "$(dirname "$0")/.." || exit 2
summary=${1:-build/check-all/summary.txt}
logs=$(dirname "$summary")
mkdir -p "$logs"
failed=0
echo "$(date -u +%F) $(git rev-parse --short=10 HEAD 2>/dev/null) $(uname -m)" > "$summary"

check() {
  local name=$1 began=$SECONDS verdict=passed
  shift
  "$@" > "$logs/$name.log" 2>&1 || { verdict=FAILED; failed=1; }
  printf '%-12s %-7s %6d s  %s\n' "$name" "$verdict" $((SECONDS - began)) "$(tail -n 1 "$logs/$name.log")" \
    | tee -a "$summary"
}

check test       make -s test
check asan       make -s asan
check tsan       make -s tsan
check fuzz       make -s fuzz FUZZ_SECONDS="${FUZZ_SECONDS:-60}"
check fuzz-verbs make -s fuzz-verbs FUZZ_SECONDS="${FUZZ_SECONDS:-60}"
check costly     make -s costly
check faults     make -s faults
check mutants    make -s mutants
check laws       make -s laws LAWS="${LAWS:-20}"
check agreement  make -s agreement
check web        make -s test-web
check observe    make -s test-observe
exit $failed
