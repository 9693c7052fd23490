dtrace: could not enable tracing: syscall:vmlinux:read:entry: kernel engine: not wanted \(-x engine=process\); process engine: has no cwd \(which is made of curthread\)( \(-x engine=kernel can\))?
