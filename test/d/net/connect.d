/*
 * A connection that a process asks for, by the packet that goes out for it: in
 * the process's own context.
 * @needs: bpf
 * @run: -qs %f -c '/bin/bash -c "exec 2>/dev/null; : 3<>/dev/tcp/127.0.0.1/1; exit 0"'
 */
tcp:::connect-request,
tcp:::send
/pid == $target && args[4]->tcp_dport == 1/
{
	printf("%s %s %s %d %d %x\n", probename, args[2]->ip_daddr,
	    args[3]->tcps_raddr, args[4]->tcp_flags & (TH_SYN | TH_ACK),
	    args[3]->tcps_state == TCP_STATE_SYN_SENT,
	    args[3]->tcps_cwnd_ssthresh);
}
