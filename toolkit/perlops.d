#!/usr/bin/env -S dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * perlops - operations that a Perl program executes, by kind
 *
 * Usage: dtrace run perlops -p PID [SECONDS [KINDS]]
 *        dtrace run perlops -c CMD [SECONDS [KINDS]]
 * Needs: any user with -p or -c
 * Args:  $1  seconds after which it ends; 0: when it is interrupted (0)
 *        $2  how many kinds are shown (30)
 *
 * Perl makes a tree of operations of a program and executes one after the
 * other: how often each kind was, as entersub (a call), const, padsv (a
 * variable), match, print. perldoc Opcode says what they are. A program that
 * spends its time in few kinds can often be made faster by others.
 *
 * A function is counted for each; kinds that share a function are counted
 * together, and those that call another do so too. Debian's perl has the
 * symbols.
 *
 * See: tclcalls, pycalls
 */
#pragma D option quiet
#pragma D option defaultargs

pid$target::Perl_pp_*:entry
{
	@ops[substr(probefunc, 8)] = count();
}

profile:::tick-1s
/$1 != 0 && ++seconds >= $1/
{
	exit(0);
}

dtrace:::END
{
	trunc(@ops, $2 ? $2 : 30);
	printf("%12s  %s\n", "COUNT", "OPERATION");
	printa("%@12d  %s\n", @ops);
}
