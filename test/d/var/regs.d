/*
 * Registers of the kernel where a timer has interrupted it, by constant and by
 * computed index: the pc is arg0's.
 * @needs: bpf
 */
#pragma D option quiet

int n;
int ticks;

profile-997
/arg0 != 0 && regs[R_RIP] == arg0/
{
	this->i = 15;
	this->i++;
	@same[regs[this->i] == arg0, regs[R_RSP] != 0, ipl] = count();
	n++;
}

profile-997 /arg0 != 0 && regs[R_RIP] != arg0/ { printf("other\n"); }

tick-10ms /n > 0 || ++ticks > 1000/ { exit(0); }

END { clear(@same); printa("%d %d %d\n", @same); }
