/*
 * Instructions by kind fire as often as those at the same offsets do, and as the
 * program says.
 * @needs: bpf
 * @engines: kernel process
 * @target: kinds
 * @run: -qs %f -c %t
 */
instr$target:a.out:mixed:je-*, instr$target:a.out:mixed:call-*,
instr$target:a.out:mixed:nop-*, instr$target:a.out:mixed:ret-*,
instr$target:a.out:mixed:jmp-16
{
	@kinds[probefunc, probename] = count();
}

pid$target:a.out:mixed:7, pid$target:a.out:mixed:9, pid$target:a.out:mixed:18,
pid$target:a.out:mixed:21, pid$target:a.out:mixed:16
{
	@offsets[probefunc, probename] = count();
}

END
{
	printa("%s %s %@d\n", @kinds);
	printa("%s %s %@d\n", @offsets);
}
