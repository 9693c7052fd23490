
dtrace: process \d+: syscall::execve:return fires there only where the call fails: after a success another program runs \(proc:::exec-success of the kernel engine tells of it\)
dtrace: process \d+: syscall::vfork:return fires in the parent alone, not in the child
