/*
 * A translator of the kernel's tasks; members may be translated by itself.
 * Numbers are the kernel's, which in a container are not those of pid and ppid.
 *
 * @needs: bpf
 */
typedef struct who {
	pid_t w_pid;
	string w_name;
	struct who *w_parent;
	uintptr_t w_addr;
} who_t;
translator who_t < struct task_struct *T > {
	w_pid = T->tgid;
	w_name = T->comm;
	w_parent = xlate <who_t *>(T->real_parent);
	w_addr = (uintptr_t)T;
};
inline who_t *who = xlate <who_t *>(curthread);

BEGIN
{
	printf("%d %d\n", who->w_pid == curthread->tgid, who->w_name == execname);
	printf("%d\n", who->w_parent->w_pid == curthread->real_parent->tgid);
	printf("%d\n", who->w_addr == (uintptr_t)curthread);
	this->copy = *who;
	printf("%d %s\n", this->copy.w_pid == curthread->tgid, this->copy.w_name);
	exit(0);
}
