/*
 * Registers of the user in a thread of the kernel, and of the kernel where it
 * was not the kernel that was interrupted.
 * @needs: bpf
 * @run: -qs %f -c 'sh -c "while :; do :; done"'
 * @timeout: 60
 * @sort
 * @nostderr: how often a fault comes before the end is chance
 */
int k;
int u;
profile-997 /(curthread->flags & 0x200000) != 0 && k == 0/ { k = 1; trace(uregs[R_RIP]); }
profile-997 /arg1 != 0 && u == 0/ { u = 1; trace(regs[R_RIP]); }
ERROR /arg4 == 1 && arg5 == 0/ { @[arg2] = count(); }
tick-10ms /k && u/ { exit(0); }
END { clear(@); printa("%d %@d\n", @); }
