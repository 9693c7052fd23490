#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# check-man-flags.sh COMMAND_C MANUAL - has the page an entry ".It Fl" for each
# flag that the command gives getopt(3), and no other?
set -eu

letters() {
	tr -d '\n' | fold -w1 | sort
}
want=$(sed -n 's/.*"+\([A-Za-z:]*\)".*/\1/p' "$1" | tr -d ':' | letters)
got=$(sed -n 's/^\.It Fl \([A-Za-z]\).*/\1/p' "$2" | letters)
[ -n "$want" ] && [ "$want" = "$got" ] && exit
echo "flags of $1:" $want
echo "flags of $2:" $got
exit 1
