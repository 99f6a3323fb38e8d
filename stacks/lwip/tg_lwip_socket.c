/* SPDX-License-Identifier: MIT
 *
 * tg_lwip_socket.c - flows of sockets: bound by setsockopt and by SYNs, unbound by close.
 *
 * All of it runs under lwIP's core lock, which so serialises tg_rx_bind and tg_rx_unbind.
 *
 * How the end of a socket is noticed: lwIP has no hook for it, but it tells each netconn's callback
 * of an event without data once its pcb is gone. So a socket with a flow gets our callback, which
 * goes on to that of the socket layer. A connection that was accepted has nobody to set a callback;
 * its pcb carries an ext argument instead.
 */
#include "tg_lwip_internal.h"
#include "options/tg_lwip_hooks.h"

#include <lwip/api.h>
#include <lwip/priv/sockets_priv.h>
#include <lwip/prot/ip.h>
#include <lwip/sockets.h>
#include <lwip/tcp.h>
#include <lwip/udp.h>

#include <errno.h>
#include <string.h>

/* ---- Matches --------------------------------------------------------------------------------- */

static uint8_t copy_host(uint8_t out[16], const ip_addr_t *host)
{
#if LWIP_IPV6
    if (IP_IS_V6(host)) {
        memcpy(out, ip_2_ip6(host)->addr, 16u);
        return 6u;
    }
#endif
#if LWIP_IPV4
    memcpy(out, &ip_2_ip4(host)->addr, 4u);
#endif
    return 4u;
}

#if LWIP_UDP
static int udp_match(const struct udp_pcb *pcb, struct tg_match *m)
{
    if (pcb->local_port == 0u) {
        return EINVAL;
    }
    *m = (struct tg_match){.fields = TG_FIELD_PROTOCOL | TG_FIELD_DST_PORT,
                           .protocol = IP_PROTO_UDP,
                           .dst_port = pcb->local_port};
    if ((pcb->flags & UDP_FLAGS_CONNECTED) != 0u) {
        m->fields |= TG_FIELD_SRC_PORT | TG_FIELD_SRC_HOST;
        m->src_port = pcb->remote_port;
        m->family = copy_host(m->src_host, &pcb->remote_ip);
    }
    return 0;
}
#endif

static bool is_tcp(const struct netconn *conn)
{
    return NETCONNTYPE_GROUP(conn->type) == NETCONN_TCP;
}

#if LWIP_TCP
static bool is_connected(const struct tcp_pcb *pcb)
{
    return pcb->state != CLOSED && pcb->state != LISTEN;
}

static int tcp_match(const struct tcp_pcb *pcb, struct tg_match *m)
{
    if (pcb->local_port == 0u) {
        return EINVAL;
    }
    *m = (struct tg_match){.fields = TG_FIELD_PROTOCOL | TG_FIELD_DST_PORT,
                           .protocol = IP_PROTO_TCP,
                           .dst_port = pcb->local_port};
    if (is_connected(pcb)) {
        m->fields |= TG_FIELD_SRC_PORT | TG_FIELD_SRC_HOST | TG_FIELD_DST_HOST;
        m->src_port = pcb->remote_port;
        m->family = copy_host(m->src_host, &pcb->remote_ip);
        (void)copy_host(m->dst_host, &pcb->local_ip);
    }
    return 0;
}

/* TCP that is not connected: connection requests get a flow of their own. */
static bool takes_requests(const struct netconn *conn)
{
    return is_tcp(conn) && !is_connected(conn->pcb.tcp);
}
#else
static bool takes_requests(const struct netconn *conn)
{
    (void)conn;
    return false;
}
#endif

static int match_of(const struct netconn *conn, struct tg_match *m)
{
    if (conn->pcb.ip == NULL) {
        return EINVAL;
    }
    switch (NETCONNTYPE_GROUP(conn->type)) {
#if LWIP_TCP
    case NETCONN_TCP:
        return tcp_match(conn->pcb.tcp, m);
#endif
#if LWIP_UDP
    case NETCONN_UDP:
        return udp_match(conn->pcb.udp, m);
#endif
    default:
        return ENOPROTOOPT;
    }
}

/* ---- Flows ----------------------------------------------------------------------------------- */

static int errno_of(int error)
{
    switch (error) {
    case TG_ERR_EXISTS:
    case TG_ERR_UNREACHABLE:
    case TG_ERR_SHADOWS:
        return EADDRINUSE;
    case TG_ERR_BUFFERS:
        return ENOBUFS;
    case TG_ERR_FULL:
        return ENOMEM;
    default:
        return EINVAL;
    }
}

/* Returns: the flow's id, or a negative enum tg_error. */
static int bind_flow(const struct tg_match *match, const struct tg_lwip_promise *promise)
{
    const struct tg_flow_config flow = {.match = *match,
                                        .budget = promise->budget,
                                        .reserve_pkts = promise->reserve_pkts,
                                        .priority = promise->priority};

    return tg_rx_bind(tg_lwip_instance->protocol, &flow, tg_lwip_instance->now_ns());
}

static void unbind_flow(uint32_t flow)
{
    const int err = tg_rx_unbind(tg_lwip_instance->protocol, flow);

    TG_ASSERT(!err); /* nobody else unbinds what is in a record */
    (void)err;
}

/* Requests of a TCP socket go first to their own flow, then to the socket's. */
static int bind_requests(const struct tg_match *own, const struct tg_lwip_flow *flow)
{
    const struct tg_lwip_promise by_default = {
        .budget = {.kind = TG_SERVER_DEFERRABLE,
                   .budget_pkts = TG_LWIP_REQUESTS_PKTS,
                   .period_ns = TG_LWIP_SERVICE_PERIOD_NS},
        .reserve_pkts = TG_LWIP_REQUESTS_RESERVE,
        .priority = flow->own.priority,
    };
    struct tg_match match = *own;

    match.fields |= TG_FIELD_SYN;
    return bind_flow(&match, flow->requests.budget.kind != 0 ? &flow->requests : &by_default);
}

/* ---- Records --------------------------------------------------------------------------------- */

/* The record of an owner, or with NULL a free one. */
static struct tg_lwip_socket *find(const void *owner)
{
    for (uint32_t i = 0u; i < tg_lwip_instance->n_sockets; i++) {
        if (tg_lwip_instance->sockets[i].owner == owner) {
            return &tg_lwip_instance->sockets[i];
        }
    }
    return NULL;
}

/* That of a socket, whether it asked for its flow or was accepted with one. */
static struct tg_lwip_socket *find_socket(const struct netconn *conn)
{
    struct tg_lwip_socket *const record = find(conn);

    return record == NULL && conn->pcb.ip != NULL ? find(conn->pcb.ip) : record;
}

static void end(struct tg_lwip_socket *record)
{
    unbind_flow(record->own);
    if (record->requests != 0u) {
        unbind_flow(record->requests);
    }
    for (uint32_t i = 0u; i < tg_lwip_instance->n_sockets; i++) {
        if (tg_lwip_instance->sockets[i].listener == record) {
            tg_lwip_instance->sockets[i].listener = NULL;
        }
    }
    *record = (struct tg_lwip_socket){.owner = NULL};
}

/* ---- Connections ----------------------------------------------------------------------------- */

#if LWIP_TCP && LWIP_TCP_PCB_NUM_EXT_ARGS
static u8_t ext_arg;
static bool has_ext_arg;

static void connection_is_gone(u8_t id, void *data)
{
    (void)id;
    end(data);
}

static const struct tcp_ext_arg_callbacks CONNECTION = {.destroy = connection_is_gone};
static const struct tcp_ext_arg_callbacks NOBODY = {.destroy = NULL};

/* Nothing of ours is left in the pcb. */
static void forget(struct tcp_pcb *pcb)
{
    if (has_ext_arg) { /* else the number is somebody else's */
        tcp_ext_arg_set_callbacks(pcb, ext_arg, &NOBODY);
        tcp_ext_arg_set(pcb, ext_arg, NULL);
    }
}

/* How many connections of a listener have a flow. Those that only wait for late segments give
 * theirs up: a pcb in TIME_WAIT stays for two minutes. */
static uint32_t count_connections(const struct tg_lwip_socket *listener)
{
    uint32_t n = 0u;

    for (uint32_t i = 0u; i < tg_lwip_instance->n_sockets; i++) {
        struct tg_lwip_socket *const record = &tg_lwip_instance->sockets[i];

        if (record->listener != listener) {
            continue;
        }
        struct tcp_pcb *const pcb = (struct tcp_pcb *)record->owner;

        if (pcb->state == TIME_WAIT) {
            forget(pcb);
            end(record);
        } else {
            n++;
        }
    }
    return n;
}

/* A SYN has made a pcb. Whatever is refused here, the listener's flow serves the connection. */
static err_t connection_opens(u8_t id, struct tcp_pcb_listen *listen_pcb, struct tcp_pcb *pcb)
{
    struct tg_lwip_socket *const listener = tcp_ext_arg_get((const struct tcp_pcb *)listen_pcb, id);
    const bool is_full = count_connections(listener) >= listener->accepted_max;
    struct tg_lwip_socket *const record = find(NULL);
    struct tg_match match;

    if (is_full || record == NULL || tcp_match(pcb, &match) != 0) {
        return ERR_OK;
    }
    const int flow = bind_flow(&match, &listener->accepted);

    if (flow < 0) {
        return ERR_OK;
    }
    *record = (struct tg_lwip_socket){.owner = pcb, .listener = listener, .own = (uint16_t)flow};
    tcp_ext_arg_set_callbacks(pcb, id, &CONNECTION);
    tcp_ext_arg_set(pcb, id, record);
    return ERR_OK;
}

static const struct tcp_ext_arg_callbacks LISTENER = {.passive_open = connection_opens};

static void expect_connections(struct tcp_pcb *pcb, struct tg_lwip_socket *record)
{
    if (!has_ext_arg) {
        ext_arg = tcp_ext_arg_alloc_id();
        has_ext_arg = true;
    }
    tcp_ext_arg_set_callbacks(pcb, ext_arg, &LISTENER);
    tcp_ext_arg_set(pcb, ext_arg, record);
}
#else
static void forget(struct tcp_pcb *pcb)
{
    (void)pcb;
}

static void expect_connections(struct tcp_pcb *pcb, struct tg_lwip_socket *record)
{
    (void)pcb;
    (void)record;
}
#endif

/* ---- setsockopt and close -------------------------------------------------------------------- */

static netconn_callback socket_layer; /* the callback of all sockets; NULL: lwIP needs none */

/* A zero-length datagram is an event without data, too, but then there is a pcb. */
static void notice(struct netconn *conn, enum netconn_evt event, u16_t len)
{
    if (event == NETCONN_EVT_RCVPLUS && len == 0u && conn->pcb.ip == NULL) {
        struct tg_lwip_socket *const record = find(conn);

        if (record != NULL) {
            end(record);
        }
    }
    if (socket_layer != NULL) {
        socket_layer(conn, event, len);
    }
}

/* What the core cannot know. Returns: 0 or an errno. */
static int check(const struct netconn *conn, const struct tg_lwip_flow *flow)
{
    if (is_tcp(conn) && flow->own.reserve_pkts < TG_LWIP_TCP_RESERVE_MIN) {
        return EINVAL;
    }
    if (!takes_requests(conn) || flow->accepted_max == 0u) {
        return 0;
    }
    if (LWIP_TCP_PCB_NUM_EXT_ARGS == 0) {
        return ENOPROTOOPT;
    }
    /* Its values are used when nobody is there to be told; a window of times cannot be shared. */
    const struct tg_server_config *const budget = &flow->accepted.budget;
    struct tg_server unused;

    if (budget->kind == TG_SERVER_SPORADIC || tg_server_init(&unused, budget, 0u) != 0 ||
        flow->accepted.reserve_pkts < TG_LWIP_TCP_RESERVE_MIN ||
        flow->accepted.priority >= TG_PRIORITIES) {
        return EINVAL;
    }
    return 0;
}

static int give_back(struct netconn *conn)
{
    struct tg_lwip_socket *const record = find_socket(conn);

    if (record == NULL) {
        return ENOENT;
    }
    if (is_tcp(conn)) {
        forget(conn->pcb.tcp);
    }
    end(record);
    return 0;
}

static int set_flow(struct netconn *conn, const struct tg_lwip_flow *flow)
{
    struct tg_lwip_socket *const record = find(NULL);
    struct tg_match match;
    int err = match_of(conn, &match);

    if (err) {
        return err;
    }
    if (find_socket(conn) != NULL) {
        return EALREADY;
    }
    err = check(conn, flow);
    if (err) {
        return err;
    }
    if (record == NULL) {
        return ENOMEM;
    }
    const int own = bind_flow(&match, &flow->own);

    if (own < 0) {
        return errno_of(own);
    }
    const int requests = takes_requests(conn) ? bind_requests(&match, flow) : 0;

    if (requests < 0) {
        unbind_flow((uint32_t)own);
        return errno_of(requests);
    }
    *record = (struct tg_lwip_socket){.owner = conn,
                                      .accepted = flow->accepted,
                                      .accepted_max = flow->accepted_max,
                                      .own = (uint16_t)own,
                                      .requests = (uint16_t)requests};
    if (takes_requests(conn) && flow->accepted_max != 0u) {
        expect_connections(conn->pcb.tcp, record);
    }
    if (socket_layer == NULL) {
        socket_layer = conn->callback; /* once: other sockets' tasks read it without the lock */
    }
    conn->callback = notice;
    return 0;
}

int tg_lwip_hook_setsockopt(struct lwip_sock *sock, int level, int optname, const void *optval,
                            uint32_t optlen, int *err)
{
    struct tg_lwip_flow flow;

    if (level != SOL_TIDEGATE) {
        return 0;
    }
    if (optname != TG_SO_FLOW || tg_lwip_instance == NULL) {
        *err = ENOPROTOOPT;
    } else if (optlen == 0u) {
        *err = give_back(sock->conn);
    } else if (optlen != sizeof(flow)) {
        *err = EINVAL;
    } else {
        memcpy(&flow, optval, sizeof(flow)); /* it may lie anywhere */
        *err = set_flow(sock->conn, &flow);
    }
    return 1;
}

/* With the core lock held. Returns: NULL if the number is none of an open socket. */
static struct lwip_sock *socket_of(int s)
{
    struct lwip_sock *const sock = lwip_socket_dbg_get_socket(s);

    return sock != NULL && sock->conn != NULL ? sock : NULL;
}

int tg_lwip_setsockopt(int s, int level, int optname, const void *optval, uint32_t optlen)
{
    int err = EBADF;

    if (level != SOL_TIDEGATE) {
        return lwip_setsockopt(s, level, optname, optval, (socklen_t)optlen);
    }
    LOCK_TCPIP_CORE();
    struct lwip_sock *const sock = socket_of(s);

    if (sock != NULL && optval == NULL) {
        err = EFAULT;
    } else if (sock != NULL) {
        (void)tg_lwip_hook_setsockopt(sock, level, optname, optval, optlen, &err);
    }
    UNLOCK_TCPIP_CORE();
    if (err) {
        errno = err;
    }
    return err ? -1 : 0;
}

uint32_t tg_lwip_flow_id(int s)
{
    LOCK_TCPIP_CORE();
    const struct lwip_sock *const sock = socket_of(s);
    const struct tg_lwip_socket *const record = sock != NULL ? find_socket(sock->conn) : NULL;
    const uint32_t id = record != NULL ? record->own : 0u;

    UNLOCK_TCPIP_CORE();
    return id;
}
