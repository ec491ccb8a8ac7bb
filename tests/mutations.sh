#!/bin/sh
# Breaks one rule of the simulator at a time; the comparison with the reference must notice each.
# Usage: tests/mutations.sh [WORD]   (only mutations whose name holds WORD)
exec python3 "$(dirname "$0")/mutations.py" "$@"
