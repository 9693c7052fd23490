/*
 * A translated pointer is NULL where what is translated is.
 *
 * @needs: bpf
 */
typedef struct who {
	pid_t w_pid;
} who_t;
translator who_t < struct task_struct *T > {
	w_pid = T->tgid;
};
inline who_t *who = xlate <who_t *>(curthread);

BEGIN
{
	printf("%d %d %d\n", who != NULL, who == 0, 0 != who);
	printf("%d\n", NULL == xlate <who_t *>((struct task_struct *)NULL));
}
BEGIN /who != NULL && who->w_pid == curthread->tgid/ { exit(0); }
