/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * udp.d - UDP: udpinfo_t is a header (struct udphdr *), udpsinfo_t a socket
 * (struct sock *).  Numbers are in the host's order.
 */
#pragma D depends_on library tcp.d

typedef struct udpinfo {
	uint16_t udp_sport;
	uint16_t udp_dport;
	uint16_t udp_length;	/* bytes with the header */
	uint16_t udp_checksum;
	struct udphdr *udp_hdr;
} udpinfo_t;

typedef struct udpsinfo {
	uintptr_t udps_addr;	/* its struct sock */
	uint16_t udps_lport;
	uint16_t udps_rport;
	string udps_laddr;
	string udps_raddr;
} udpsinfo_t;

translator udpinfo_t < struct udphdr *H > {
	udp_sport = H == NULL ? 0 : ntohs(H->source);
	udp_dport = H == NULL ? 0 : ntohs(H->dest);
	udp_length = H == NULL ? 0 : ntohs(H->len);
	udp_checksum = H == NULL ? 0 : ntohs(H->check);
	udp_hdr = H;
};

translator udpsinfo_t < struct sock *S > {
	udps_addr = (uintptr_t)S;
	udps_lport = __sock_lport[S];
	udps_rport = __sock_rport[S];
	udps_laddr = __sock_laddr[S];
	udps_raddr = __sock_raddr[S];
};

/*
 * What the provider tells: arg1 a struct sock or NULL, arg2 the IP header, arg4 the
 * struct udphdr, arg7 whether it comes from the other end.
 */
struct __udp_end;

translator udpsinfo_t < struct __udp_end *E > {
	udps_addr = (uintptr_t)arg1;
	udps_lport = arg7 != 0 ? ntohs(((struct udphdr *)arg4)->dest) :
	    ntohs(((struct udphdr *)arg4)->source);
	udps_rport = arg7 != 0 ? ntohs(((struct udphdr *)arg4)->source) :
	    ntohs(((struct udphdr *)arg4)->dest);
	udps_laddr = arg7 != 0 ? __ip_daddr[(uint8_t *)arg2] :
	    __ip_saddr[(uint8_t *)arg2];
	udps_raddr = arg7 != 0 ? __ip_saddr[(uint8_t *)arg2] :
	    __ip_daddr[(uint8_t *)arg2];
};
