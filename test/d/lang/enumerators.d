/*
 * The kernel's enumerators: by their names alone, and beside a value of their
 * type, which also decides between several of one name.
 *
 * @needs: bpf
 */
BEGIN
{
	this->t = (enum cgroup2_param)8;
	printf("%d %d\n", PIDTYPE_PGID, PIDTYPE_PGID == (enum pid_type)2);
	printf("%d %d\n", Opt_favordynmods == (enum cgroup2_param)1,
	    (enum cgroup1_param)8 == Opt_favordynmods);
	printf("%d\n", (enum cgroup1_param)Opt_favordynmods);
	printf("%d\n", this->t == Opt_favordynmods);
	exit(0);
}
