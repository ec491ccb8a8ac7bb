#!/bin/bash
# A release is hardened as SECURITY.md says: read off the program itself.
#
#   hardened_test.sh PROGRAM
set -u
program=${1:?which program}
wrong=0

must() {
  local claim=$1 table=$2 pattern=$3
  if ! readelf -W "$table" "$program" | grep -qE "$pattern"; then
    echo "WRONG $program: $claim"
    wrong=1
  fi
}

must 'is position-independent' -h 'Type: +DYN'
must 'has relocations that become read-only' -l 'GNU_RELRO'
must 'binds all of them at start' -d 'BIND_NOW|Flags:.* NOW'
must 'has a stack that is not executed' -l 'GNU_STACK.* RW '
must 'guards its stack' --dyn-syms '__stack_chk_fail'
must 'checks copies' --dyn-syms '__(memcpy|snprintf|fprintf|memset|strcpy)_chk'
[ "$wrong" = 0 ] && echo "hardened: position-independent, read-only relocations bound at start, guarded stack, checked copies"
exit "$wrong"
