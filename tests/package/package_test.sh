#!/usr/bin/env bash
# Installs the .deb of a build folder into a clean Debian 12 root made by debootstrap, runs the demo
# there, and builds and runs a program that finds the library by CMake and one that finds it by
# pkg-config; then the same with the tarball, from a folder of any name. Needs root and a mirror.
#
#   package_test.sh BUILD_FOLDER [CLEAN_ROOT]     a root that debootstrap made before is copied
set -euo pipefail
build=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")/../.." && pwd)
root=$(mktemp -d /var/tmp/loadfactor-root.XXXXXX)
trap 'umount "$root/proc" 2>/dev/null; rm -rf --one-file-system "$root" "$root.log"' EXIT
chmod 755 "$root"  # apt fetches as a user of its own.

if [ -n "${2:-}" ]; then
  cp -a "$2/." "$root"
else
  mirror=$("$here/scripts/debian-mirror")
  debootstrap --variant=minbase bookworm "$root" "$mirror" > "$root.log" 2>&1 || { tail -20 "$root.log"; exit 1; }
fi
for file in /etc/apt/apt.conf.d /etc/resolv.conf; do cp -rL "$file" "$root$(dirname "$file")/" 2>/dev/null || true; done

mount -t proc proc "$root/proc"  # Where a program learns what lies beside it.

cp "$build"/loadfactor_*.deb "$root/tmp/loadfactor.deb"
inside() { chroot "$root" env DEBIAN_FRONTEND=noninteractive "$@"; }
inside apt-get update -q > /dev/null
inside apt-get install -y -q --no-install-recommends /tmp/loadfactor.deb > "$root/tmp/install.log" 2>&1 ||
  { tail -20 "$root/tmp/install.log"; exit 1; }

inside loadfactor --version
inside loadfactor doctor > "$root/tmp/doctor.txt"
grep -q '^problems   0' "$root/tmp/doctor.txt"
grep -q '^missing .*chromium' "$root/tmp/doctor.txt"  # This root has no browser, and doctor says so.
inside loadfactor demo > "$root/tmp/demo.txt"
grep -q . "$root/tmp/demo.txt"
inside loadfactor fit llama-3.1-8b --gpu h100-sxm > /dev/null
inside loadfactor plan /usr/share/loadfactor/scenarios/finetune-8b.yaml > /dev/null
for file in share/man/man1/loadfactor.1 share/bash-completion/completions/loadfactor share/fish/vendor_completions.d/loadfactor.fish \
            share/zsh/site-functions/_loadfactor share/loadfactor/schema/plan.schema.json share/doc/loadfactor/copyright \
            share/doc/loadfactor/examples/plan_json.cc include/loadfactor/engine.h; do
  test -s "$root/usr/$file" || { echo "package_test: no /usr/$file" >&2; exit 1; }
done
# What the readme tells a reader to do, from the package alone.
inside sh -c 'cd /tmp && loadfactor init serve -o my.yaml < /dev/null && loadfactor plan my.yaml -o report.html' > "$root/tmp/readme.txt"
grep -q 'id="decision"' "$root/tmp/report.html"
if [ -s "$root/usr/share/loadfactor/page-engine.html" ]; then
  inside loadfactor plan /tmp/my.yaml -o /tmp/live.html --live > /dev/null
  test "$(stat -c %s "$root/tmp/live.html")" -gt "$(stat -c %s "$root/usr/share/loadfactor/page-engine.html")"
fi

inside apt-get install -y -q --no-install-recommends g++ cmake make pkg-config libfmt-dev libyaml-cpp-dev \
  nlohmann-json3-dev zlib1g-dev libsqlite3-dev libcpp-httplib-dev \
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
echo '{"verb": "fit", "options": {"model": "llama-3.1-8b", "gpu": "h100-sxm"}}' > "$root/tmp/question.json"
inside sh -c '/tmp/program/build/program < /tmp/question.json' > "$root/tmp/by-cmake.json"
grep -q '"verb": "fit"' "$root/tmp/by-cmake.json"
# shellcheck disable=SC2016  # The shell inside expands it.
inside sh -c 'cd /tmp/program && g++ -std=c++20 plan_json.cc -o plain $(pkg-config --cflags --libs loadfactor)'
inside sh -c '/tmp/program/plain < /tmp/question.json' | cmp - "$root/tmp/by-cmake.json"

mkdir "$root/opt/anywhere"
tar xzf "$build"/loadfactor-*.tar.gz -C "$root/opt/anywhere" --strip-components=1
inside /opt/anywhere/bin/loadfactor demo | cmp - "$root/tmp/demo.txt"
inside sh -c 'cd /tmp/program && cmake -B moved -DCMAKE_PREFIX_PATH=/opt/anywhere > /dev/null && cmake --build moved > /dev/null'
inside sh -c '/tmp/program/moved/program < /tmp/question.json' | cmp - "$root/tmp/by-cmake.json"
# shellcheck disable=SC2016
inside sh -c 'cd /tmp/program && export PKG_CONFIG_PATH=/opt/anywhere/lib/pkgconfig && pkg-config --libs loadfactor | grep -q /opt/anywhere &&
  g++ -std=c++20 plan_json.cc -o plain-moved $(pkg-config --cflags --libs loadfactor) && ./plain-moved < /tmp/question.json' |
  cmp - "$root/tmp/by-cmake.json"
echo "installed, asked and linked in a clean root"
