#!/usr/bin/env -S dtrace -s
/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * pyexceptions - exceptions that a Python program raises, and where
 *
 * Usage: dtrace run pyexceptions -p PID [SECONDS [STACKS]]
 *        dtrace run pyexceptions -c CMD [SECONDS [STACKS]]
 * Needs: any user with -p or -c
 * Args:  $1  seconds after which it ends; 0: when it is interrupted (0)
 *        $2  how many stacks are shown (5)
 *
 * For each type how often an exception of it was raised, and the stacks that
 * did, the most frequent last; frames of Python stand between those of the
 * interpreter. The interpreter raises many that nobody sees: StopIteration at
 * a loop's end, AttributeError for hasattr.
 *
 * It looks at the function _PyErr_SetObject of CPython 3.9 and later, by which
 * exceptions are raised, and at their type's name. What the compiler has put
 * into other functions there is not seen: generators that end, most of all.
 *
 * Where CMD is a script that executes the interpreter, as python3 is with pyenv,
 * -x program='python3*' has tracing begin there.
 *
 * See: pycalls, cppexceptions
 */
#pragma D option quiet
#pragma D option defaultargs
#pragma D option zdefs

/* Of PyTypeObject: tp_name is behind a reference count, a type and a size. */
pid$target::_PyErr_SetObject:entry
{
	this->name = copyinstr(*(uintptr_t *)copyin(arg1 + 24, 8));
	@raised[this->name] = count();
	@stacks[this->name, ustack()] = count();
}

profile:::tick-1s
/$1 != 0 && ++seconds >= $1/
{
	exit(0);
}

dtrace:::END
{
	trunc(@stacks, $2 ? $2 : 5);
	printa("%S%k%@16d\n\n", @stacks);
	printf("%10s  %s\n", "RAISED", "TYPE");
	printa("%@10d  %S\n", @raised);
}
