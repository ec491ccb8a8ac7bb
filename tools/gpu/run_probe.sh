#!/bin/sh
# run_probe.sh check [FOLDER]   builds the probe, runs it quickly and under compute-sanitizer
# run_probe.sh full [FOLDER]    runs it in full, again without the held loads, and PyTorch beside it
# Results go to the folder, by default $OUT or ./probe-results. Changes no clock, limit or mode.
set -u
cd "$(dirname "$0")/../.."
stage=${1:-full}
out=${2:-${OUT:-probe-results}}
mkdir -p "$out"
export PATH="$PATH:/usr/local/cuda/bin"
log="$out/log-$stage.txt"
probe=build/probe/loadfactor-probe
if [ ! -x "$probe" ] || [ "$stage" = check ]; then
  {
    date
    nvidia-smi --query-gpu=name,driver_version,power.limit,clocks.max.sm --format=csv
    generator=
    command -v ninja >/dev/null && generator="-G Ninja"
    # shellcheck disable=SC2086
    cmake -S src/probe -B build/probe $generator -DCMAKE_CUDA_ARCHITECTURES=90 &&
      cmake --build build/probe -j 16
  } >"$log" 2>&1
fi
if [ ! -x "$probe" ]; then
  tail -40 "$log"
  echo "the probe did not build"
  exit 4
fi
if [ "$stage" = check ]; then
  timeout 90 "$probe" --quick --output "$out/quick.json" 2>&1 | tee -a "$log"
  for tool in memcheck racecheck; do
    for section in launch attention pointwise optimizer memory gemm copies; do
      case $tool-$section in racecheck-attention | racecheck-pointwise | memcheck-*) ;; *) continue ;; esac
      echo "-- $tool $section"
      timeout 60 compute-sanitizer --tool "$tool" "$probe" --check --silent --only "$section" \
        --output /tmp/sanitized.json 2>&1 | tail -6
    done
  done >"$out/sanitizer.txt" 2>&1
  grep -E 'SUMMARY|^--|=====.*(Invalid|Race)' "$out/sanitizer.txt"
  python3 tools/gpu/summary.py "$out"
  exit 0
fi
timeout 230 "$probe" --output "$out/probe-1.json" 2>&1 | tee -a "$log"
again=
for section in launch memory cache gemm attention pointwise optimizer copies; do again="$again --only $section"; done
# shellcheck disable=SC2086
timeout 120 "$probe" $again --seed 2 --output "$out/probe-2.json" 2>&1 | tee -a "$log"
timeout 180 python3 tools/gpu/steps.py reference "$out/reference.json" >>"$log" 2>&1
tail -3 "$log"
python3 tools/gpu/summary.py "$out"
