dtrace: failed to compile script hint-pid-function\.d: line 7: no function named mallok in libc\.so\.6 of process [0-9]+ \(did you mean malloc\?\) \(column 1\)
