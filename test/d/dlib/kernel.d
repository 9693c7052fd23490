/*
 * Where the kernel's types differ, a translator finds the way; here of the
 * current process, by its task, as any other would be.
 * @needs: bpf
 * @run: -qs %f -c /bin/true
 */
inline psinfo_t *me = xlate <psinfo_t *> (curthread);
inline lwpsinfo_t *my = xlate <lwpsinfo_t *> (curthread);

syscall::exit_group:entry
/pid == $target/
{
	printf("%d %d %s\n", me->pr_pid == pid, me->pr_ppid == ppid,
	    me->pr_fname);
	printf("%d %d %d\n", me->pr_nlwp, me->pr_dmodel == PR_MODEL_LP64,
	    me->pr_argc);
	printf("%d %c %s\n", my->pr_state == SONPROC, my->pr_sname,
	    my->pr_clname);
	printf("%d %d\n", me->pr_rssize > 0, me->pr_size >= me->pr_rssize);
	printf("%d\n", me->pr_lwp.pr_lwpid == curlwpsinfo->pr_lwpid);
	printf("%s\n", fds[1000].fi_pathname);
}
