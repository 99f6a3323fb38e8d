/* SPDX-License-Identifier: MIT
 *
 * tg_lwip.h - Tidegate in front of lwIP 2.1: packets by priority, flows for sockets.
 *
 *     ring ─▶ tg_rx_eager ─▶ queue per priority ─▶ tg_lwip_input ─▶ ethernet_input ─▶ socket
 *             (interrupt)                          protocol task    core lock         pbuf_free
 *
 * The buffer that the NIC wrote is what the socket reads: it travels as a custom pbuf. Start-up:
 *
 *     tg_protocol_init, tg_rxq_attach, tg_rxq_fill   the receive path (tidegate/rx.h)
 *     tcpip_init, netif_add                          lwIP, as always; netif->input is not called
 *     tg_lwip_init                                   puts one in front of the other
 *     protocol task: while (tg_lwip_input(&lwip)) {}, then wait for tg_port_wake
 *     tg_rxq_link                                    frames come
 *
 * lwIP keeps its state in global variables, so a program has one struct tg_lwip. lwipopts.h needs
 * LWIP_TCPIP_CORE_LOCKING 1, ETH_PAD_SIZE 0 and LWIP_SUPPORT_CUSTOM_PBUF 1; docs/lwip.md says why,
 * and what else matters. Locks are taken in this order: lwIP's core lock, then the port's.
 */
#ifndef TG_LWIP_H
#define TG_LWIP_H

#include "tidegate/rx.h"

#include <lwip/netif.h>
#include <lwip/opt.h>
#include <lwip/pbuf.h>

/* ---- Sockets --------------------------------------------------------------------------------- */

/* setsockopt(s, SOL_TIDEGATE, TG_SO_FLOW, &flow, sizeof flow), flow a struct tg_lwip_flow: what the
 * socket receives becomes a flow of its own. The match follows from what the socket is at that
 * moment, so the call comes after bind, connect or listen:
 *
 *     UDP, bound                udp dst port P
 *     UDP, connected            udp dst port P, src port, src host
 *     TCP, bound or listening   tcp dst port P                           (own)
 *                               the same for SYN without ACK             (requests)
 *     TCP, connected            tcp dst port P, src port, src host, dst host
 *
 * A listener's connections: each gets a flow of its own from the template `accepted`, bound when
 * its SYN arrives and unbound with its pcb. If `accepted_max` of them have one, or the table or the
 * pool refuses, the connection is served by the listener's own flow; it can ask for one itself
 * after accept. A connection in TIME_WAIT gives its flow to the next. Connection requests always
 * belong to `requests`: a flood of them can delay new connections, never established ones. (A SYN
 * with the addresses and ports of a live connection belongs to that connection.)
 *
 * close ends the flow. What was accepted before is still held by whoever has it, and comes back to
 * the pool with pbuf_free.
 *
 * A socket has one flow: to change it, or to narrow it after connect, give it back first. optlen 0
 * does that (optval must not be NULL, lwIP asks for it).
 *
 * Context: a task. lwIP calls the hook under its core lock.
 * Returns: 0, or -1 and errno; nothing has changed then, and packets go where they went:
 *            EBADF        no open socket of lwIP has this number
 *            EINVAL       wrong optlen; a field outside its range; not bound yet; TCP whose pcb is
 *                         gone; a reserve below TG_LWIP_TCP_RESERVE_MIN for TCP
 *            ENOPROTOOPT  another option; a socket that is neither UDP nor TCP; accepted_max
 *                         where lwIP has no LWIP_TCP_PCB_NUM_EXT_ARGS
 *            EALREADY     it has a flow already
 *            ENOENT       optlen 0, and it has none
 *            EADDRINUSE   another flow has this match, or would never be reached any more
 *            ENOBUFS      the pool cannot promise so many buffers
 *            ENOMEM       no record, flow slot or place in the table is free
 * Cost:    as tg_rx_bind, under the core lock; without the port's lock but for O(1). */
#define SOL_TIDEGATE 0x7467
#define TG_SO_FLOW   1

/* What packets are promised. */
struct tg_lwip_promise {
    struct tg_server_config budget; /* deferrable or unlimited; the kind has no default */
    uint16_t reserve_pkts;          /* buffers that belong to them alone, 1..65535 */
    uint8_t priority;               /* 0..TG_PRIORITIES - 1 */
};

struct tg_lwip_flow {
    /* Packets of this socket. Its budget may be sporadic, too; the window is in use while the flow
     * is bound. */
    struct tg_lwip_promise own;

    /* TCP that is not connected: connection requests. Kind 0: TG_LWIP_REQUESTS_PKTS per
     * TG_LWIP_SERVICE_PERIOD_NS, TG_LWIP_REQUESTS_RESERVE buffers, the socket's own priority. */
    struct tg_lwip_promise requests;

    /* TCP that is not connected: the template of each connection. Ignored if accepted_max is 0. */
    struct tg_lwip_promise accepted;
    uint16_t accepted_max; /* so many connections have a flow of their own at one time */
};

#ifndef TG_LWIP_REQUESTS_PKTS
#define TG_LWIP_REQUESTS_PKTS 16u
#endif
#ifndef TG_LWIP_REQUESTS_RESERVE
#define TG_LWIP_REQUESTS_RESERVE 4u
#endif

/* The smallest reserve of a flow that carries TCP data. lwIP holds segments that came out of order;
 * if they could fill the reserve, the missing one would never find a buffer. Where lwIP has no
 * limit (TCP_OOSEQ_MAX_PBUFS 0, as in the prebuilt library) no reserve suffices, so none is asked
 * for. */
#if LWIP_TCP && TCP_QUEUE_OOSEQ && TCP_OOSEQ_MAX_PBUFS
#define TG_LWIP_TCP_RESERVE_MIN (TCP_OOSEQ_MAX_PBUFS + 2u)
#else
#define TG_LWIP_TCP_RESERVE_MIN 1u
#endif

/* The smallest reserve of best effort, where fragments go: lwIP holds those of packets that are not
 * complete, for each IP family. */
#define TG_LWIP_REASSEMBLIES                                                                       \
    ((LWIP_IPV4 && IP_REASSEMBLY ? 1u : 0u) + (LWIP_IPV6 && LWIP_IPV6_REASS ? 1u : 0u))
#define TG_LWIP_BEST_EFFORT_RESERVE_MIN (TG_LWIP_REASSEMBLIES * IP_REASS_MAX_PBUFS + 2u)

/* ---- State: private, complete so that storage can be static ---------------------------------- */

/* A buffer as lwIP sees it. */
struct tg_lwip_pbuf {
    struct pbuf_custom custom;
    struct tg_buffer *buffer;
};

/* A socket with a flow, or a connection with one. */
struct tg_lwip_socket {
    const void *owner;               /* its netconn or, for a connection, its pcb; NULL: free */
    struct tg_lwip_socket *listener; /* of a connection; NULL: not accepted, or listener closed */
    struct tg_lwip_promise accepted;
    uint16_t accepted_max;
    uint16_t own;      /* flow id */
    uint16_t requests; /* flow id, 0: none */
};

struct tg_lwip {
    struct tg_protocol *protocol;
    struct netif *netif;
    err_t (*input)(struct pbuf *p, struct netif *netif);
    tg_ns (*now_ns)(void);
    const struct tg_buffer *buffers; /* the pool; buffer i travels as pbufs[i] */
    struct tg_lwip_pbuf *pbufs;
    struct tg_lwip_socket *sockets;
    uint32_t n_sockets;
};

/* ---- Start-up -------------------------------------------------------------------------------- */

struct tg_lwip_config {
    struct tg_protocol *protocol;     /* set up with the two that follow */
    const struct tg_config *core;     /* its flows and best effort are checked */
    const struct tg_storage *storage; /* its buffers are what travels */
    struct tg_lwip_pbuf *pbufs;       /* as many as storage has buffers */
    struct tg_lwip_socket *sockets;   /* n_sockets: with a flow, and connections with one */
    uint32_t n_sockets;
    struct netif *netif; /* where all packets come from; Ethernet */

    /* What takes a frame through lwIP, for a firmware that looks at each on its way: called by the
     * protocol task under the core lock, and to end in ethernet_input. p is a struct tg_lwip_pbuf,
     * whose buffer has the flow. ERR_OK: p has an owner or is freed; else the adaptor frees it.
     * NULL: ethernet_input itself. */
    err_t (*input)(struct pbuf *p, struct netif *netif);
    tg_ns (*now_ns)(void); /* the clock of frame->now_ns */
};

/* Put Tidegate in front of lwIP.
 *
 * Context: start-up, after tg_protocol_init, before a link is up. Again (a test) once nothing of
 *          the last one is held.
 * Returns: 0; TG_ERR_RANGE if best effort is accepted with a reserve below
 *          TG_LWIP_BEST_EFFORT_RESERVE_MIN, or a flow of core->flows for TCP data has one below
 *          TG_LWIP_TCP_RESERVE_MIN; then nothing has changed.
 * Cost:    O(buffers + sockets + flows). */
TG_NODISCARD int tg_lwip_init(struct tg_lwip *l, const struct tg_lwip_config *cfg);

/* ---- Protocol task --------------------------------------------------------------------------- */

/* Take the most urgent packet through lwIP. A packet once started is finished first; the task is
 * lowered after the core lock has been given back, so no caller that waits for it is delayed by
 * more than this packet.
 *
 * Context: protocol task, no lock held.
 * Returns: false if none waits; then the next one wakes the task.
 * Cost:    one packet in lwIP; the core lock is held throughout. */
bool tg_lwip_input(struct tg_lwip *l);

/* ---- Tasks ----------------------------------------------------------------------------------- */

/* setsockopt for TG_SO_FLOW where lwIP was built without LWIP_HOOK_SOCKETS_SETSOCKOPT, as a
 * prebuilt library is. Any other level or option goes to lwip_setsockopt.
 *
 * Context: a task, core lock not held.
 * Returns, cost: see TG_SO_FLOW. */
int tg_lwip_setsockopt(int s, int level, int optname, const void *optval, uint32_t optlen);

/* The flow of a socket, or of an accepted connection, as an index into struct tg_snapshot's flows.
 *
 * Context: a task, core lock not held.
 * Returns: its id; 0 if it has none of its own.
 * Cost:    O(n_sockets). */
uint32_t tg_lwip_flow_id(int s);

/* tg_rx_snapshot, serialised with what sockets bind and unbind.
 *
 * Context: a task, core lock not held.
 * Cost:    as tg_rx_snapshot, under the core lock. */
void tg_lwip_snapshot(struct tg_lwip *l, struct tg_snapshot *out);

#endif
