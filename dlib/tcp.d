/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * tcp.d - TCP: tcpinfo_t is a header, tcpsinfo_t a connection as the kernel
 * keeps it, tcplsinfo_t the state that a connection has left.
 *
 *	struct tcphdr *		tcpinfo_t
 *	struct sock *		tcpsinfo_t
 *	int			tcplsinfo_t
 *
 * Probes of the tcp provider have types of their own, since some have a packet
 * and some have none; see the end.
 *
 * Numbers are in the host's order.  What the kernel does not keep for a
 * connection (the first number it has sent, who began it) is refused where a
 * program uses it.
 */
#pragma D depends_on library ip.d

/* tcps_state: the numbers of the kernel */
inline int TCP_STATE_IDLE = 0;
inline int TCP_STATE_ESTABLISHED = 1;
inline int TCP_STATE_SYN_SENT = 2;
inline int TCP_STATE_SYN_RECEIVED = 3;
inline int TCP_STATE_FIN_WAIT_1 = 4;
inline int TCP_STATE_FIN_WAIT_2 = 5;
inline int TCP_STATE_TIME_WAIT = 6;
inline int TCP_STATE_CLOSED = 7;
inline int TCP_STATE_CLOSE_WAIT = 8;
inline int TCP_STATE_LAST_ACK = 9;
inline int TCP_STATE_LISTEN = 10;
inline int TCP_STATE_CLOSING = 11;

inline string tcp_state_string[int STATE] =
	STATE == TCP_STATE_IDLE ? "state-idle" :
	STATE == TCP_STATE_ESTABLISHED ? "state-established" :
	STATE == TCP_STATE_SYN_SENT ? "state-syn-sent" :
	STATE == TCP_STATE_SYN_RECEIVED ? "state-syn-received" :
	STATE == TCP_STATE_FIN_WAIT_1 ? "state-fin-wait-1" :
	STATE == TCP_STATE_FIN_WAIT_2 ? "state-fin-wait-2" :
	STATE == TCP_STATE_TIME_WAIT ? "state-time-wait" :
	STATE == TCP_STATE_CLOSED ? "state-closed" :
	STATE == TCP_STATE_CLOSE_WAIT ? "state-close-wait" :
	STATE == TCP_STATE_LAST_ACK ? "state-last-ack" :
	STATE == TCP_STATE_LISTEN ? "state-listen" :
	STATE == TCP_STATE_CLOSING ? "state-closing" : "<unknown>";

/* tcp_flags */
inline uint8_t TH_FIN = 0x01;
inline uint8_t TH_SYN = 0x02;
inline uint8_t TH_RST = 0x04;
inline uint8_t TH_PSH = 0x08;
inline uint8_t TH_PUSH = 0x08;
inline uint8_t TH_ACK = 0x10;
inline uint8_t TH_URG = 0x20;
inline uint8_t TH_ECE = 0x40;
inline uint8_t TH_CWR = 0x80;

typedef struct tcpinfo {
	uint16_t tcp_sport;
	uint16_t tcp_dport;
	uint32_t tcp_seq;
	uint32_t tcp_ack;
	uint8_t tcp_offset;	/* bytes of the header */
	uint8_t tcp_flags;	/* TH_SYN ... */
	uint16_t tcp_window;
	uint16_t tcp_checksum;
	uint16_t tcp_urgent;
	struct tcphdr *tcp_hdr;
} tcpinfo_t;

typedef struct tcpsinfo {
	uintptr_t tcps_addr;	/* its struct sock */
	int tcps_local;		/* are both ends in this machine? */
	int tcps_active;
	uint16_t tcps_lport;
	uint16_t tcps_rport;
	string tcps_laddr;
	string tcps_raddr;
	int tcps_state;		/* TCP_STATE_ESTABLISHED ... */
	uint32_t tcps_iss;
	uint32_t tcps_irs;
	uint32_t tcps_suna;	/* sent, not acknowledged */
	uint32_t tcps_snxt;	/* next to be sent */
	uint32_t tcps_rnxt;	/* next to come */
	uint32_t tcps_swnd;	/* windows, and their scales */
	int32_t tcps_snd_ws;
	uint32_t tcps_rwnd;
	int32_t tcps_rcv_ws;
	uint32_t tcps_cwnd;	/* bytes */
	uint32_t tcps_cwnd_ssthresh;
	uint32_t tcps_sack_snxt;
	uint32_t tcps_rto;	/* ms */
	uint32_t tcps_mss;
	int tcps_retransmit;	/* is it sending again? */
	uint32_t tcps_rtt;	/* smoothed, ms */
	uint32_t tcps_rtt_sd;	/* its deviation, ms */
} tcpsinfo_t;

typedef struct tcplsinfo {
	int tcps_state;
} tcplsinfo_t;

inline uint8_t __tcp_byte[struct tcphdr *H, int N] = *((uint8_t *)H + N);

translator tcpinfo_t < struct tcphdr *H > {
	tcp_sport = H == NULL ? 0 : ntohs(H->source);
	tcp_dport = H == NULL ? 0 : ntohs(H->dest);
	tcp_seq = H == NULL ? 0 : ntohl(H->seq);
	tcp_ack = H == NULL ? 0 : ntohl(H->ack_seq);
	tcp_offset = H == NULL ? 0 : (__tcp_byte[H, 12] >> 4) * 4;
	tcp_flags = H == NULL ? 0 : __tcp_byte[H, 13];
	tcp_window = H == NULL ? 0 : ntohs(H->window);
	tcp_checksum = H == NULL ? 0 : ntohs(H->check);
	tcp_urgent = H == NULL ? 0 : ntohs(H->urg_ptr);
	tcp_hdr = H;
};

/* What every socket of a connection has, whatever it is of; udp.d, too. */
inline int __sock_ip6[struct sock *S] =
	S->__sk_common.skc_family == AF_INET6;
inline string __sock_laddr[struct sock *S] =
	S == NULL ? "<unknown>" : __sock_ip6[S] ?
	inet_ntoa6(&S->__sk_common.skc_v6_rcv_saddr) :
	inet_ntoa((uint32_t *)&S->__sk_common.skc_rcv_saddr);
inline string __sock_raddr[struct sock *S] =
	S == NULL ? "<unknown>" : __sock_ip6[S] ?
	inet_ntoa6(&S->__sk_common.skc_v6_daddr) :
	inet_ntoa((uint32_t *)&S->__sk_common.skc_daddr);
/* A socket that gives its port back has still written down which it was; what is
   smaller than a socket, states 12 and 6, has not. */
inline uint16_t __sock_lport[struct sock *S] = S == NULL ? 0 :
	S->__sk_common.skc_num != 0 || S->__sk_common.skc_state == 12 ||
	S->__sk_common.skc_state == 6 ? S->__sk_common.skc_num :
	ntohs(((struct inet_sock *)S)->inet_sport);
inline uint16_t __sock_rport[struct sock *S] =
	S == NULL ? 0 : ntohs(S->__sk_common.skc_dport);

translator conninfo_t < struct sock *S > {
	ci_local = __sock_laddr[S];
	ci_remote = __sock_raddr[S];
	ci_protocol = S == NULL ? "<unknown>" : __sock_ip6[S] ? "ipv6" : "ipv4";
};

/* State 12 is that of a listening socket's half of a new connection. */
inline int __sock_state[struct sock *S] =
	S->__sk_common.skc_state == 12 ? TCP_STATE_SYN_RECEIVED :
	S->__sk_common.skc_state;
/* The route to the other end goes through a loopback device. */
inline int __sock_local[struct sock *S] =
	S->sk_dst_cache != NULL && (S->sk_dst_cache->dev->flags & 0x8) != 0;
inline struct tcp_sock *__tcp[struct sock *S] = (struct tcp_sock *)S;
/* What there is before and after a connection is smaller: states 12 and 6. */
inline int __tcp_none[struct sock *S] = S == NULL ||
	S->__sk_common.skc_state == 12 ||
	S->__sk_common.skc_state == TCP_STATE_TIME_WAIT;

translator tcpsinfo_t < struct sock *S > {
	tcps_addr = (uintptr_t)S;
	tcps_local = __tcp_none[S] ? 0 : __sock_local[S];
	tcps_lport = __sock_lport[S];
	tcps_rport = __sock_rport[S];
	tcps_laddr = __sock_laddr[S];
	tcps_raddr = __sock_raddr[S];
	tcps_state = S == NULL ? TCP_STATE_CLOSED : __sock_state[S];
	tcps_suna = __tcp_none[S] ? 0 : __tcp[S]->snd_una;
	tcps_snxt = __tcp_none[S] ? 0 : __tcp[S]->snd_nxt;
	tcps_rnxt = __tcp_none[S] ? 0 : __tcp[S]->rcv_nxt;
	tcps_swnd = __tcp_none[S] ? 0 : __tcp[S]->snd_wnd;
	tcps_snd_ws = __tcp_none[S] ? 0 : __tcp[S]->rx_opt.snd_wscale;
	tcps_rwnd = __tcp_none[S] ? 0 : __tcp[S]->rcv_wnd;
	tcps_rcv_ws = __tcp_none[S] ? 0 : __tcp[S]->rx_opt.rcv_wscale;
	tcps_cwnd = __tcp_none[S] ? 0 : __tcp[S]->snd_cwnd * __tcp[S]->mss_cache;
	/* 2147483647 segments: none has been found yet. */
	tcps_cwnd_ssthresh = __tcp_none[S] ? 0 :
	    __tcp[S]->snd_ssthresh >= 0x7fffffff ? 0x7fffffff :
	    __tcp[S]->snd_ssthresh * __tcp[S]->mss_cache;
	tcps_rto = __tcp_none[S] ? 0 :
	    __tcp[S]->inet_conn.icsk_rto * 1000 / $__hz;
	/* What has come since then, and the SYN. */
	tcps_irs = __tcp_none[S] || __tcp[S]->rcv_nxt == 0 ? 0 :
	    __tcp[S]->rcv_nxt - (uint32_t)__tcp[S]->bytes_received - 1;
	tcps_mss = __tcp_none[S] ? 0 : __tcp[S]->mss_cache;
	tcps_retransmit = __tcp_none[S] ? 0 :
	    __tcp[S]->inet_conn.icsk_retransmits != 0;
	tcps_rtt = __tcp_none[S] ? 0 : (__tcp[S]->srtt_us >> 3) / 1000;
	tcps_rtt_sd = __tcp_none[S] ? 0 : (__tcp[S]->mdev_us >> 2) / 1000;
};

translator tcplsinfo_t < int STATE > {
	tcps_state = STATE;
};

/*
 * What the provider tells: arg1 a struct sock or NULL, arg2 an IP header or NULL,
 * arg4 a struct tcphdr or NULL, arg6 a state or -1, arg7 whether it comes from
 * the other end, arg8 the flags of a segment without header.
 */
struct __tcp_packet;
struct __tcp_segment;
struct __tcp_end;

inline string __tcp_laddr[int N] = arg2 == 0 ?
	__sock_laddr[(struct sock *)arg1] : arg7 != 0 ?
	__ip_daddr[(uint8_t *)arg2] : __ip_saddr[(uint8_t *)arg2];
inline string __tcp_raddr[int N] = arg2 == 0 ?
	__sock_raddr[(struct sock *)arg1] : arg7 != 0 ?
	__ip_saddr[(uint8_t *)arg2] : __ip_daddr[(uint8_t *)arg2];
inline uint16_t __tcp_lport[int N] = arg4 == 0 ?
	__sock_lport[(struct sock *)arg1] : arg7 != 0 ?
	ntohs(((struct tcphdr *)arg4)->dest) :
	ntohs(((struct tcphdr *)arg4)->source);
inline uint16_t __tcp_rport[int N] = arg4 == 0 ?
	__sock_rport[(struct sock *)arg1] : arg7 != 0 ?
	ntohs(((struct tcphdr *)arg4)->source) :
	ntohs(((struct tcphdr *)arg4)->dest);

translator ipinfo_t < struct __tcp_packet *P > {
	ip_ver = arg2 != 0 ? *(uint8_t *)arg2 >> 4 :
	    __sock_ip6[(struct sock *)arg1] ? 6 : 4;
	ip_plength = arg2 == 0 ? 0 : __ip_plength[(uint8_t *)arg2];
	ip_saddr = arg7 != 0 ? __tcp_raddr[0] : __tcp_laddr[0];
	ip_daddr = arg7 != 0 ? __tcp_laddr[0] : __tcp_raddr[0];
};

translator tcpinfo_t < struct __tcp_segment *T > {
	tcp_sport = arg7 != 0 ? __tcp_rport[0] : __tcp_lport[0];
	tcp_dport = arg7 != 0 ? __tcp_lport[0] : __tcp_rport[0];
	tcp_flags = arg4 == 0 ? arg8 : __tcp_byte[(struct tcphdr *)arg4, 13];
	tcp_seq = xlate <tcpinfo_t *> ((struct tcphdr *)arg4)->tcp_seq;
	tcp_ack = xlate <tcpinfo_t *> ((struct tcphdr *)arg4)->tcp_ack;
	tcp_offset = xlate <tcpinfo_t *> ((struct tcphdr *)arg4)->tcp_offset;
	tcp_window = xlate <tcpinfo_t *> ((struct tcphdr *)arg4)->tcp_window;
	tcp_checksum = xlate <tcpinfo_t *> ((struct tcphdr *)arg4)->tcp_checksum;
	tcp_urgent = xlate <tcpinfo_t *> ((struct tcphdr *)arg4)->tcp_urgent;
	tcp_hdr = xlate <tcpinfo_t *> ((struct tcphdr *)arg4)->tcp_hdr;
};

translator tcpsinfo_t < struct __tcp_end *E > {
	tcps_laddr = __tcp_laddr[0];
	tcps_raddr = __tcp_raddr[0];
	tcps_lport = __tcp_lport[0];
	tcps_rport = __tcp_rport[0];
	tcps_state = (int)arg6 >= 0 ? (int)arg6 :
	    xlate <tcpsinfo_t *> ((struct sock *)arg1)->tcps_state;
	tcps_addr = xlate <tcpsinfo_t *> ((struct sock *)arg1)->tcps_addr;
	tcps_local = xlate <tcpsinfo_t *> ((struct sock *)arg1)->tcps_local;
	tcps_suna = xlate <tcpsinfo_t *> ((struct sock *)arg1)->tcps_suna;
	tcps_snxt = xlate <tcpsinfo_t *> ((struct sock *)arg1)->tcps_snxt;
	tcps_rnxt = xlate <tcpsinfo_t *> ((struct sock *)arg1)->tcps_rnxt;
	tcps_swnd = xlate <tcpsinfo_t *> ((struct sock *)arg1)->tcps_swnd;
	tcps_snd_ws = xlate <tcpsinfo_t *> ((struct sock *)arg1)->tcps_snd_ws;
	tcps_rwnd = xlate <tcpsinfo_t *> ((struct sock *)arg1)->tcps_rwnd;
	tcps_rcv_ws = xlate <tcpsinfo_t *> ((struct sock *)arg1)->tcps_rcv_ws;
	tcps_cwnd = xlate <tcpsinfo_t *> ((struct sock *)arg1)->tcps_cwnd;
	tcps_cwnd_ssthresh =
	    xlate <tcpsinfo_t *> ((struct sock *)arg1)->tcps_cwnd_ssthresh;
	tcps_rto = xlate <tcpsinfo_t *> ((struct sock *)arg1)->tcps_rto;
	tcps_irs = xlate <tcpsinfo_t *> ((struct sock *)arg1)->tcps_irs;
	tcps_mss = xlate <tcpsinfo_t *> ((struct sock *)arg1)->tcps_mss;
	tcps_retransmit =
	    xlate <tcpsinfo_t *> ((struct sock *)arg1)->tcps_retransmit;
	tcps_rtt = xlate <tcpsinfo_t *> ((struct sock *)arg1)->tcps_rtt;
	tcps_rtt_sd = xlate <tcpsinfo_t *> ((struct sock *)arg1)->tcps_rtt_sd;
};
