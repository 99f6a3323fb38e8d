/* SPDX-License-Identifier: MIT
 *
 * services.c - echo, sink and discard over lwIP's callbacks, which run in the protocol thread under
 * the core lock.
 */
#include "services.h"
#include "busy.h"
#include "node.h"

#include <lwip/mem.h>
#include <lwip/tcp.h>
#include <lwip/tcpip.h>
#include <lwip/udp.h>

#include <stdio.h>
#include <stdlib.h>

#define BACKLOG        16u
#define POLL_TICKS     4u    /* of 500 ms: when a close that found no memory is tried again */
#define FIRST_OWN_PORT 1024u /* below it are well-known services (RFC 6335, section 6) */

struct service {
    struct tg_services *all;
    const struct tg_system_flow *flow;
    enum tg_system_service kind;
    struct udp_pcb *udp;
    struct tcp_pcb *listener;

    /* Of a sink: datagrams (struct pbuf) or connections with something to work on; NULL ends it. */
    sys_mbox_t waiting;
    pthread_t receiver;
    bool has_receiver;
};

struct tg_services {
    struct tg_node *node;
    struct service *services;
    size_t n;
    uint64_t unanswered; /* under the core lock */
    bool took;
};

struct connection {
    const struct service *service;
    struct tcp_pcb *pcb;  /* NULL: gone */
    struct pbuf *waiting; /* at most a window: to be echoed, or to be worked on */
    uint32_t messages;    /* in the mailbox */
    bool has_ended;       /* the other side sends no more */
};

bool tg_services_took(struct tg_services *services)
{
    const bool took = services->took;

    services->took = false;
    return took;
}

/* ---- UDP ------------------------------------------------------------------------------------- */

/* A service there might answer the answer, and the two would go on for ever; all it takes is one
 * datagram with a forged sender. */
static bool may_be_service(const struct tg_services *all, u16_t port)
{
    bool is = port < FIRST_OWN_PORT;

    for (size_t i = 0u; i < all->n && !is; i++) {
        is = all->services[i].udp != NULL && all->services[i].flow->match.dst_port == port;
    }
    return is;
}

static void got_datagram(void *arg, struct udp_pcb *pcb, struct pbuf *p, const ip_addr_t *from,
                         u16_t port)
{
    struct service *const s = arg;

    if (s->kind == TG_SERVICE_SINK && sys_mbox_trypost(&s->waiting, p) == ERR_OK) {
        s->all->took = true;
        return;
    }
    if (s->kind == TG_SERVICE_ECHO && may_be_service(s->all, port)) {
        s->all->unanswered++;
    } else if (s->kind == TG_SERVICE_ECHO) {
        (void)udp_sendto(pcb, p, from, port);
    }
    (void)pbuf_free(p);
}

uint64_t tg_services_unanswered(const struct tg_services *services)
{
    LOCK_TCPIP_CORE();
    const uint64_t n = services->unanswered;

    UNLOCK_TCPIP_CORE();
    return n;
}

/* ---- TCP ------------------------------------------------------------------------------------- */

/* Once both sides are done with it. What holds it back comes here again. */
static void end_if_done(struct connection *c)
{
    if (c->pcb != NULL && c->has_ended && c->waiting == NULL && c->messages == 0u) {
        struct tcp_pcb *const pcb = c->pcb;

        tcp_arg(pcb, NULL);
        if (tcp_close(pcb) != ERR_OK) {
            tcp_arg(pcb, c);
            return;
        }
        c->pcb = NULL;
    }
    if (c->pcb == NULL && c->messages == 0u) {
        if (c->waiting != NULL) {
            (void)pbuf_free(c->waiting);
        }
        mem_free(c);
    }
}

/* Send back what waits, as far as there is room to send. */
static void echo(struct connection *c)
{
    while (c->waiting != NULL) {
        struct pbuf *const p = c->waiting;
        const u16_t room = tcp_sndbuf(c->pcb);
        const u16_t n = p->len < room ? p->len : room;

        if ((n == 0u && p->len != 0u) ||
            tcp_write(c->pcb, p->payload, n, TCP_WRITE_FLAG_COPY) != ERR_OK) {
            break;
        }
        tcp_recved(c->pcb, n);
        if (n < p->len) {
            (void)pbuf_remove_header(p, n);
        } else {
            c->waiting = p->next;
            if (c->waiting != NULL) {
                pbuf_ref(c->waiting); /* else it would be freed with what is in front of it */
            }
            (void)pbuf_free(p);
        }
    }
    (void)tcp_output(c->pcb);
}

static void hand_over(struct connection *c)
{
    struct service *const s = (struct service *)c->service;

    /* Room for every buffer, so this is never refused. */
    if (sys_mbox_trypost(&s->waiting, c) == ERR_OK) {
        c->messages++;
    }
}

static err_t got_data(void *arg, struct tcp_pcb *pcb, struct pbuf *p, err_t err)
{
    struct connection *const c = arg;

    (void)err;
    if (c == NULL) { /* closed by us; what still comes is nobody's */
        if (p != NULL) {
            (void)pbuf_free(p);
        }
        return ERR_OK;
    }
    if (p == NULL) {
        c->has_ended = true;
        end_if_done(c);
        return ERR_OK;
    }
    if (c->service->kind == TG_SERVICE_DISCARD) {
        tcp_recved(pcb, p->tot_len);
        (void)pbuf_free(p);
        return ERR_OK;
    }
    if (c->waiting == NULL) {
        c->waiting = p;
    } else {
        pbuf_cat(c->waiting, p);
    }
    if (c->service->kind == TG_SERVICE_ECHO) {
        echo(c);
    } else {
        hand_over(c);
    }
    return ERR_OK;
}

/* There is room to send again, or it is time to look. */
static void go_on(struct connection *c)
{
    if (c != NULL && c->service->kind == TG_SERVICE_ECHO) {
        echo(c);
    }
    if (c != NULL) {
        end_if_done(c);
    }
}

static err_t data_went(void *arg, struct tcp_pcb *pcb, u16_t n)
{
    (void)pcb;
    (void)n;
    go_on(arg);
    return ERR_OK;
}

static err_t look_again(void *arg, struct tcp_pcb *pcb)
{
    (void)pcb;
    go_on(arg);
    return ERR_OK;
}

static void connection_broke(void *arg, err_t err)
{
    struct connection *const c = arg;

    (void)err;
    if (c != NULL) {
        c->pcb = NULL; /* lwIP has freed it */
        end_if_done(c);
    }
}

static err_t connection_came(void *arg, struct tcp_pcb *pcb, err_t err)
{
    struct connection *const c = err == ERR_OK && pcb != NULL ? mem_calloc(1u, sizeof *c) : NULL;

    if (c == NULL) {
        return ERR_MEM; /* lwIP aborts it */
    }
    c->service = arg;
    c->pcb = pcb;
    tcp_arg(pcb, c);
    tcp_recv(pcb, got_data);
    tcp_sent(pcb, data_went);
    tcp_err(pcb, connection_broke);
    tcp_poll(pcb, look_again, POLL_TICKS);
    return ERR_OK;
}

/* ---- Receivers of sinks ---------------------------------------------------------------------- */

static void receive_datagram(const struct service *s, struct pbuf *p)
{
    struct tg_node *const node = s->all->node;
    const struct tg_node_packet packet = tg_node_driver(node)->packet(node, p);

    tg_busy(s->flow->receiver_wcet_ns);
    (void)pbuf_free(p);
    tg_measure_delivered(&node->measure, packet.flow, packet.arrival_ns, tg_posix_port_now_ns());
}

static void receive_stream(const struct service *s, struct connection *c)
{
    LOCK_TCPIP_CORE();
    struct pbuf *const got = c->waiting;

    c->waiting = NULL;
    UNLOCK_TCPIP_CORE();
    for (const struct pbuf *p = got; p != NULL; p = p->next) {
        tg_busy(s->flow->receiver_wcet_ns);
    }
    LOCK_TCPIP_CORE();
    c->messages--;
    if (got != NULL) {
        if (c->pcb != NULL) {
            tcp_recved(c->pcb, got->tot_len);
        }
        (void)pbuf_free(got);
    }
    end_if_done(c);
    UNLOCK_TCPIP_CORE();
}

static void *run_receiver(void *arg)
{
    struct service *const s = arg;
    void *message = NULL;

    for (;;) {
        (void)sys_arch_mbox_fetch(&s->waiting, &message, 0u);
        if (message == NULL) {
            return NULL;
        }
        if (s->flow->match.protocol == IP_PROTO_UDP) {
            receive_datagram(s, message);
        } else {
            receive_stream(s, message);
        }
    }
}

static int start_receiver(struct service *s)
{
    struct tg_node *const node = s->all->node;
    const uint32_t priority =
        s->flow->receiver_wcet_ns != 0u ? s->flow->receiver_priority : s->flow->priority;

    /* A connection is in it once for each packet at most, and the end is in it, too. */
    if (sys_mbox_new(&s->waiting, (int)node->core.n_buffers + 1) != ERR_OK) {
        return -1;
    }
    if (tg_posix_port_spawn(&node->port, priority, run_receiver, s, &s->receiver) != 0) {
        sys_mbox_free(&s->waiting);
        return -1;
    }
    s->has_receiver = true;
    return 0;
}

static void stop_receiver(struct service *s)
{
    if (s->has_receiver) {
        sys_mbox_post(&s->waiting, NULL);
        (void)pthread_join(s->receiver, NULL);
        sys_mbox_free(&s->waiting);
    }
}

tg_ns tg_services_used_ns(struct tg_services *services)
{
    tg_ns used_ns = 0u;

    for (size_t i = 0u; i < services->n; i++) {
        if (services->services[i].has_receiver) {
            used_ns += tg_busy_used_ns(services->services[i].receiver);
        }
    }
    return used_ns;
}

/* ---- Open and close -------------------------------------------------------------------------- */

static int listen_udp(struct service *s)
{
    s->udp = udp_new_ip_type(IPADDR_TYPE_ANY);
    if (s->udp == NULL || udp_bind(s->udp, IP_ANY_TYPE, s->flow->match.dst_port) != ERR_OK) {
        return -1;
    }
    udp_recv(s->udp, got_datagram, s);
    return 0;
}

static int listen_tcp(struct service *s)
{
    struct tcp_pcb *const pcb = tcp_new_ip_type(IPADDR_TYPE_ANY);

    if (pcb == NULL) {
        return -1;
    }
    if (tcp_bind(pcb, IP_ANY_TYPE, s->flow->match.dst_port) == ERR_OK) {
        s->listener = tcp_listen_with_backlog(pcb, BACKLOG);
    }
    if (s->listener == NULL) {
        (void)tcp_close(pcb);
        return -1;
    }
    tcp_arg(s->listener, s);
    tcp_accept(s->listener, connection_came);
    return 0;
}

static int open_service(struct service *s)
{
    if (s->kind == TG_SERVICE_SINK && start_receiver(s) != 0) {
        return -1;
    }
    LOCK_TCPIP_CORE();
    const int err = s->flow->match.protocol == IP_PROTO_UDP ? listen_udp(s) : listen_tcp(s);

    UNLOCK_TCPIP_CORE();
    return err;
}

/* The service at a flow's port; which one, if several flows share it, the file's checks have seen
 * to. */
static struct service *find(const struct tg_services *all, const struct tg_system_flow *f)
{
    for (size_t i = 0u; i < all->n; i++) {
        const struct tg_match *const match = &all->services[i].flow->match;

        if (match->protocol == f->match.protocol && match->dst_port == f->match.dst_port) {
            return &all->services[i];
        }
    }
    return NULL;
}

static void collect(struct tg_services *all, const struct tg_system *system)
{
    for (size_t i = 0u; i < system->n_flows; i++) {
        const struct tg_system_flow *const f = &system->flows[i];
        struct service *s = tg_system_can_serve(&f->match) ? find(all, f) : NULL;

        if (s == NULL && tg_system_can_serve(&f->match)) {
            s = &all->services[all->n++];
            *s = (struct service){.all = all, .flow = f, .kind = TG_SERVICE_DISCARD};
        }
        if (s != NULL && f->service != TG_SERVICE_NONE) {
            s->flow = f;
            s->kind = f->service;
        }
    }
}

struct tg_services *tg_services_open(struct tg_node *node)
{
    struct tg_services *const all = calloc(1u, sizeof *all);

    if (all != NULL) {
        all->services = calloc(node->system->n_flows + 1u, sizeof *all->services);
    }
    if (all == NULL || all->services == NULL) {
        free(all);
        fputs("tidegate run: out of memory\n", stderr);
        return NULL;
    }
    all->node = node;
    collect(all, node->system);
    for (size_t i = 0u; i < all->n; i++) {
        if (open_service(&all->services[i]) != 0) {
            fprintf(stderr, "tidegate run: lwIP has no room for the service of flow %s\n",
                    all->services[i].flow->name);
            tg_services_close(all);
            return NULL;
        }
    }
    return all;
}

void tg_services_close(struct tg_services *all)
{
    if (all == NULL) {
        return;
    }
    LOCK_TCPIP_CORE();
    for (size_t i = 0u; i < all->n; i++) {
        if (all->services[i].udp != NULL) {
            udp_remove(all->services[i].udp);
        }
        if (all->services[i].listener != NULL) {
            (void)tcp_close(all->services[i].listener);
        }
    }
    UNLOCK_TCPIP_CORE();
    for (size_t i = 0u; i < all->n; i++) {
        stop_receiver(&all->services[i]);
    }
    free(all->services);
    free(all);
}
