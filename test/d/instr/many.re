dtrace: could not enable tracing: \d+ instructions of the kernel are too many: 1024 are the most
