/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * skb.h - words for the rows of ip.def, tcp.def and udp.def: where packets go
 * out and come in, and what is known of them there (decision 0063).
 *
 * All have the struct sk_buff as their first argument.  When one goes out, its
 * headers are where its numbers say.  When one comes in, only its data is
 * known, which begins with the IP header; where the other headers begin has to
 * be computed from that.
 *
 * Where functions can be probed, what comes in for tcp and udp is seen where
 * the protocol gets it from IP: headers are where numbers say, and the socket
 * of a connection is known, if the kernel has looked for it already.
 */
#ifndef PROV_SKB_H
#define PROV_SKB_H

#include <asm/byteorder.h>
#include <netinet/in.h>

#define SKB_OUT AT_TP("net_dev_queue")
#define SKB_IN	AT_TP("netif_receive_skb")

#define SKB_TO(fn)	AT_FN_OR_TP(fn)
#define SKB_IN_FOR(fn)	AT_TP_FOR("netif_receive_skb", fn)

#define SKB_OUT_IP "head+network_header"
#define SKB_OUT_TO "head+transport_header"
#define SKB_IN_IP  "data"
#define SKB_IN_TO4 "data:iphdr+ihl*4"
#define SKB_IN_TO6 "data:ipv6hdr+1"
#define SKB_IN_TO6_FRAGMENT "data:ipv6hdr+1:frag_hdr+1"

/* The numbers of protocols in frames (linux/if_ether.h), as they are there. */
#define SKB_IP4 __constant_htons(0x0800)
#define SKB_IP6 __constant_htons(0x86dd)
#define SKB_IS(version) { TP_PATH(0, "protocol"), 0, DIF_CMP_EQ, version }

/* A condition on what is in a header that begins at such a path. */
#define SKB_HAS(at, as, member, number) \
	{ TP_PATH(0, at ":" as "->" member), 0, DIF_CMP_EQ, number }
#define SKB_IS_OF4(at, protocol) SKB_HAS(at, "iphdr", "protocol", protocol)
#define SKB_IS_OF6(at, protocol) SKB_HAS(at, "ipv6hdr", "nexthdr", protocol)
/* A packet, or the first fragment of one: what follows is a header. */
#define SKB_BEGINS4(at) \
	{ TP_PATH(0, at ":iphdr->frag_off"), __constant_htons(0x1fff), \
	  DIF_CMP_EQ, 0 }
/* The first fragment of one of version 6 has a header of its own between. */
#define SKB_FRAGMENT6(at, protocol)                                          \
	SKB_IS_OF6(at, IPPROTO_FRAGMENT),                                    \
		SKB_HAS(at, "ipv6hdr+1:frag_hdr", "nexthdr", protocol),      \
		{ TP_PATH(0, at ":ipv6hdr+1:frag_hdr->frag_off"),            \
		  __constant_htons(0xfff8), DIF_CMP_EQ, 0 }
/* One that is longer than its header can say (BIG TCP) has, until it is cut, a
   header of that size between. */
#define SKB_JUMBO6(at, protocol)                                             \
	SKB_IS_OF6(at, IPPROTO_HOPOPTS),                                     \
		SKB_HAS(at, "ipv6hdr+1:frag_hdr", "nexthdr", protocol),      \
		SKB_HAS(at, "ipv6hdr+1:frag_hdr", "reserved", 0)

/*
 * What goes through a VLAN, or through a bridge, bond or team of devices goes
 * through two: it counts at the lower one of a VLAN and at the upper one of
 * the others.  The bits are the kernel's IFF_802_1Q_VLAN, IFF_BRIDGE_PORT and
 * IFF_TEAM_PORT (linux/netdevice.h), and IFF_SLAVE of <net/if.h>.
 */
#define SKB_BRIDGE_PORT 0x200
#define SKB_LAST_DEVICE                                                       \
	{ TP_PATH(0, "dev->priv_flags"), 0x1 | SKB_BRIDGE_PORT | 0x2000,      \
	  DIF_CMP_EQ, 0 },                                                    \
	{ TP_PATH(0, "dev->flags"), 0x800, DIF_CMP_EQ, 0 }
#define SKB_FIRST_DEVICE \
	{ TP_PATH(0, "dev->priv_flags"), SKB_BRIDGE_PORT, DIF_CMP_EQ, 0 }
/* It is for this machine, and not one that a device has only overheard: what
   the protocols do not count. */
#define SKB_HOST { FN_PATH(0, "pkt_type"), 0, DIF_CMP_EQ, 0 }
/* It began here, and is not one that is passed on. */
#define SKB_OURS { TP_PATH(0, "skb_iif"), 0, DIF_CMP_EQ, 0 }

#endif
