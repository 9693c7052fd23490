#!/usr/bin/env -S dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * cppexceptions - exceptions of C++ that a process throws and catches
 *
 * Usage: dtrace run cppexceptions -p PID [SECONDS [STACKS]]
 *        dtrace run cppexceptions -c CMD [SECONDS [STACKS]]
 * Needs: any user with -p or -c
 * Args:  $1  seconds after which it ends; 0: when it is interrupted (0)
 *        $2  how many stacks are shown (5)
 *
 * For each type that is thrown how often, and the stacks that throw, the most
 * frequent last; how often exceptions were caught, and thrown on by a throw
 * without an operand.
 *
 * The probes are those of libstdc++; a program that is linked with it
 * statically is seen only if it has them too.
 *
 * See: pyexceptions
 */
#pragma D option quiet
#pragma D option defaultargs
#pragma D option zdefs

libstdcxx$target:::throw
{
	this->name = copyinstr(*(uintptr_t *)copyin(arg1 + 8, 8));
	@thrown[this->name] = count();
	@stacks[this->name, ustack()] = count();
}

libstdcxx$target:::catch
{
	@what["caught"] = count();
}

libstdcxx$target:::rethrow
{
	@what["thrown on"] = count();
}

profile:::tick-1s
/$1 != 0 && ++seconds >= $1/
{
	exit(0);
}

dtrace:::END
{
	trunc(@stacks, $2 ? $2 : 5);
	printa("%#S%k%@16d\n\n", @stacks);
	printf("%10s  %s\n", "THROWN", "TYPE");
	printa("%@10d  %#S\n", @thrown);
	printa("%@10d  (%s)\n", @what);
}
