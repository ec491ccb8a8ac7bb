#!/bin/sh
# Builds the probe, checks it with compute-sanitizer, runs it twice, and measures the same
# kernels with PyTorch. Everything goes to the folder given, by default $OUT or ./probe-results.
# Changes no clock, limit or mode.
set -u
cd "$(dirname "$0")/../.."
out=${1:-${OUT:-probe-results}}
mkdir -p "$out"
export PATH="$PATH:/usr/local/cuda/bin"
log="$out/log.txt"
{
  date
  nvidia-smi --query-gpu=name,driver_version,power.limit,clocks.max.sm --format=csv
  generator=
  command -v ninja >/dev/null && generator="-G Ninja"
  # shellcheck disable=SC2086
  cmake -S src/probe -B build/probe $generator -DCMAKE_CUDA_ARCHITECTURES=native &&
    cmake --build build/probe -j 16
} >"$log" 2>&1
probe=build/probe/loadfactor-probe
if [ ! -x "$probe" ]; then
  tail -40 "$log"
  echo "the probe did not build"
  exit 4
fi
echo "== attention and products, quick" | tee -a "$log"
timeout 60 "$probe" --quick --output "$out/quick.json" 2>&1 | tee -a "$log"
echo "== compute-sanitizer" | tee -a "$log"
if command -v compute-sanitizer >/dev/null; then
  for tool in memcheck racecheck; do
    for section in launch memory pointwise optimizer attention gemm; do
      [ "$tool" = racecheck ] && [ "$section" != attention ] && [ "$section" != pointwise ] && continue
      echo "-- $tool $section"
      timeout 70 compute-sanitizer --tool "$tool" "$probe" --quick --silent --only "$section" \
        --output /tmp/sanitized.json 2>&1 | tail -4
    done
  done >"$out/sanitizer.txt" 2>&1
  grep -E 'SUMMARY|^--' "$out/sanitizer.txt"
fi
for run in 1 2; do
  echo "== full probe, run $run" | tee -a "$log"
  timeout 200 "$probe" --output "$out/probe-$run.json" 2>&1 | tee -a "$log"
done
echo "== reference" | tee -a "$log"
timeout 150 python3 tools/gpu/steps.py reference "$out/reference.json" >>"$log" 2>&1
tail -3 "$log"
python3 tools/gpu/summary.py "$out" || true
