#!/usr/bin/env bash
# The rules and the scrape configuration that `emit` writes pass promtool.
#   prometheus_test.sh LOADFACTOR SCENARIO
set -euo pipefail
program=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$program" emit prometheus-rules "$2" -o "$folder" > /dev/null
"$program" emit prometheus "$2" -o "$folder" > /dev/null
promtool check rules "$folder/rules.yml"
(cd "$folder" && promtool check config prometheus.yml)
sed 's/expr:/exprs:/' "$folder/rules.yml" > "$folder/broken.yml"
if promtool check rules "$folder/broken.yml" > /dev/null 2>&1; then
  echo "promtool accepts broken rules" >&2
  exit 1
fi
