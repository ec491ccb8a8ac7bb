#!/bin/sh
# The pages: built as committed, and told as stories in Chromium on the program's own server.
set -eu
here=$(dirname "$0")
program=$1
shift
[ -d "$here/../../web/node_modules" ] || (cd "$here/../../web" && npm ci --silent --no-audit --no-fund)
"$here/rebuild.sh"
exec node "$here/pages.mjs" "$program" "$@"
