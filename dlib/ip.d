/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * ip.d - packets and their IP headers: what args[] of the network providers
 * are, and the same for any program that has one of the kernel's structs:
 *
 *	struct sk_buff *	pktinfo_t, ipinfo_t
 *	struct sock *		csinfo_t
 *	struct net_device *	ifinfo_t
 *	struct iphdr *		ipinfo_t, ipv4info_t
 *	struct ipv6hdr *	ipinfo_t, ipv6info_t
 *
 * Numbers are in the host's order, addresses are text.  Of a header that is
 * not there (NULL) numbers are 0 and texts are "<unknown>".
 */
#pragma D depends_on library net.d

typedef struct pktinfo {
	uintptr_t pkt_addr;	/* its struct sk_buff */
} pktinfo_t;

typedef struct csinfo {
	uintptr_t cs_addr;	/* its struct sock */
	uint64_t cs_cid;	/* the same: as long as the socket lives */
	pid_t cs_pid;
	zoneid_t cs_zoneid;
} csinfo_t;

typedef struct ipinfo {
	uint8_t ip_ver;		/* 4, 6 */
	uint32_t ip_plength;	/* bytes after the header */
	string ip_saddr;
	string ip_daddr;
} ipinfo_t;

typedef struct ifinfo {
	string if_name;		/* "eth0" */
	int8_t if_local;	/* does it stay in this machine? */
	netstackid_t if_ipstack;
	uintptr_t if_addr;	/* its struct net_device */
} ifinfo_t;

typedef struct ipv4info {
	uint8_t ipv4_ver;
	uint8_t ipv4_ihl;	/* bytes of the header */
	uint8_t ipv4_tos;
	uint16_t ipv4_length;	/* bytes with the header; 0: more than 65535 */
	uint16_t ipv4_ident;
	uint8_t ipv4_flags;	/* 2: do not fragment, 1: more fragments */
	uint16_t ipv4_offset;	/* bytes */
	uint8_t ipv4_ttl;
	uint8_t ipv4_protocol;	/* IPPROTO_TCP ... */
	string ipv4_protostr;	/* "TCP" */
	uint16_t ipv4_checksum;
	ipaddr_t ipv4_src;	/* as on the wire */
	ipaddr_t ipv4_dst;
	string ipv4_saddr;
	string ipv4_daddr;
	struct iphdr *ipv4_hdr;
} ipv4info_t;

typedef struct ipv6info {
	uint8_t ipv6_ver;
	uint8_t ipv6_tclass;
	uint32_t ipv6_flow;
	uint16_t ipv6_plen;	/* bytes after the header; 0: more than 65535 */
	uint8_t ipv6_nexthdr;	/* IPPROTO_TCP ... */
	string ipv6_nextstr;
	uint8_t ipv6_hlim;
	struct in6_addr *ipv6_src;
	struct in6_addr *ipv6_dst;
	string ipv6_saddr;
	string ipv6_daddr;
	struct ipv6hdr *ipv6_hdr;
} ipv6info_t;

/* What ipv4_protostr and ipv6_nextstr call a protocol. */
inline string __ip_protocol[int P] =
	P == IPPROTO_TCP ? "TCP" : P == IPPROTO_UDP ? "UDP" :
	P == IPPROTO_IP ? "IP" : P == IPPROTO_ICMP ? "ICMP" :
	P == IPPROTO_IGMP ? "IGMP" : P == IPPROTO_EGP ? "EGP" :
	P == IPPROTO_IPV6 ? "IPv6" : P == IPPROTO_ROUTING ? "ROUTE" :
	P == IPPROTO_ESP ? "ESP" : P == IPPROTO_AH ? "AH" :
	P == IPPROTO_ICMPV6 ? "ICMPv6" : P == IPPROTO_OSPF ? "OSPF" :
	P == IPPROTO_SCTP ? "SCTP" : P == IPPROTO_RAW ? "RAW" :
	lltostr(P);

translator pktinfo_t < struct sk_buff *B > {
	pkt_addr = (uintptr_t)B;
};

translator csinfo_t < struct sock *S > {
	cs_addr = (uintptr_t)S;
	cs_cid = (uint64_t)S;
	cs_pid = -1;
	cs_zoneid = 0;
};

/* 0x8 is IFF_LOOPBACK. */
translator ifinfo_t < struct net_device *D > {
	if_name = D == NULL ? "<unknown>" : stringof(D->name);
	if_local = D != NULL && (D->flags & 0x8) != 0;
	if_ipstack = 0;
	if_addr = (uintptr_t)D;
};

translator ipinfo_t < struct iphdr *H > {
	ip_ver = H == NULL ? 0 : 4;
	ip_plength = H == NULL || H->tot_len == 0 ? 0 :
	    ntohs(H->tot_len) - H->ihl * 4;
	ip_saddr = H == NULL ? "<unknown>" : inet_ntoa(&H->saddr);
	ip_daddr = H == NULL ? "<unknown>" : inet_ntoa(&H->daddr);
};

translator ipinfo_t < struct ipv6hdr *H > {
	ip_ver = H == NULL ? 0 : 6;
	ip_plength = H == NULL ? 0 : ntohs(H->payload_len);
	ip_saddr = H == NULL ? "<unknown>" : inet_ntoa6(&H->saddr);
	ip_daddr = H == NULL ? "<unknown>" : inet_ntoa6(&H->daddr);
};

/* Where the IP header of a packet is, and its version. */
inline uint8_t *__skb_ip[struct sk_buff *B] =
	(uint8_t *)(B->head + B->network_header);
inline int __skb_ip6[struct sk_buff *B] = *__skb_ip[B] >> 4 == 6;

translator ipinfo_t < struct sk_buff *B > {
	ip_ver = *__skb_ip[B] >> 4;
	ip_plength = __skb_ip6[B] ?
	    xlate <ipinfo_t *> ((struct ipv6hdr *)__skb_ip[B])->ip_plength :
	    xlate <ipinfo_t *> ((struct iphdr *)__skb_ip[B])->ip_plength;
	ip_saddr = __skb_ip6[B] ?
	    xlate <ipinfo_t *> ((struct ipv6hdr *)__skb_ip[B])->ip_saddr :
	    xlate <ipinfo_t *> ((struct iphdr *)__skb_ip[B])->ip_saddr;
	ip_daddr = __skb_ip6[B] ?
	    xlate <ipinfo_t *> ((struct ipv6hdr *)__skb_ip[B])->ip_daddr :
	    xlate <ipinfo_t *> ((struct iphdr *)__skb_ip[B])->ip_daddr;
};

/* Of a header of either version. */
inline string __ip_saddr[uint8_t *H] = *H >> 4 == 6 ?
	inet_ntoa6(&((struct ipv6hdr *)H)->saddr) :
	inet_ntoa(&((struct iphdr *)H)->saddr);
inline string __ip_daddr[uint8_t *H] = *H >> 4 == 6 ?
	inet_ntoa6(&((struct ipv6hdr *)H)->daddr) :
	inet_ntoa(&((struct iphdr *)H)->daddr);
/*
 * Packets that devices, or others, are to cut may have more than the 65535 bytes
 * that a header can say, which says 0 then: the packet knows.  arg0 is it.  Until
 * it is cut, one of IPv6 has a header of 8 bytes more that tells its length.
 */
inline uint32_t __ip_rest[uint8_t *H] =
	((struct sk_buff *)arg0)->len - (H - ((struct sk_buff *)arg0)->data);
inline uint32_t __ip4_length[struct iphdr *H] = H->tot_len != 0 ?
	ntohs(H->tot_len) : __ip_rest[(uint8_t *)H];
inline uint32_t __ip6_length[struct ipv6hdr *H] = H->payload_len != 0 ?
	ntohs(H->payload_len) :
	__ip_rest[(uint8_t *)H] - (H->nexthdr == 0 ? 48 : 40);
inline uint32_t __ip_plength[uint8_t *H] = *H >> 4 == 6 ?
	__ip6_length[(struct ipv6hdr *)H] :
	__ip4_length[(struct iphdr *)H] - ((struct iphdr *)H)->ihl * 4;

/* What the ip and udp providers have for it. */
struct __ip_header;

translator ipinfo_t < struct __ip_header *H > {
	ip_ver = *(uint8_t *)H >> 4;
	ip_plength = __ip_plength[(uint8_t *)H];
	ip_saddr = __ip_saddr[(uint8_t *)H];
	ip_daddr = __ip_daddr[(uint8_t *)H];
};

translator ipv4info_t < struct iphdr *H > {
	ipv4_ver = H == NULL ? 0 : H->version;
	ipv4_ihl = H == NULL ? 0 : H->ihl * 4;
	ipv4_tos = H == NULL ? 0 : H->tos;
	ipv4_length = H == NULL ? 0 : ntohs(H->tot_len);
	ipv4_ident = H == NULL ? 0 : ntohs(H->id);
	ipv4_flags = H == NULL ? 0 : ntohs(H->frag_off) >> 13;
	ipv4_offset = H == NULL ? 0 : (ntohs(H->frag_off) & 0x1fff) * 8;
	ipv4_ttl = H == NULL ? 0 : H->ttl;
	ipv4_protocol = H == NULL ? 0 : H->protocol;
	ipv4_protostr = H == NULL ? "<unknown>" : __ip_protocol[H->protocol];
	ipv4_checksum = H == NULL ? 0 : ntohs(H->check);
	ipv4_src = H == NULL ? 0 : H->saddr;
	ipv4_dst = H == NULL ? 0 : H->daddr;
	ipv4_saddr = H == NULL ? "<unknown>" : inet_ntoa(&H->saddr);
	ipv4_daddr = H == NULL ? "<unknown>" : inet_ntoa(&H->daddr);
	ipv4_hdr = H;
};

/* The first word has the version, the traffic class and the flow. */
inline uint32_t __ip6_word[struct ipv6hdr *H] = ntohl(*(uint32_t *)H);

translator ipv6info_t < struct ipv6hdr *H > {
	ipv6_ver = H == NULL ? 0 : __ip6_word[H] >> 28;
	ipv6_tclass = H == NULL ? 0 : __ip6_word[H] >> 20 & 0xff;
	ipv6_flow = H == NULL ? 0 : __ip6_word[H] & 0xfffff;
	ipv6_plen = H == NULL ? 0 : ntohs(H->payload_len);
	ipv6_nexthdr = H == NULL ? 0 : H->nexthdr;
	ipv6_nextstr = H == NULL ? "<unknown>" : __ip_protocol[H->nexthdr];
	ipv6_hlim = H == NULL ? 0 : H->hop_limit;
	ipv6_src = H == NULL ? NULL : &H->saddr;
	ipv6_dst = H == NULL ? NULL : &H->daddr;
	ipv6_saddr = H == NULL ? "<unknown>" : inet_ntoa6(&H->saddr);
	ipv6_daddr = H == NULL ? "<unknown>" : inet_ntoa6(&H->daddr);
	ipv6_hdr = H;
};
