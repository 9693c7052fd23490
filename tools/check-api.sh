#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# check-api.sh PREFIX LEAST HEADER MAP MANUAL LIBRARY CONSUMER... - is the API
# told in full?
#
# Every name PREFIX_* that the header declares with DTRACE_API, at least LEAST
# of them, must match a pattern of the map, have an entry in the manual, be used
# by one of the consumers and, where nm(1) is there to ask, be exported by the
# library; and neither the manual nor the library may know others.  Constants
# that the manual names must be the header's.  mandoc(1) lints the manual.
set -eu

prefix=$1
least=$2
header=$3
map=$4
man=$5
library=$6
shift 6
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
bad=0

# Declarations may break between type and name: join them first.
tr '\n' ' ' <"$header" | sed 's/DTRACE_API/\n&/g' |
	sed -n "s/^DTRACE_API [^;(]*[ *]\(_*${prefix}_[a-z0-9_]*\)[ ]*[[(].*/\1/p" |
	sort -u >"$tmp/api"
if [ "$(wc -l <"$tmp/api")" -lt "$least" ]; then
	echo "$header: the declarations are not understood"
	exit 1
fi

differ() { # LIST WHAT
	if ! diff "$tmp/api" "$1" >"$tmp/diff"; then
		echo "the header (<) and $2 (>) differ:"
		grep '^[<>]' "$tmp/diff"
		bad=1
	fi
}

sed -n "s/^\.It Fn \(${prefix}_[a-z0-9_]*\).*/\1/p
	s/^\.It Va \(_${prefix}_[a-z0-9_]*\).*/\1/p" "$man" | sort >"$tmp/man"
differ "$tmp/man" "the manual"

patterns=$(sed -n '/global:/,/local:/s/^[[:space:]]*\([^;:]*\);.*/\1/p' "$map")
while read -r name; do
	hit=0
	set -f
	for p in $patterns; do
		# The right-hand side is a pattern on purpose.
		case $name in $p) hit=1 ;; esac
	done
	set +f
	if [ $hit = 0 ]; then
		echo "$name: not exported by $map"
		bad=1
	fi
	if ! grep -qw "$name" "$@"; then
		echo "$name: not used by $*"
		bad=1
	fi
done <"$tmp/api"

if command -v nm >/dev/null; then
	nm -D --defined-only "$library" |
		awk '$2 ~ /[TRDB]/ { sub(/@.*/, "", $3); print $3 }' |
		grep "^_*${prefix}_" | sort >"$tmp/lib"
	differ "$tmp/lib" "the library"
fi
upper=$(echo "$prefix" | tr a-z A-Z)
{ grep -o "\(${upper}[A-Z]*\|EDT\)_[A-Z0-9_]*" "$man" || :; } |
	grep -v "_$" | sort -u | while read -r name; do
		grep -qw "$name" "$header" || echo "$name"
	done >"$tmp/unknown"
if [ -s "$tmp/unknown" ]; then
	echo "the manual names what the header has not:"
	cat "$tmp/unknown"
	bad=1
fi
if command -v mandoc >/dev/null; then
	mandoc -T lint -W warning "$man"
fi
exit $bad
