/*
 * Arguments in registers and on the stack, narrow ones, and what is returned.
 * @needs: bpf
 * @engines: kernel process
 * @target: calls
 * @run: -qs %f -c %t
 */
pid$target:a.out:eight:entry
{
	printf("%d %d %d %d %d %d %d %d\n", arg0, arg1, arg2, arg3, arg4, arg5,
	    arg6, arg7);
}
pid$target:a.out:eight:return { printf("= %d\n", arg1); }
pid$target:a.out:narrow:entry
{
	printf("%d %d %u %d\n", (char)arg0, (short)arg1, (uint32_t)arg2,
	    (int)arg0 < 0);
}
pid$target:a.out:narrow:return { printf("= %d\n", (int)arg1); }
pid$target:a.out:depth:entry { printf("in %d\n", (int)arg0); }
pid$target:a.out:depth:return { printf("out %d\n", (int)arg1); }
pid$target:a.out:name:entry { self->s = arg0; }
pid$target:a.out:name:return /self->s/
{
	printf("%s -> %s %d\n", copyinstr(self->s), copyinstr(arg1),
	    arg1 - self->s);
	self->s = 0;
}
