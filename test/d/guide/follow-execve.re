
dtrace: process \d+: syscall::execve:return fires there only where the call fails: after a success another program runs \(proc:::exec-success reports it\)
