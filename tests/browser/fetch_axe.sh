#!/bin/sh
# Leaves axe-core, which only the browser tests use, at FOLDER/axe.min.js (build/axe unless said otherwise).
set -eu
folder=${1:-"$(dirname "$0")/../../build/axe"}
mkdir -p "$folder"
npm install --silent --no-audit --no-fund --no-save --prefix "$folder" axe-core@4.14.0
cp "$folder/node_modules/axe-core/axe.min.js" "$folder/axe.min.js"
