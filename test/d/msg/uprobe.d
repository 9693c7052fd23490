/*
 * A path in a description, as bpftrace has it.
 * @run: -n 'uprobe:/bin/bash:readline { @ = count(); }'
 * @status: 1
 * @stderr
 */
