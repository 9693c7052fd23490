#!/usr/bin/env -S dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * tclcalls - commands of a Tcl program, by how often they are called
 *
 * Usage: dtrace run tclcalls -p PID [SECONDS [COMMANDS]]
 *        dtrace run tclcalls -c CMD [SECONDS [COMMANDS]]
 * Needs: any user with -p or -c
 * Args:  $1  seconds after which it ends; 0: when it is interrupted (0)
 *        $2  how many commands are shown (30)
 *
 * For each command of Tcl, procedures too, how often it was called. Commands
 * that the compiler of Tcl has made into its own instructions (set, if, while,
 * expr in a procedure) are not seen.
 *
 * It looks at the function TclNREvalObjv of Tcl 8.6, and at the first of the
 * words that it is given.
 *
 * See: pycalls, perlops
 */
#pragma D option quiet
#pragma D option defaultargs

/* Of Tcl_Obj: the text is behind the count of references. It may have none. */
pid$target:libtcl8.6.so*:TclNREvalObjv:entry
/(int)arg1 > 0/
{
	this->obj = *(uintptr_t *)copyin(arg2, sizeof(uintptr_t));
	this->text = *(uintptr_t *)copyin(this->obj + 8, sizeof(uintptr_t));
	@calls[this->text ? copyinstr(this->text) : "?"] = count();
}

profile:::tick-1s
/$1 != 0 && ++seconds >= $1/
{
	exit(0);
}

dtrace:::END
{
	trunc(@calls, $2 ? $2 : 30);
	printf("%10s  %s\n", "CALLS", "COMMAND");
	printa("%@10d  %S\n", @calls);
}
