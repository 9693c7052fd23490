/*
 * A script that is for everybody without them says nothing.
 * @needs: bpf
 * @run: -qs %f
 * @stderr
 */
syscall::getppid:entry /$target == 0 || pid == $target/ { @ = count(); }
BEGIN { exit(0); }
