/*
 * @needs: bpf
 */

BEGIN
{
	/* In a chroot it is the path that the kernel knows. */
	printf("%s %s\n", substr(d_path(&curthread->fs->root), 0, 1),
	    substr(d_path(&curthread->fs->pwd), 0, 1));
	printf("%s\n", basename(d_path(&curthread->fs->pwd)));
	/* standard output is a pipe */
	printf("%s\n", d_path(&curthread->files->fdt->fd[1]->f_path));
}

BEGIN
{
	trace(d_path((struct path *)8));
}

ERROR
{
	printf("fault %d %x\n", arg4, arg5);
}

BEGIN
{
	exit(0);
}
