#!/bin/bash
# Two builds of a release from two folders give the same bytes.
#
#   tests/package/reproducible_test.sh [TARGET...]      (loadfactor unless said; a target is a file of the build)
#
# Takes the committed sources; no cache of compilers, which would hide what differs.
set -euo pipefail
export CCACHE_DISABLE=1
unset CMAKE_CXX_COMPILER_LAUNCHER CMAKE_C_COMPILER_LAUNCHER
root=$(cd "$(dirname "$0")/../.." && pwd)
targets=("${@:-loadfactor}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for folder in one/and/deeper two; do
  mkdir -p "$work/$folder"
  git clone --quiet --shared "$root" "$work/$folder/loadfactor"
  (cd "$work/$folder/loadfactor" && cmake --preset release -DBUILD_TESTING=OFF -DLF_UNITY=ON > /dev/null)
  if grep -q '^CMAKE_CXX_COMPILER_LAUNCHER:[A-Z]*=.' "$work/$folder/loadfactor/build/release/CMakeCache.txt"; then
    echo "reproducible_test: a launcher of compilers would hide what differs" >&2
    exit 1
  fi
  cmake --build "$work/$folder/loadfactor/build/release" --target "${targets[@]}" > /dev/null
done
for target in "${targets[@]}"; do
  file=$target
  [ "${target#lf_}" = "$target" ] || file=lib$target.a
  first=$(sha256sum < "$work/one/and/deeper/loadfactor/build/release/$file")
  second=$(sha256sum < "$work/two/loadfactor/build/release/$file")
  if [ "$first" != "$second" ]; then
    echo "$file differs: ${first%% *} and ${second%% *}"
    exit 1
  fi
  echo "$file: ${first%% *}, twice"
done
