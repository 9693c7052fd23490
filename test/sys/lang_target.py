# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A program whose stacks are known: at each getppid(2) it writes to the file of
its first argument what its own frames are, the innermost first."""
import asyncio
import functools
import os
import re
import sys
import threading
import time

out = open(sys.argv[1], "w", encoding="utf-8")


def leaf():
    frames = []
    f = sys._getframe()
    while f is not None:
        # The call of getppid() below is two lines behind this frame's line.
        frames.append((os.path.basename(f.f_code.co_filename),
                       f.f_code.co_qualname, f.f_lineno))
        f = f.f_back
    line = f"{frames[0][0]}`{frames[0][1]}:"
    print(line + str(sys._getframe().f_lineno + 1), end="|", file=out)
    os.getppid()
    print(*(f"{a}`{b}:{c}" for a, b, c in frames[1:]), sep="|", file=out,
          flush=True)


class Größe:
    class Inner:
        @staticmethod
        def method():
            def local():
                leaf()
            local()

    def __lt__(self, other):
        leaf()
        return True


def recurse(n):
    return leaf() if n == 0 else recurse(n - 1)


def generator():
    yield from inner()


def inner():
    leaf()
    yield 1


async def coroutine():
    await asyncio.sleep(0)
    leaf()


def long_line():
    return [leaf(
    ) for _ in range(
        2)]


leaf()
time.sleep(0.5)  # libraries that came with imports are read at the first stack
Größe.Inner.method()
list(map(lambda x: leaf(), [1]))
sorted([Größe(), Größe()])
recurse(20)
list(generator())
asyncio.run(coroutine())
re.sub("a", lambda m: (leaf(), "b")[1], "a")
functools.reduce(lambda a, b: leaf(), [1, 2])
long_line()
exec(compile("\n" * 300 + "leaf()", "made/up name.py", "exec"))
t = threading.Thread(target=recurse, args=(2,))
t.start()
t.join()
try:
    leaf()
    raise ValueError
except ValueError:
    leaf()
