#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# check-man.sh OPT_DEF MANUAL CMD_USAGE_C - is the manual page in step?
#
# Every flag of the usage text in cmd_usage.c must have an entry ".It Fl", and
# these be such flags, but for -64, which says what is so.
# Every option of lib/opt.def must have an entry in the section TRACING OPTIONS,
# those that are refused (class NONE) in its subsection Refused, and
# every entry must be such an option.  Where mandoc(1) is installed the page
# must also pass its lint.
set -eu

opts=$1
man=$2
cmd=$3
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

sed -n 's/^OPT(\([a-z]*\), *[A-Z]*, *\([A-Z]*\),.*/\1 \2/p' "$opts" |
	awk '{ print $1, $2 == "NONE" ? "refused" : "served" }' |
	sort >"$tmp/served"

# Entries are ".It Cm name" or ".It Cm name , name"; values follow "=", and
# "*" marks what a program may not set.
awk '/^\.Sh/ { on = /TRACING OPTIONS/; how = "served" }
	/^\.Ss Refused/ { how = "refused" }
	on && /^\.It Cm/ {
		sub(/^\.It Cm /, ""); sub(/ Ns.*/, "")
		n = split($0, name, / , /)
		for (i = 1; i <= n; i++)
			print name[i], how
	}' "$man" | sort >"$tmp/described"

if ! diff "$tmp/served" "$tmp/described" >"$tmp/diff"; then
	echo "options (<) and the manual (>) differ:"
	cat "$tmp/diff"
	exit 1
fi

sed -n 's/^"\\t-\([A-Za-z]\)  .*/\1/p' "$cmd" | sort >"$tmp/flags"
sed -n 's/^\.It Fl \([A-Za-z]\)\( .*\)*$/\1/p' "$man" | sort >"$tmp/entries"
if ! diff "$tmp/flags" "$tmp/entries" >"$tmp/diff"; then
	echo "flags (<) and the manual (>) differ:"
	cat "$tmp/diff"
	exit 1
fi
if command -v mandoc >/dev/null; then
	mandoc -T lint -W warning "$man"
fi
