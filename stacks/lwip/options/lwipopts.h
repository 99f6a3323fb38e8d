/* SPDX-License-Identifier: MIT
 *
 * lwipopts.h - options of the lwIP that we build.
 *
 * "needed" stands for what the adaptor rests on; it does not compile without. "sized" stands for a
 * resource of lwIP that all sockets share: it must not run out before the flows' reserves do, or a
 * flood on one socket takes it from another. The rest is choice. A firmware includes this file from
 * its own lwipopts.h after defining what it wants otherwise.
 */
#ifndef TG_LWIPOPTS_H
#define TG_LWIPOPTS_H

/* ---- Needed ---------------------------------------------------------------------------------- */

#define NO_SYS                   0 /* sockets need threads */
#define LWIP_TCPIP_CORE_LOCKING  1 /* protocol task and API callers share one lock, no mailbox */
#define LWIP_SUPPORT_CUSTOM_PBUF 1 /* the NIC's buffer travels as it is */
#define ETH_PAD_SIZE             0 /* a frame starts where the NIC put it */
#define SYS_LIGHTWEIGHT_PROT     1 /* a socket frees a pbuf without the core lock */

/* setsockopt reaches the adaptor. */
#define LWIP_HOOK_FILENAME "tg_lwip_hooks.h"

/* A connection's flow is bound when its SYN arrives, and unbound with its pcb. */
#define LWIP_TCP_PCB_NUM_EXT_ARGS 1

/* ---- Sized ----------------------------------------------------------------------------------- */

/* Segments that came out of order, per connection: a flow's reserve must exceed it by two. */
#ifndef TCP_OOSEQ_MAX_PBUFS
#define TCP_OOSEQ_MAX_PBUFS 6
#endif

/* Fragments of packets that are not complete, per IP family: best effort's reserve must exceed both
 * by two. */
#ifndef IP_REASS_MAX_PBUFS
#define IP_REASS_MAX_PBUFS 6
#endif
#define MEMP_NUM_REASSDATA IP_REASS_MAX_PBUFS

/* Each datagram that waits in a socket has one: as many as buffers can be held. */
#ifndef MEMP_NUM_NETBUF
#define MEMP_NUM_NETBUF 1024
#endif

/* What waits in one socket: more than any reserve, so the flow's counter is where loss is seen. */
#ifndef DEFAULT_UDP_RECVMBOX_SIZE
#define DEFAULT_UDP_RECVMBOX_SIZE 256
#define DEFAULT_TCP_RECVMBOX_SIZE 256
#define DEFAULT_RAW_RECVMBOX_SIZE 64
#define DEFAULT_ACCEPTMBOX_SIZE   16
#endif

/* Timers and callbacks, never a packet; in a comparison with stock lwIP, packets too. */
#define TCPIP_MBOX_SIZE          64
#define MEMP_NUM_TCPIP_MSG_INPKT TCPIP_MBOX_SIZE

/* All hosts of a network of 254: answers to senders that do not exist evict real peers from a
 * smaller table, and what then waits for an address is lost without being counted. */
#ifndef ARP_TABLE_SIZE
#define ARP_TABLE_SIZE 256
#endif

/* Half-open and waiting connections per listener. A SYN flood fills it; without it, it would fill
 * all pcbs. */
#define TCP_LISTEN_BACKLOG         1
#define TCP_DEFAULT_LISTEN_BACKLOG 16

#ifndef MEMP_NUM_TCP_PCB
#define MEMP_NUM_TCP_PCB        64
#define MEMP_NUM_TCP_PCB_LISTEN 16
#define MEMP_NUM_UDP_PCB        64
#define MEMP_NUM_NETCONN        96
#endif

/* Segments to send, and those out of order: what one connection may queue, for several. */
#ifndef MEMP_NUM_TCP_SEG
#define MEMP_NUM_TCP_SEG 1024
#endif

#ifndef MEM_SIZE
#define MEM_SIZE (1024 * 1024) /* what is sent */
#endif
#ifndef PBUF_POOL_SIZE
#define PBUF_POOL_SIZE 16 /* packets come in buffers of their flows, not from here */
#endif

/* ---- Choice ---------------------------------------------------------------------------------- */

#define MEM_ALIGNMENT 8

/* A small device leaves some out; LWIP_TCP 0, LWIP_UDP 0 and LWIP_IPV4 0 do as well. */
#ifndef LWIP_IPV6
#define LWIP_IPV6 1
#endif
#ifndef LWIP_IGMP
#define LWIP_IGMP 1
#endif
#ifndef LWIP_RAW
#define LWIP_RAW 1
#endif
#ifndef LWIP_DNS
#define LWIP_DNS 1
#endif
#ifndef LWIP_DHCP
#define LWIP_DHCP 1
#endif

/* A full window of full segments; a flow's reserve should hold it. */
#ifndef TCP_WND
#define TCP_MSS          1460
#define TCP_WND          (16 * TCP_MSS)
#define TCP_SND_BUF      (16 * TCP_MSS)
#define TCP_SND_QUEUELEN (4 * 16)
#endif

/* Socket names with the prefix lwip_ only: the host has its own. Numbers far from the host's, as
 * far as select() allows (FD_SETSIZE), so that one taken for the other is refused. */
#ifndef LWIP_COMPAT_SOCKETS
#define LWIP_COMPAT_SOCKETS 0
#define LWIP_SOCKET_OFFSET  900
#endif

/* Debian's sockets.c leaves these to a socket header of the host; lwIP's own header has lengths. */
#define IP4ADDR_SOCKADDR_SET_LEN(sin)  ((sin)->sin_len = sizeof(struct sockaddr_in))
#define IP6ADDR_SOCKADDR_SET_LEN(sin6) ((sin6)->sin6_len = sizeof(struct sockaddr_in6))
#define IPADDR_SOCKADDR_GET_LEN(addr)  ((addr)->sa.sa_len)

#define LWIP_SO_RCVTIMEO   1
#define LWIP_SO_SNDTIMEO   1
#define LWIP_SO_LINGER     1
#define LWIP_TCP_KEEPALIVE 1
#define SO_REUSE           1

/* Its only work is timers: the floor, in core priorities. */
#ifndef TCPIP_THREAD_PRIO
#define TCPIP_THREAD_PRIO 0
#endif

/* Counters of lwIP's own drops: a full mailbox, no netbuf, no pcb. */
#define LWIP_STATS 1

/* Like TG_ASSERT: only in debug builds. */
#ifdef NDEBUG
#define LWIP_NOASSERT
#else
void tg_sys_assert_core_locked(void);
#define LWIP_ASSERT_CORE_LOCKED() tg_sys_assert_core_locked()
#endif

#endif
