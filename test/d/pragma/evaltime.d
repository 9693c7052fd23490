/*
 * The command is started before the program is read; then it goes on to the time
 * that the program asks for: the constructors have run.
 * @engines: kernel process
 * @target: evaltime
 * @run: -qs %f -c %t
 */
#pragma D option evaltime=main
syscall::getppid:entry /pid == $target/ { printf("getppid %d\n", n++); }
syscall::exit_group:entry /pid == $target/ { printf("status %d\n", (int)arg0); }
