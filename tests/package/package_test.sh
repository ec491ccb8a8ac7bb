#!/usr/bin/env bash
# Installs the .deb of a build folder into a clean Debian 12 root made by debootstrap, runs the demo
# there, and builds and runs a program that finds the library by CMake. Needs root and a mirror.
#
#   package_test.sh BUILD_FOLDER
set -euo pipefail
build=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")/../.." && pwd)
root=$(mktemp -d /var/tmp/loadfactor-root.XXXXXX)
trap 'rm -rf --one-file-system "$root"' EXIT

mirror=$(grep -rhoE 'https?://[^ ]+' /etc/apt/sources.list /etc/apt/sources.list.d 2>/dev/null | grep -v security | head -1)
debootstrap --variant=minbase bookworm "$root" "${mirror:-http://deb.debian.org/debian}" > "$root.log" 2>&1 ||
  { tail -20 "$root.log"; exit 1; }
for file in /etc/apt/apt.conf.d /etc/resolv.conf; do cp -rL "$file" "$root$(dirname "$file")/" 2>/dev/null || true; done

cp "$build"/loadfactor_*.deb "$root/tmp/loadfactor.deb"
inside() { chroot "$root" env DEBIAN_FRONTEND=noninteractive "$@"; }
inside apt-get update -q > /dev/null
inside apt-get install -y -q --no-install-recommends /tmp/loadfactor.deb > "$root/tmp/install.log" 2>&1 ||
  { tail -20 "$root/tmp/install.log"; exit 1; }

inside loadfactor --version
inside loadfactor demo > "$root/tmp/demo.txt"
grep -q . "$root/tmp/demo.txt"
inside loadfactor fit /usr/share/loadfactor/scenarios/finetune-8b.yaml > /dev/null
test -s "$root/usr/share/man/man1/loadfactor.1"

inside apt-get install -y -q --no-install-recommends g++ cmake make pkg-config libfmt-dev libyaml-cpp-dev \
  nlohmann-json3-dev zlib1g-dev libtbb-dev libsqlite3-dev coinor-libcbc-dev libcpp-httplib-dev \
  libxlsxwriter-dev > "$root/tmp/develop.log" 2>&1 || { tail -20 "$root/tmp/develop.log"; exit 1; }
mkdir -p "$root/tmp/program"
cp "$here/examples/plan_json.cc" "$root/tmp/program/"
cat > "$root/tmp/program/CMakeLists.txt" <<'CMAKE'
cmake_minimum_required(VERSION 3.25)
project(program LANGUAGES CXX)
set(CMAKE_CXX_STANDARD 20)
find_package(loadfactor REQUIRED)
add_executable(program plan_json.cc)
target_link_libraries(program PRIVATE loadfactor::loadfactor)
CMAKE
inside sh -c 'cd /tmp/program && cmake -B build > /dev/null && cmake --build build > /dev/null'
python3 - "$here/data/scenarios/finetune-8b.yaml" > "$root/tmp/question.json" <<'PYTHON'
import json, pathlib, sys
print(json.dumps({"verb": "fit", "scenario": pathlib.Path(sys.argv[1]).read_text()}))
PYTHON
inside sh -c '/tmp/program/build/program < /tmp/question.json' | grep -q '"verb": "fit"'
echo "installed, asked and linked in a clean root"
