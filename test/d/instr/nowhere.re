dtrace: could not enable tracing: instr\d+:kinds:mixed:lock-e: the kernel cannot place a probe there: it steps no such instruction \(lock, AVX, trap\) \(-x engine=process can\)
