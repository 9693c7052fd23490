#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# check-man-probes.sh TABLE MANUAL - has a provider's page all of its probes?
#
# Every PROBE of the table must be a Fn of the synopsis and an entry of the
# description, and these nothing else.  Where mandoc(1) is installed the page
# must also pass its lint.
set -eu

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

sed -n 's/^PROBE([^,]*, *"[^"]*", *"\([^"]*\)",.*/\1/p' "$1" |
	sort >"$tmp/table"
sed -n 's/^\.Fn [a-z]*:::\([a-z-]*\).*/\1/p' "$2" | sort >"$tmp/synopsis"
sed -n 's/^\.It Cm \([a-z-]*\)$/\1/p' "$2" | sort >"$tmp/entries"

for part in synopsis entries; do
	if ! diff "$tmp/table" "$tmp/$part" >"$tmp/diff"; then
		echo "the table (<) and the page's $part (>) differ:"
		cat "$tmp/diff"
		exit 1
	fi
done
if command -v mandoc >/dev/null; then
	mandoc -T lint -W warning "$2"
fi
