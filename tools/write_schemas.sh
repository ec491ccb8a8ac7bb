#!/usr/bin/env bash
# Writes the schemas of answers and docs/answers.md anew from the descriptions that the program has.
# usage: tools/write_schemas.sh build/release/loadfactor
set -euo pipefail
program=$(realpath "${1:?usage: tools/write_schemas.sh PROGRAM}")
cd "$(dirname "$0")/.."
"$program" schema --fields > docs/answers.md
python3 tools/fleet_schema.py write
for name in $(grep -oE 'Schema: `loadfactor schema [a-z-]+`' docs/answers.md | grep -oE '[a-z-]+`$' | tr -d '`'); do
  "$program" schema "$name" > "data/schema/$name.schema.json"
done
