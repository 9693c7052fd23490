/*
 * The kernel's function is called as often, and for as many bytes, as the
 * program says; every call returns, with what was written.
 * @needs: bpf kprobe
 * @run: -qs %f -c 'dd if=/dev/zero of=/dev/null bs=7 count=1000 status=none'
 */
fbt::write_null:entry
/pid == $target/
{
	@calls = count();
	@bytes = sum(args[2]);
}

fbt::write_null:return
/pid == $target/
{
	@returns = count();
	@written = sum(args[1]);
}

END
{
	printa("%@d calls, %@d bytes; ", @calls, @bytes);
	printa("%@d returns, %@d bytes\n", @returns, @written);
}
