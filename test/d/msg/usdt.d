/*
 * A path in a description, as bpftrace has it.
 * @run: -n 'usdt:/usr/lib/libx.so.1:start { @ = count(); }'
 * @status: 1
 * @stderr
 */
