# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tools that watch what the threads of a process wait for."""
from toolkit import tool

# Five times a thread waits for a lock, which another holds for 20 ms at least
# and until it is waited for (2: glibc's word for that); five waits for a condition
# may end by a signal, one by a timeout.
LOCKS = r"""
#include <pthread.h>
#include <time.h>
#include <unistd.h>
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t turns = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
int turn, held;
static void *other(void *a)
{
	pthread_mutex_lock(&lock);
	__atomic_store_n(&held, 1, __ATOMIC_SEQ_CST);
	usleep(20000);
	for (int i = 0; i < 10000 && *(volatile int *)&lock != 2; i++)
		usleep(1000);
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&turns);
	turn = 1;
	pthread_cond_signal(&cond);
	pthread_mutex_unlock(&turns);
	return a;
}
__attribute__((noinline)) static void wanted(void)
{
	pthread_mutex_lock(&lock);
	__asm__ volatile("");
	pthread_mutex_unlock(&lock);
	__asm__ volatile("");
}
int main(void)
{
	pthread_t t;
	struct timespec at;
	for (int i = 0; i < 5; i++) {
		turn = held = 0;
		pthread_mutex_lock(&turns);
		pthread_create(&t, 0, other, 0);
		while (!__atomic_load_n(&held, __ATOMIC_SEQ_CST))
			usleep(100);
		wanted();
		while (!turn)
			pthread_cond_wait(&cond, &turns);
		pthread_mutex_unlock(&turns);
		pthread_join(t, 0);
	}
	clock_gettime(CLOCK_REALTIME, &at);
	at.tv_sec -= 1;
	pthread_mutex_lock(&turns);
	pthread_cond_timedwait(&cond, &turns, &at);
	pthread_mutex_unlock(&turns);
	return 0;
}
"""


def symbol(text):
    return text.partition("`")[2].partition("+")[0]


def lockwaits_of(t, user):
    r = t.run("-c", t.compile(LOCKS, "-pthread"), user=user)
    row = {symbol(x["LOCK"]): x for x in r.table("WAITS")}["lock"]
    assert row["WAITS"] == "5", r.out
    assert int(row["TIME(ns)"]) >= int(row["LONGEST(ns)"]) > 1000, r.out
    assert "`wanted+" in r.out, r.out
    assert sum(r.histogram().values()) >= int(row["WAITS"]), r.out


@tool("lockwaits", "ptrace")
def lockwaits(t):
    lockwaits_of(t, True)


@tool("lockwaits", "bpf")
def lockwaits_root(t):
    """Root would have the kernel engine, if the tool did not choose."""
    lockwaits_of(t, False)


@tool("lockhold", "ptrace")
def lockhold(t):
    r = t.run("-c", t.compile(LOCKS, "-pthread"), user=True)
    rows = {(symbol(x["MUTEX"]), symbol(x["CALLER"])): x
            for x in r.table("HELD")}
    held = rows["lock", "other"]
    assert held["HELD"] == "5", r.out
    assert int(held["TIME(ns)"]) >= 5 * 20000000, r.out
    assert int(held["LONGEST(ns)"]) >= 20000000, r.out
    assert rows["lock", "wanted"]["HELD"] == "5", r.out


@tool("condwaits", "ptrace")
def condwaits(t):
    r = t.run("-c", t.compile(LOCKS, "-pthread"), user=True)
    row = {symbol(x["CONDITION"]): x for x in r.table("WAITS")}["cond"]
    assert row["TIMEOUTS"] == "1" and 1 <= int(row["WAITS"]) <= 6, r.out
    assert "libc.so.6`pthread_cond_" in r.out, r.out


SLEEPS = r"""
#include <poll.h>
#include <unistd.h>
#include <sys/syscall.h>
#include <time.h>
__attribute__((noinline)) int sleepy(void)
{
	struct timespec t = { 0, 30000000 };
	return syscall(SYS_nanosleep, &t, 0);
}
int main(void)
{
	struct pollfd none = { -1, 0, 0 };
	for (int i = 0; i < 6; i++)
		sleepy();
	for (int i = 0; i < 3; i++)
		poll(0, 0, 10);
	poll(&none, 1, 1);
	return 0;
}
"""


@tool("blocked", "ptrace")
def blocked(t):
    r = t.run("-c", t.compile(SLEEPS), user=True)
    rows = {x["CALL"]: x for x in r.table("CALLS")}
    assert rows["nanosleep"]["CALLS"] == "6", r.out
    # Less what the thread was on a CPU meanwhile.
    assert int(rows["nanosleep"]["WAITING(ns)"]) > 6 * 25000000, r.out
    assert int(rows["nanosleep"]["LONGEST(ns)"]) > 25000000, r.out
    assert rows["poll"]["CALLS"] == "4", r.out
    assert "`sleepy+" in r.out, r.out


def sleeps_of(t, user):
    r = t.run("-c", t.compile(SLEEPS), user=user)
    rows = {x["CALL"]: x for x in r.table("PID")}
    assert rows["nanosleep"]["CALLS"] == "6", r.out
    assert int(rows["nanosleep"]["TIME(ms)"]) >= 180, r.out
    assert rows["poll"]["CALLS"] == "3", r.out
    assert int(rows["poll"]["TIME(ms)"]) >= 30, r.out
    assert "`sleepy+" in r.out, r.out


@tool("sleeps", "ptrace")
def sleeps(t):
    sleeps_of(t, True)


@tool("sleeps", "bpf")
def sleeps_all(t):
    p = t.start()
    work = t.spawn(t.compile(SLEEPS))
    work.wait()
    rows = [x for x in t.stop(p).table("PID") if int(x["PID"]) == work.pid]
    assert {x["CALL"]: x["CALLS"] for x in rows} == \
        {"nanosleep": "6", "poll": "3"}, rows


@tool("eventloop", "ptrace")
def eventloop(t):
    r = t.run("-c", t.python("""
import select, time
p = select.poll()
p.poll(1)
for i in range(5):
    end = time.monotonic() + 0.02
    while time.monotonic() < end:
        pass
    p.poll(1)
"""), "0", "15", user=True)
    row = r.table("THREAD")[0]
    assert row["TURNS"] == "5", r.out
    assert int(row["BUSY(us)"]) >= 100000, r.out
    assert int(row["LONGEST(us)"]) >= 20000, r.out
    assert int(row["WAITING(us)"]) >= 6000, r.out
    assert r.out.count(" was busy for ") == 5, r.out
    assert sum(r.histogram().values()) == 5, r.out
