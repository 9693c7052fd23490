/*
 * A datagram, as the ip and udp providers see it go.
 * @needs: bpf
 * @run: -qs %f -c '/bin/bash -c "echo datagram >/dev/udp/127.0.0.1/9"'
 */
udp:::send
/pid == $target/
{
	printf("udp %d %d %s\n", args[4]->udp_dport, args[4]->udp_length,
	    args[3]->udps_raddr);
}

ip:::send
/pid == $target && args[4]->ipv4_protocol == IPPROTO_UDP/
{
	printf("ip %d %s %s %d\n", args[2]->ip_ver, args[2]->ip_daddr,
	    args[3]->if_name, args[2]->ip_plength);
}
