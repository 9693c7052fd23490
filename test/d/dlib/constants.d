/*
 * Constants of each file of the D library that has some.
 * @needs: bpf
 * @engines: kernel process
 */
BEGIN
{
	printf("%d %d %d\n", ENOENT, E2BIG, EHWPOISON);
	printf("%d %d %d\n", SIGKILL, CLD_KILLED, SI_TKILL);
	printf("%o %o %d\n", O_CREAT, S_IFMT, AT_FDCWD);
	printf("%d %d %d\n", AF_INET6, IPPROTO_TCP, IPPROTO_OSPF);
	printf("%d %d %d\n", B_WRITE, SONPROC, TCP_STATE_LISTEN);
	printf("%d %d %d %d\n", TH_SYN | TH_ACK, RW_READER, R_SP, R_EAX);
	printf("%s %s\n", tcp_state_string[TCP_STATE_CLOSING],
	    tcp_state_string[99]);
	printf("%d\n", DTRACEFLT_LIBRARY);
	exit(0);
}
