#!/usr/bin/env bash
# Claims: an installed copy runs from any folder with no files beside it, has at most 15
# public headers, its manual page and completions, and another project finds it, links it and gets an answer.
set -euo pipefail
build=$1
source=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cmake --install "$build" --prefix "$work/prefix" > "$work/install.log"
headers=$(find "$work/prefix/include/loadfactor" -name '*.h' | wc -l)
[ "$headers" -le 15 ] || { echo "$headers public headers, more than 15"; exit 1; }

grep -q '^.TH LOADFACTOR 1' "$work/prefix/share/man/man1/loadfactor.1"
bash -n "$work/prefix/share/bash-completion/completions/loadfactor"

mkdir "$work/empty"
(cd "$work/empty" && env -i PATH=/usr/bin:/bin HOME="$work/empty" \
  "$work/prefix/bin/loadfactor" fit llama-3.1-8b --gpu h100-sxm --format json > answer.json)
grep -q '"total": *8030261248' "$work/empty/answer.json"

cmake -S "$source/tests/integration/external" -B "$work/external" -DCMAKE_PREFIX_PATH="$work/prefix" \
  -DCMAKE_BUILD_TYPE=Debug > "$work/external.log"
cmake --build "$work/external" >> "$work/external.log" || { cat "$work/external.log"; exit 1; }
"$work/external/fit" | grep -q 'sequences of'
echo '{"verb": "fit", "options": {"model": "llama-3.1-8b", "gpu": "h100-sxm"}}' |
  "$work/external/plan_json" | cmp - "$work/empty/answer.json"
echo "installed copy works: $headers public headers"
