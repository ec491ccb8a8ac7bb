#!/usr/bin/env bash
# The static program alone in roots without its libraries: it answers as the dynamic one does.
#
#   static_test.sh PROGRAM STATIC_PROGRAM [SUITE...]    suites are Debian's, made by debootstrap
#
# First in an empty root that holds the program and a scenario; then in a minimal root of each suite
# (bullseye and trixie where none is named), which needs a mirror. Needs root.
set -euo pipefail
dynamic=$(realpath "$1")
static=$(realpath "$2")
shift 2
suites=("$@")
[ $# -gt 0 ] || suites=(bullseye trixie)
here=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d /var/tmp/loadfactor-static.XXXXXX)
trap 'rm -rf --one-file-system "$work"' EXIT
scenario=$here/data/scenarios/support-chat.yaml
mirror=$("$here/scripts/debian-mirror")

if file "$static" | grep -qv 'statically linked'; then
  echo "static_test: $static needs shared libraries" >&2
  exit 1
fi

# The same questions to both, from a folder that holds the scenario; a date keeps ages the same.
questions() {
  cat <<'QUESTIONS'
fit llama-3.1-8b --gpu h100-sxm
fit llama-3.1-8b --gpu h100-sxm --format json
serve scenario.yaml --format json
cost scenario.yaml --format json
plan scenario.yaml
plan scenario.yaml --format json
demo
QUESTIONS
}

cp "$scenario" "$work/scenario.yaml"
number=0
while read -r question; do
  number=$((number + 1))
  # shellcheck disable=SC2086  # A question is several words.
  (cd "$work" && env -i HOME=/ "$dynamic" $question) > "$work/dynamic.$number"
done < <(questions)

compare_in() {
  local root=$1 number=0
  cp "$static" "$root/loadfactor"
  cp "$scenario" "$root/scenario.yaml"
  while read -r question; do
    number=$((number + 1))
    # shellcheck disable=SC2086
    chroot "$root" /loadfactor $question > "$work/static.$number"
    cmp "$work/dynamic.$number" "$work/static.$number" ||
      { echo "static_test: another answer in $root: $question" >&2; exit 1; }
  done < <(questions)
  chroot "$root" /loadfactor doctor | grep -q '^left out   workbooks' ||
    { echo "static_test: doctor does not say what is left out" >&2; exit 1; }
  if chroot "$root" /loadfactor plan scenario.yaml -o plan.xlsx 2> "$work/refusal"; then
    echo "static_test: a workbook without its library" >&2
    exit 1
  fi
  grep -q libxlsxwriter "$work/refusal"
}

mkdir "$work/empty"
compare_in "$work/empty"
echo "the same answers in an empty root"
for suite in "${suites[@]}"; do
  debootstrap --variant=minbase "$suite" "$work/$suite" "$mirror" \
    > "$work/$suite.log" 2>&1 || { tail -5 "$work/$suite.log"; exit 1; }
  compare_in "$work/$suite"
  echo "the same answers in a root of $suite"
done
