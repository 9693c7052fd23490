/*
 * A library that is opened when tracing has begun: its functions have probes, of
 * patterns as well as of what was not there to be named.
 * @needs: bpf
 * @engines: kernel process
 * @target: opens
 * @run: -Zqs %f -c %t
 */
pid$target:libm.so.6:cbrt:entry { named++; }
pid$target:libm*:cbrt:entry { matched++; }
pid$target:libm*:cbrt:return
/named && matched/
{
	printf("%s %s\n", probemod, probefunc);
	exit(named == matched ? 0 : 1);
}
