/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * net.d - sockets: the constants of <sys/socket.h> and <netinet/in.h>, and
 * conninfo_t, what probes about connections say of the two ends.
 */

/* Address families. */
inline int AF_UNSPEC = 0;
inline int AF_UNIX = 1;
inline int AF_LOCAL = 1;
inline int AF_INET = 2;
inline int AF_AX25 = 3;
inline int AF_IPX = 4;
inline int AF_APPLETALK = 5;
inline int AF_X25 = 9;
inline int AF_INET6 = 10;
inline int AF_NETLINK = 16;
inline int AF_ROUTE = 16;
inline int AF_PACKET = 17;
inline int AF_RDS = 21;
inline int AF_PPPOX = 24;
inline int AF_CAN = 29;
inline int AF_TIPC = 30;
inline int AF_BLUETOOTH = 31;
inline int AF_ALG = 38;
inline int AF_VSOCK = 40;
inline int AF_XDP = 44;

/* socket(), shutdown(). */
inline int SOCK_STREAM = 1;
inline int SOCK_DGRAM = 2;
inline int SOCK_RAW = 3;
inline int SOCK_RDM = 4;
inline int SOCK_SEQPACKET = 5;
inline int SOCK_PACKET = 10;
inline int SOCK_NONBLOCK = 2048;
inline int SOCK_CLOEXEC = 524288;
inline int SHUT_RD = 0;
inline int SHUT_WR = 1;
inline int SHUT_RDWR = 2;

/* send(), recv(). */
inline int MSG_OOB = 0x1;
inline int MSG_PEEK = 0x2;
inline int MSG_DONTROUTE = 0x4;
inline int MSG_CTRUNC = 0x8;
inline int MSG_TRUNC = 0x20;
inline int MSG_DONTWAIT = 0x40;
inline int MSG_EOR = 0x80;
inline int MSG_WAITALL = 0x100;
inline int MSG_CONFIRM = 0x800;
inline int MSG_ERRQUEUE = 0x2000;
inline int MSG_NOSIGNAL = 0x4000;
inline int MSG_MORE = 0x8000;
inline int MSG_WAITFORONE = 0x10000;
inline int MSG_ZEROCOPY = 0x4000000;
inline int MSG_FASTOPEN = 0x20000000;
inline int MSG_CMSG_CLOEXEC = 0x40000000;

/* setsockopt(). */
inline int SOL_SOCKET = 1;
inline int SO_DEBUG = 1;
inline int SO_REUSEADDR = 2;
inline int SO_TYPE = 3;
inline int SO_ERROR = 4;
inline int SO_DONTROUTE = 5;
inline int SO_BROADCAST = 6;
inline int SO_SNDBUF = 7;
inline int SO_RCVBUF = 8;
inline int SO_KEEPALIVE = 9;
inline int SO_OOBINLINE = 10;
inline int SO_PRIORITY = 12;
inline int SO_LINGER = 13;
inline int SO_REUSEPORT = 15;
inline int SO_PASSCRED = 16;
inline int SO_PEERCRED = 17;
inline int SO_RCVLOWAT = 18;
inline int SO_SNDLOWAT = 19;
inline int SO_RCVTIMEO = 20;
inline int SO_SNDTIMEO = 21;
inline int SO_BINDTODEVICE = 25;
inline int SO_TIMESTAMP = 29;
inline int SO_ACCEPTCONN = 30;
inline int SO_MARK = 36;
inline int SO_PROTOCOL = 38;
inline int SO_DOMAIN = 39;
inline int SO_BUSY_POLL = 46;
inline int SO_ZEROCOPY = 60;

/* Protocols above IP. */
inline int IPPROTO_IP = 0;
inline int IPPROTO_ICMP = 1;
inline int IPPROTO_IGMP = 2;
inline int IPPROTO_IPIP = 4;
inline int IPPROTO_TCP = 6;
inline int IPPROTO_EGP = 8;
inline int IPPROTO_PUP = 12;
inline int IPPROTO_UDP = 17;
inline int IPPROTO_IDP = 22;
inline int IPPROTO_TP = 29;
inline int IPPROTO_DCCP = 33;
inline int IPPROTO_IPV6 = 41;
inline int IPPROTO_ROUTING = 43;
inline int IPPROTO_FRAGMENT = 44;
inline int IPPROTO_RSVP = 46;
inline int IPPROTO_GRE = 47;
inline int IPPROTO_ESP = 50;
inline int IPPROTO_AH = 51;
inline int IPPROTO_ICMPV6 = 58;
inline int IPPROTO_NONE = 59;
inline int IPPROTO_DSTOPTS = 60;
inline int IPPROTO_MTP = 92;
inline int IPPROTO_ENCAP = 98;
inline int IPPROTO_PIM = 103;
inline int IPPROTO_COMP = 108;
inline int IPPROTO_SCTP = 132;
inline int IPPROTO_UDPLITE = 136;
inline int IPPROTO_MPLS = 137;
inline int IPPROTO_ETHERNET = 143;
inline int IPPROTO_RAW = 255;
inline int IPPROTO_MPTCP = 262;

/* OSPF has a number, but no name in <netinet/in.h>. */
inline int IPPROTO_OSPF = 89;

typedef struct conninfo {
	string ci_local;	/* address of this end */
	string ci_remote;	/* of the other */
	string ci_protocol;	/* "ipv4" or "ipv6" */
} conninfo_t;
