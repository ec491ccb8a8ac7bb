#!/bin/sh
# The pages that are committed are those that their sources build, byte for byte; their types hold.
set -eu
cd "$(dirname "$0")/../../web"
[ -d node_modules ] || npm ci --silent --no-audit --no-fund
npx svelte-check --tsconfig tsconfig.json --fail-on-warnings --output machine > "${TMPDIR:-/tmp}/svelte-check.$$" 2>&1 || { cat "${TMPDIR:-/tmp}/svelte-check.$$"; rm -f "${TMPDIR:-/tmp}/svelte-check.$$"; exit 1; }
rm -f "${TMPDIR:-/tmp}/svelte-check.$$"
built=$(mktemp -d)
trap 'rm -rf "$built"' EXIT
node tools/licenses.mjs "$built.txt"
cmp -s "$built.txt" public/licenses.txt || { echo "web/public/licenses.txt is old: run npm run build in web/ and commit it"; rm -f "$built.txt"; exit 1; }
rm -f "$built.txt"
npx vite build --outDir "$built" --emptyOutDir --logLevel error
diff -r dist "$built" > /dev/null || { echo "web/dist is not what web/src builds: run npm run build in web/ and commit it"; diff -rq dist "$built"; exit 1; }
echo "web/dist is what web/src builds"
