/*
 * What built-in variables say of a process and its thread is the same in
 * curpsinfo and curlwpsinfo, in every engine.
 * @needs: bpf
 * @engines: kernel process
 * @run: -qs %f -c /bin/true
 */
syscall::exit_group:entry
/pid == $target/
{
	printf("%d %d %d %d\n", curpsinfo->pr_pid == pid,
	    curpsinfo->pr_ppid == ppid, curpsinfo->pr_uid == uid,
	    curpsinfo->pr_gid == gid);
	printf("%s %s %d\n", curpsinfo->pr_fname, curpsinfo->pr_psargs,
	    strlen(curpsinfo->pr_fname));
	printf("%d %d %s\n", curlwpsinfo->pr_lwpid == tid,
	    curlwpsinfo->pr_state == SONPROC, curlwpsinfo->pr_name);
	printf("%c %d %d\n", curlwpsinfo->pr_sname,
	    curlwpsinfo->pr_onpro == curcpu->cpu_id, pset);
	printf("%d %d\n", curpsinfo->pr_wstat, curpsinfo->pr_zoneid);
}
