#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# check-capabilities.sh CAPABILITIES - does tools/capabilities.py end as it says:
# 0 with what is there, 77 without, and 1 where DTRACE_REQUIRE names it?
capabilities=$1
bad=0

# ends STATUS REQUIRED WORD... - it must end with STATUS.
ends() {
	want=$1
	DTRACE_REQUIRE=$2
	export DTRACE_REQUIRE
	shift 2
	said=$("$capabilities" "$@")
	got=$?
	[ "$got" = "$want" ] && return
	echo "DTRACE_REQUIRE='$DTRACE_REQUIRE' $*: $got, not $want: $said"
	bad=1
}

ends 0 "" sh /bin/sh
ends 77 "" no-such-program
ends 77 "" /no/such/file
ends 77 "sh,bpf" sh no-such-program
ends 1 "no-such-program" no-such-program
ends 1 "bpf,/no/such/file" sh /no/such/file
ends 1 "all" no-such-program
ends 0 "all"
list=$(DTRACE_REQUIRE= "$capabilities")
for word in root bpf btf perf uprobe kprobe ptrace pidns write-user; do
	echo "$list" | grep -q "^$word: ." || {
		echo "no line for $word"
		bad=1
	}
done
exit $bad
